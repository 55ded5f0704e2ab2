// Shapes that the kinds and verbs of this chapter share: texts and names, a query, a page, a receipt.
import { z } from 'zod'
import type { Filters } from '../../core/filter/filter.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { sensitivities } from '../../core/sealed.ts'
import { sealed } from '../../shape/sealed-count.ts'
import { scopeName } from '../../shape/scope-name.ts'

export const text = (max: number) => z.string().max(max)
export const name = z.string().min(1).max(1000)
export const list = z.array(text(10_000)).max(1000)
export const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject>

/** Whose record it is; what is left out is as the book was opened. */
export const scope = {
  agent: scopeName.optional(),
  session: scopeName.optional(),
  resource: scopeName.optional(),
  /** `sensitive` and `restricted` ones are encrypted before they are stored or sent. Default: as before, or `standard`. */
  sensitivity: z.enum(sensitivities).optional(),
}

/** What a resolved write answers: it is committed, and into what. */
export const receipt = z.object({
  id: z.string(),
  stored_at: z.string(),
  durability: z.enum(['opfs', 'indexeddb', 'memory', 'file', 'durable-object', 'postgres']),
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
  z.object({ records: z.array(item), cursor: z.string().optional(), sealed })
