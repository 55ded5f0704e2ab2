// The verbs of access: the log of who called what, here or at the mirror, which is the owner's alone; and which records there
// are for whoever asks, by their names alone.
import { z } from 'zod'
import { type AccessEntry, callerSorts } from '../core/capability/access-log.ts'
import { defineCapability } from '../core/capability/capability.ts'
import { DaybookError } from '../core/errors.ts'
import { parseWith } from '../core/schema.ts'
import { instant } from '../shape/instant.ts'
import { recordId } from '../shape/record-id.ts'

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

/** Records that are listed at once. */
const reachLimit = 10_000

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
    id: 'access:reach',
    permission: 'read',
    methods: ['access.reach'],
    summary: 'Lists which records the caller may read, by id and kind, in the order of their ids.',
    isUncounted: true,
    input: z
      .strictObject({
        /** Only those of these ids. */
        ids: z.array(recordId).max(reachLimit).optional(),
        /** With `ids`: also what was made from those, however far. For the owner; a guest is answered without. */
        made: z.boolean().default(false),
        limit: z.number().int().min(1).max(reachLimit).default(1000),
        /** Only ids that come after this one: the last of the page before. */
        after: z.string().max(1000).optional(),
      })
      .prefault({}),
    output: z.object({
      records: z.array(z.object({ id: z.string(), kind: z.string() })),
      /** When a policy whose `rateLimit` the caller has used up lets it ask again; absent where none is. */
      opens_at: z.string().optional(),
    }),
    effect: 'read',
    uses: ['records', 'consent'],
    run(query, at) {
      const opens_at = at.consent.opensAt()
      return { records: at.records.reached(query), ...(opens_at === undefined ? {} : { opens_at }) }
    },
  }),
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
