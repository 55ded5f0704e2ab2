// Builders of the plain verbs of a kind: get, query, search and count. A verb that does more uses `readVerb` or
// `writeVerb` with its own `run`.
import { z } from 'zod'
import type { Capability } from '../core/capability/capability.ts'
import type { PortName, ReadContext } from '../core/capability/context.ts'
import type { RecordQuery } from '../core/capability/port/record-port.ts'
import type { Filters } from '../core/filter/filter.ts'
import type { Schema } from '../core/schema.ts'
import { cursor, limit, offset } from './page.ts'
import { recordId, sealed, sealedField } from './field.ts'

// In the inputs below, `.prefault({})` lets a caller leave out the whole input.

/** Not validated here: the filter language reports an error with its path. */
export const filters = (z.record(z.string(), z.unknown()) as unknown as z.ZodType<Filters>).optional()

/** Dotted paths, at most three; `-` before a path: descending. Default: newest first. */
export const orderBy = z
  .union([z.string().min(1).max(512), z.array(z.string().min(1).max(512)).min(1).max(3)])
  .optional()

export const page = { limit: limit(), offset, cursor }

export const recordQuery = z.strictObject({ filters, orderBy, ...page })

/** A page of records. `cursor`: fetches the next page; absent on the last page. */
export const recordPage = <Item extends z.ZodType>(item: Item) =>
  z.object({ records: z.array(item), cursor: z.string().optional(), sealed })

/** Number of words of a query that a record must contain. */
export const match = z.enum(['any', 'all']).default('any')
/** Words of a query. Quoted words form a phrase. */
export const words = z.string().max(10_000)
export const recordSearch = z.strictObject({
  query: words,
  fields: z.array(z.string().min(1).max(512)).min(1).max(32).optional(),
  match,
  /** True: the last word matches every word that begins with it. */
  prefix: z.boolean().default(false),
  filters,
  limit: limit(20),
  offset,
})

/** `scores`: one for each record, BM25, higher is better. */
export const searchPage = <Item extends z.ZodType>(item: Item) =>
  z.object({ records: z.array(item), scores: z.array(z.number()), sealed })

/** `none`: no buckets, only the total. */
export const period = z.enum(['hour', 'day', 'month', 'none']).default('day')

/**
 * Buckets are sorted oldest first. `at`: start of the hour, day or month in the book's time zone. `failed`: number
 * of records with a failure. Periods without records are left out.
 */
export const counts = z.object({
  total: z.number(),
  buckets: z.array(z.object({ at: z.string(), count: z.number(), failed: z.number() })),
  sealed,
})

/** Id, method and summary of a verb: see Capability in core/capability/capability.ts. */
interface Named<Id extends string, Method extends string> {
  readonly id: Id
  readonly method: Method
  readonly summary: string
}

type Records = readonly ['records']

/** A verb with one method. Its builder adds the permission and the effect. */
type Parts<
  Id extends string,
  Method extends string,
  I extends Schema,
  O extends Schema,
  Uses extends readonly PortName[],
  Effect extends 'read' | 'write',
> = Omit<Capability<Id, readonly [Method], I, O, Uses, Effect>, 'methods' | 'permission' | 'effect'> & {
  readonly method: Method
}

/** Makes a verb that only reads, for callers with the right to read. Default `uses`: records. */
export function readVerb<
  const Id extends string,
  const Method extends string,
  I extends Schema,
  O extends Schema,
  const Uses extends readonly PortName[] = Records,
>({
  method,
  ...verb
}: Parts<Id, Method, I, O, Uses, 'read'>): Capability<Id, readonly [Method], I, O, Uses, 'read'> {
  return {
    uses: ['records'],
    ...verb,
    methods: [method],
    permission: 'read',
    effect: 'read',
  } as object as Capability<Id, readonly [Method], I, O, Uses, 'read'>
}

/** Makes a verb that writes in one transaction, for callers with the right to write. Default `uses`: records. */
export function writeVerb<
  const Id extends string,
  const Method extends string,
  I extends Schema,
  O extends Schema,
  const Uses extends readonly PortName[] = Records,
>({
  method,
  ...verb
}: Parts<Id, Method, I, O, Uses, 'write'>): Capability<Id, readonly [Method], I, O, Uses, 'write'> {
  return {
    uses: ['records'],
    ...verb,
    methods: [method],
    permission: 'write',
    effect: 'write',
  } as object as Capability<Id, readonly [Method], I, O, Uses, 'write'>
}

type ReadAt = ReadContext<'records'>

/** Returns builders of the plain verbs for records of `kind` with the shape `item`. */
export function recordVerbs<Item extends z.ZodType>(kind: string, item: Item) {
  type Record = z.output<Item>
  const asItem = (record: { readonly kind: string } | undefined): Record | undefined =>
    record?.kind === kind ? (record as unknown as Record) : undefined
  const pageOf = (at: ReadAt, query: Omit<RecordQuery, 'kind'>) => {
    const found = at.records.query({ ...query, kind })
    return { ...found, records: found.records as unknown as Record[] } as z.input<typeof output>
  }
  const output = recordPage(item)
  return {
    /** Returns the record if it is of this kind, else undefined. */
    asItem,
    /** Runs a query for records of this kind. */
    pageOf,
    /** The output shape of `pageOf`. */
    page: output,
    get: <const Id extends string, const Method extends string>(verb: Named<Id, Method>) =>
      readVerb({
        ...verb,
        input: z.strictObject({ id: recordId }),
        output: item.nullable(),
        run: ({ id }, at) => (asItem(at.records.get(id)) ?? null) as z.input<Item> | null,
      }),
    query: <const Id extends string, const Method extends string>(verb: Named<Id, Method>) =>
      readVerb({
        ...verb,
        input: recordQuery.prefault({}),
        output,
        run: ({ orderBy, ...query }, at) => pageOf(at, { ...query, orderBy }),
      }),
    search: <const Id extends string, const Method extends string>(verb: Named<Id, Method>) =>
      readVerb({
        ...verb,
        input: recordSearch,
        output: searchPage(item),
        run({ query: text, ...query }, at) {
          const hits = at.records.search({ ...query, text, kind })
          return {
            records: hits.map(({ record }) => record as unknown as z.input<Item>),
            scores: hits.map(({ score }) => score),
            ...sealedField(at.records.unread({ kinds: [kind] })),
          }
        },
      }),
    count: <const Id extends string, const Method extends string>(verb: Named<Id, Method>) =>
      readVerb({
        ...verb,
        input: z.strictObject({ filters, by: period }).prefault({}),
        output: counts,
        run: (query, at) => at.records.count({ ...query, kind }),
      }),
  }
}
