// The verb of the log of access: who called what, here or at the mirror. The owner's alone.
import { z } from 'zod'
import { type AccessEntry, callerSorts } from '../core/capability/access-log.ts'
import { defineCapability } from '../core/capability/capability.ts'
import { DaybookError } from '../core/errors.ts'
import { parseWith } from '../core/schema.ts'
import { instant } from '../shape/instant.ts'

const entry = z.object({
  n: z.number(),
  at: z.string(),
  caller: z.string(),
  by: z.enum(callerSorts),
  id: z.string().optional(),
  capability: z.string(),
  outcome: z.string(),
  kinds: z.array(z.string()),
  count: z.number(),
  purpose: z.string().optional(),
  receipt: z.string().optional(),
}) as unknown as z.ZodType<AccessEntry>

const page = z.object({
  entries: z.array(entry),
  /** For the next page; absent when there is none. */
  cursor: z.string().optional(),
})

const query = {
  /** The agent in whose name it was called. */
  agent: z.string().min(1).max(1000).optional(),
  capability: z.string().min(1).max(200).optional(),
  /** `ok`, or the code of an error. */
  outcome: z.string().min(1).max(100).optional(),
  /** From this instant on, and before that one. */
  from: instant.optional(),
  to: instant.optional(),
  limit: z.number().int().min(1).max(1000).default(100),
  cursor: z.string().max(40_000).optional(),
}

function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  if (/^a1\.\d{1,15}$/.test(cursor)) return Number(cursor.slice(3))
  throw new DaybookError('invalid-filter', '`cursor`: It is none of this list.', {
    details: { path: 'cursor' },
  })
}

export const accessCapabilities = [
  defineCapability({
    id: 'access:log',
    forAgents: true,
    methods: ['access.log'],
    summary:
      'Lists who called what, newest first: every call of guests, also refused ones, and what the owner wrote. Without content.',
    input: z
      .strictObject({
        ...query,
        /** Whose log: that of this copy of the book, or the one that its mirror keeps. */
        where: z.enum(['here', 'mirror']).default('here'),
      })
      .prefault({}),
    output: page,
    effect: 'task',
    uses: ['access', 'mirror'],
    async run({ where, cursor, limit, ...asked }, at) {
      if (where === 'mirror') {
        if (!at.mirror.read) throw new DaybookError('sync-off')
        const input = { ...asked, limit, ...(cursor === undefined ? {} : { cursor }) }
        return parseWith(page, await at.mirror.read('access:log', input), 'protocol-error')
      }
      const before = readCursor(cursor)
      const found = await at.access.page({ ...asked, before, limit: limit + 1 })
      const entries = found.slice(0, limit)
      const last = entries.at(-1)
      return {
        entries,
        ...(found.length > limit && last ? { cursor: `a1.${last.n}` } : {}),
      }
    },
  }),
] as const
