// Reads the records of a collection: all, some by id, or the subset of a live query.
// Invariant: a query with order and limit misses no row, also if the page orders values differently.
import type { IR, LoadSubsetOptions } from '@tanstack/db'
import { defined } from '../../../core/defined.ts'
import { isDaybookError } from '../../../core/errors.ts'
import type { Filters } from '../../../core/filter/filter.ts'
import { isJsonObject, readPath } from '../../../core/json/path.ts'
import { bigintField, dateField } from '../foreign-value.ts'
import { type CollectionBook, type FoundRecord, instant, type RowSource, supersededBy } from './row-source.ts'
import { fieldOf, isOrderedAlike, type SubsetFilter, subsetFilter } from './subset-filter.ts'

const pageSize = 1000

/**
 * The first field that a query orders by. The reader loads all records that tie on this field, because the query's
 * other fields decide between them.
 */
interface Order {
  readonly field: string
  readonly isDescending: boolean
  readonly areMissingFirst: boolean
  readonly isLexical: boolean
}

export class RowReader {
  readonly #book: CollectionBook
  readonly #source: RowSource

  constructor(book: CollectionBook, source: RowSource) {
    this.#book = book
    this.#source = source
  }

  /** Reads the records that match `filters` and the filters of the collection. */
  async all(filters?: Filters): Promise<FoundRecord[]> {
    const found: FoundRecord[] = []
    let cursor: string | undefined
    do {
      const page = await this.#page(filters, { limit: pageSize, cursor, orderBy: 'created_at' })
      found.push(...page.records)
      cursor = page.cursor
    } while (cursor !== undefined)
    return found
  }

  /** Reads the records of `ids` that belong to the collection. */
  async some(ids: readonly string[]): Promise<FoundRecord[]> {
    const found: FoundRecord[] = []
    for (let at = 0; at < ids.length; at += pageSize) {
      found.push(...(await this.all({ id: { in: ids.slice(at, at + pageSize) } })))
    }
    return found
  }

  /**
   * Returns, for each existing record of `ids`, the id of the record that it supersedes. Undefined: it supersedes no
   * record.
   */
  async superseded(ids: readonly string[]): Promise<Map<string, string | undefined>> {
    const links = new Map<string, string | undefined>()
    for (let at = 0; at < ids.length; at += pageSize) {
      const { records } = await this.#book.records.query({
        kind: this.#source.kind,
        filters: { id: { in: ids.slice(at, at + pageSize) } },
        includeSuperseded: true,
        includeExpired: true,
        includeOutdated: true,
        limit: pageSize,
      })
      for (const record of records) links.set(record.id, supersededBy(record))
    }
    return links
  }

  /** Reads at least the records of a subset; TanStack DB filters them again. */
  async subset(query: LoadSubsetOptions): Promise<FoundRecord[]> {
    const where = subsetFilter(query.where, this.#source)
    try {
      const window = where.isExact ? await this.#window(query, where) : undefined
      return window ?? (await this.all(where.filters))
    } catch (error) {
      // Together with the collection's filters, the conditions exceed a limit of filters: read all records.
      if (!isDaybookError(error, 'invalid-filter')) throw error
      return this.all()
    }
  }

  /**
   * Reads the first records in the query's order, with all ties. Undefined: the book may order the records
   * differently.
   */
  async #window(
    query: LoadSubsetOptions,
    { filters, numbers }: SubsetFilter,
  ): Promise<FoundRecord[] | undefined> {
    const { limit, cursor, offset = 0 } = query
    const order = this.#orderOf(query.orderBy)
    if (limit === undefined || !order) return undefined
    const from = subsetFilter(cursor?.whereFrom, this.#source)
    const current = subsetFilter(cursor?.whereCurrent, this.#source)
    if (!from.isExact || !current.isExact) return undefined
    const wanted = limit + (cursor ? 0 : offset)
    if (await this.#hasUnordered([order.field, ...numbers])) return undefined
    const first = await this.#first(order, both(filters, from.filters), wanted)
    if (!first) return undefined
    const last = first.at(-1)
    const isFull = first.length === wanted
    const { field, areMissingFirst } = order
    const ties = last && isFull ? await this.all(both(filters, tieOf(order, last))) : []
    const missing =
      areMissingFirst || !isFull
        ? await this.all(both(filters, { or: [{ [field]: null }, { [field]: { exists: false } }] }))
        : []
    const before = cursor ? await this.all(both(filters, current.filters)) : []
    return [...before, ...first, ...ties, ...missing]
  }

  /** True if a record has a value in one of `fields` that filters can't compare as a number, such as a bigint. */
  async #hasUnordered(fields: readonly string[]): Promise<boolean> {
    const { uncompared } = this.#source
    if (uncompared.length === 0) return false
    const or = fields.flatMap((field) =>
      [...uncompared, `.${bigintField}`].map((under) => ({ [`${field}${under}`]: { exists: true } })),
    )
    const { records } = await this.#page({ or }, { limit: 1, cursor: undefined, orderBy: 'created_at' })
    return records.length > 0
  }

  async #first(
    order: Order,
    filters: Filters | undefined,
    wanted: number,
  ): Promise<FoundRecord[] | undefined> {
    const found: FoundRecord[] = []
    const sorts = new Set<string>()
    let cursor: string | undefined
    const there = both(filters, { [order.field]: { exists: true }, not: { [order.field]: null } })
    const orderBy = order.isDescending ? `-${order.field}` : order.field
    do {
      const limit = Math.min(pageSize, wanted - found.length)
      if (limit <= 0) return found
      const page = await this.#page(there, { limit, cursor, orderBy })
      for (const record of page.records) sorts.add(sortOf(order, record))
      if (sorts.size > 1 || sorts.has('other')) return undefined
      found.push(...page.records)
      cursor = page.cursor
    } while (cursor !== undefined)
    return found
  }

  #orderOf(orderBy: IR.OrderBy | undefined): Order | undefined {
    const [clause] = orderBy ?? []
    const field = fieldOf(clause?.expression as IR.BasicExpression | undefined, this.#source)
    if (!clause || field === undefined) return undefined
    const { direction, nulls, stringSort } = clause.compareOptions as IR.OrderByClause['compareOptions'] & {
      stringSort?: string
    }
    return {
      field,
      isDescending: direction === 'desc',
      areMissingFirst: nulls === 'first',
      isLexical: stringSort === 'lexical',
    }
  }

  #page(filters: Filters | undefined, more: { limit: number; cursor: string | undefined; orderBy: string }) {
    const { kind, filters: own } = this.#source
    const { cursor, ...page } = more
    const all = both(own, filters)
    return this.#book.records.query({
      kind,
      ...page,
      ...(all ? { filters: all } : {}),
      ...defined({ cursor }),
    })
  }
}

function both(one: Filters | undefined, other: Filters | undefined): Filters | undefined {
  if (!one || !other) return one ?? other
  return { and: [one, other] }
}

function tieOf({ field }: Order, record: FoundRecord): Filters {
  const value = readPath(record, field)
  return isJsonObject(value)
    ? { [`${field}.${dateField}`]: value[dateField] as string }
    : { [field]: value as string | number | boolean }
}

/** Returns the type of the value that `order` sorts by. `other`: book and page may order such values differently. */
function sortOf({ field, isLexical }: Order, record: FoundRecord): string {
  const value = readPath(record, field)
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value
  // All collations order times alike; they order other texts differently.
  if (typeof value === 'string' && instant.test(value)) return 'time'
  if (typeof value === 'string') return isLexical && isOrderedAlike(value) ? 'text' : 'other'
  const date = isJsonObject(value) ? value[dateField] : undefined
  return typeof date === 'string' && /^\d/.test(date) ? 'date' : 'other'
}
