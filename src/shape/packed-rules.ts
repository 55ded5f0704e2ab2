// The standing rules in an answer for a prompt.
import { z } from 'zod'
import type { PackedRules } from '../core/text/pack-rules.ts'
import { shapeOf } from './shape-of.ts'

/** `overflow`: ids of rules that did not fit. Absent: no rule applies. */
export const packedRules = shapeOf<PackedRules>()(
  z.object({
    text: z.string(),
    items: z.array(z.object({ id: z.string(), tokens: z.number() })),
    tokens: z.number(),
    overflow: z.array(z.string()),
  }),
).optional()
