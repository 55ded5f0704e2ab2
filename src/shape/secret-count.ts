// How secrets that were found are told of: how many, of which sort, in which field of which kind.
import { z } from 'zod'

/** `path` is dotted, with `*` for places in lists; `kept` means stored in clear. */
export const secretCount = z.object({
  rule: z.string(),
  kind: z.string(),
  path: z.string(),
  outcome: z.enum(['sealed', 'masked', 'kept']),
  count: z.number(),
})
