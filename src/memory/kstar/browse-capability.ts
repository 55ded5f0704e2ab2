// The verbs by which a person looks through records of any kind: search, count, who cites one. The inspector's, and
// everyone's who shows a book.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Stored } from '../../core/record.ts'
import { recordHead } from '../../shape/record-head.ts'
import { recordId } from '../../shape/record-id.ts'
import { sealed, sealedField } from '../../shape/sealed-count.ts'
import { name, recordQuery } from './record-schema.ts'

const anyRecord = z.looseObject({ ...recordHead, kind: z.string() }) as unknown as z.ZodType<
  Stored<JsonObject>
>

const { filters } = recordQuery.shape

export const browseCapabilities = [
  defineCapability({
    id: 'kstar:search_memory',
    methods: ['records.search'],
    summary:
      'Finds records of one kind or of all by words, best match first, also expired and superseded ones.',
    input: z.strictObject({
      /** Words; those in quotes stand together, as a phrase. */
      query: z.string().max(10_000),
      kind: name.optional(),
      fields: z.array(z.string().min(1).max(512)).min(1).max(32).optional(),
      match: z.enum(['any', 'all']).default('any'),
      /** The last word may be the beginning of one. */
      prefix: z.boolean().default(false),
      filters,
      limit: z.number().int().min(1).max(1000).default(20),
      offset: z.number().int().min(0).max(1_000_000).default(0),
    }),
    output: z.object({ records: z.array(anyRecord), scores: z.array(z.number()), sealed }),
    effect: 'read',
    uses: ['records'],
    permission: 'read',
    run({ query: text, ...query }, at) {
      const hits = at.records.search({ ...query, text })
      const { kind } = query
      return {
        records: hits.map(({ record }) => record),
        scores: hits.map(({ score }) => score),
        ...sealedField(at.records.unread(kind === undefined ? {} : { kinds: [kind] })),
      }
    },
  }),
  defineCapability({
    id: 'kstar:count_memory',
    methods: ['records.count'],
    summary:
      'Counts records of a kind, or those that a search finds, in all and by hour, day or month of when they happened; with `none` only in all.',
    input: z.strictObject({
      kind: name,
      /** Counts only what a search for this finds, with `match` and `prefix` as it takes them. */
      query: z.string().max(10_000).optional(),
      match: z.enum(['any', 'all']).default('any'),
      prefix: z.boolean().default(false),
      filters,
      by: z.enum(['hour', 'day', 'month', 'none']).default('day'),
      include_expired: z.boolean().default(false),
      include_superseded: z.boolean().default(false),
    }),
    output: z.object({
      total: z.number(),
      /** Oldest first; `at` is the start of the period, `failed` counts those that ended badly. Empty ones are left out. */
      buckets: z.array(z.object({ at: z.string(), count: z.number(), failed: z.number() })),
      sealed,
    }),
    effect: 'read',
    uses: ['records'],
    permission: 'read',
    run(
      { query: text, match, prefix, include_expired: expired, include_superseded: superseded, ...asked },
      at,
    ) {
      const search = text === undefined ? undefined : { text, match, prefix }
      return at.records.count({ ...asked, search, include: { expired, superseded } })
    },
  }),
  defineCapability({
    id: 'kstar:citing',
    methods: ['records.citing'],
    summary: 'Reads the records that cite one, and by which field each does.',
    input: z.strictObject({ id: recordId, limit: z.number().int().min(1).max(1000).default(100) }),
    output: z.object({
      /** How many cite it; `citations` and `records` are the first of them. */
      total: z.number(),
      citations: z.array(z.object({ id: z.string(), kind: z.string(), path: z.string() })),
      records: z.array(anyRecord),
      sealed,
    }),
    effect: 'read',
    uses: ['records'],
    permission: 'read',
    run({ id, limit }, at) {
      const all = at.records.citing(id)
      const citations = all.slice(0, limit)
      const ids = [...new Set(citations.map((one) => one.id))]
      return {
        total: all.length,
        citations,
        records: ids.flatMap((one) => at.records.get(one) ?? []),
        ...sealedField(at.records.unread({})),
      }
    },
  }),
] as const
