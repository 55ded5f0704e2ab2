// Shapes that the kinds and verbs of this room share: names and instants, a record's head, a query, a page, a receipt.
import { z } from 'zod'
import type { Filters } from '../../core/filter.ts'
import { isRecordId } from '../../core/ids.ts'
import type { JsonObject } from '../../core/path.ts'
import { canonicalTime } from '../../core/time.ts'

/** An ISO 8601 instant; a date alone means its first moment, no offset means UTC. Comes out in canonical form. */
export const instant = z.string().transform((value, context) => {
  const canonical = canonicalTime(value)
  if (canonical !== undefined) return canonical
  context.addIssue({ code: 'custom', message: 'is not an ISO 8601 date or time' })
  return z.NEVER
})

export const recordId = z
  .string()
  .refine(isRecordId, 'is not a record id (1 to 128 letters, digits, . _ : -)')

export const text = (max: number) => z.string().max(max)
export const name = z.string().min(1).max(1000)
export const list = z.array(text(10_000)).max(1000)
export const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject>

/** A name in a record's head: well-formed Unicode, because it becomes a column. */
export const scopeName = name.refine((value) => value.isWellFormed(), 'is not well-formed Unicode')

/** Whose record it is; what is left out is as the book was opened. */
export const scope = {
  agent: scopeName.optional(),
  session: scopeName.optional(),
  resource: scopeName.optional(),
}

/** What every record has beside its kind and its body. */
export const head = {
  id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  ver: z.number(),
  agent: z.string(),
  session: z.string().optional(),
  resource: z.string().optional(),
}

/** What a resolved write answers: it is committed, and into what. */
export const receipt = z.object({
  id: z.string(),
  stored_at: z.string(),
  durability: z.enum(['opfs', 'indexeddb', 'memory', 'file', 'durable-object']),
})

/** Filters are read by the filter language itself, which says where one is wrong. */
const filters = (z.record(z.string(), z.unknown()) as unknown as z.ZodType<Filters>).optional()

export const page = {
  limit: z.number().int().min(1).max(1000).default(100),
  offset: z.number().int().min(0).max(1_000_000).default(0),
  cursor: z.string().max(40_000).optional(),
}

export const recordQuery = z.strictObject({
  filters,
  order_by: z
    .union([z.string().min(1).max(512), z.array(z.string().min(1).max(512)).min(1).max(3)])
    .optional(),
  ...page,
})

/** A page of records; `cursor`, when present, asks for the next one. */
export const recordPage = <Item extends z.ZodType>(item: Item) =>
  z.object({ records: z.array(item), cursor: z.string().optional() })
