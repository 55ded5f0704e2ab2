// The verb of recall.
import { z } from 'zod'
import { recallNote } from '../core/capability/activity.ts'
import { defineCapability } from '../core/capability/capability.ts'
import { hitLimit } from '../core/capability/port/recall-port.ts'
import type { Filters } from '../core/filter/filter.ts'
import type { JsonObject } from '../core/json/path.ts'
import type { Stored } from '../core/record.ts'
import { canonicalTime } from '../core/time.ts'

const name = z.string().min(1).max(1000)
/** A bare date stands for the end of its day, in the zone of the book. */
const instant = z
  .string()
  .refine((text) => canonicalTime(text) !== undefined, 'is not an ISO 8601 date or time')
const record = z.looseObject({ id: z.string(), kind: z.string() }) as unknown as z.ZodType<Stored<JsonObject>>

/** How many sealed records that were asked about can't be read here, and so were not searched. Absent: none. */
export const unread = z.number().int().min(1).optional()

/** What is asked, by recall and by what rests on it. */
export const recallInput = {
  text: z.string().max(10_000),
  kinds: z.array(name).min(1).max(50).optional(),
  agent: name.optional(),
  session: name.optional(),
  resource: name.optional(),
  filters: (z.record(z.string(), z.unknown()) as unknown as z.ZodType<Filters>).optional(),
  limit: z.number().int().min(1).max(hitLimit).default(10),
  at: instant.optional(),
  distinct: z.boolean().default(true),
  diversity: z.number().min(0).max(1).default(0),
  /** `sharp`: only the hits before the largest drop in score. */
  cut: z.enum(['none', 'sharp']).default('none'),
  minScore: z.number().min(0).max(1).default(0),
  /** Compares every vector, of a very large book too. */
  exact: z.boolean().default(false),
}

export const recallCapabilities = [
  defineCapability({
    id: 'daybook:recall',
    permission: 'read',
    methods: ['recall'],
    summary: 'Recalls what is relevant to a question in plain words, with the reasons; may return nothing.',
    input: z.strictObject(recallInput),
    output: z.object({
      hits: z.array(
        z.object({
          record,
          score: z.number(),
          because: z.object({
            text: z
              .object({
                rank: z.number(),
                bm25: z.number(),
                coverage: z.number(),
                words: z.array(z.string()),
                spelled: z.record(z.string(), z.string()).optional(),
              })
              .optional(),
            window: z.object({ rank: z.number(), bm25: z.number(), coverage: z.number() }).optional(),
            name: z.object({ rank: z.number(), name: z.string() }).optional(),
            session: z.object({ rank: z.number(), score: z.number() }).optional(),
            vector: z.object({ rank: z.number(), similarity: z.number() }).optional(),
            passage: z.object({ path: z.string(), from: z.number(), to: z.number() }).optional(),
            recency: z.number(),
            importance: z.number(),
            confidence: z.number(),
            use: z.number(),
            pin: z.number(),
            pool: z
              .object({ votes: z.object({ yes: z.number(), no: z.number() }), version: z.number() })
              .optional(),
          }),
        }),
      ),
      legs: z.record(z.string(), z.number()),
      degraded: z.array(z.string()),
      took: z.number(),
      sealed: unread,
    }),
    effect: 'read',
    uses: ['recall'],
    async run(query, at) {
      const found = await at.recall.ask(query)
      const hits = found.hits.map(({ record: { id, kind }, score }) => ({ id, kind, score }))
      at.recall.note(recallNote(query, hits))
      return found
    },
  }),
] as const
