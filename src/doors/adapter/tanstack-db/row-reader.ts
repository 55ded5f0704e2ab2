// Reads the records of a collection: all, some by id, or the subset of a live query.
// Invariant: a query with order and limit misses no row, also if the page orders values differently.
import type { IR, LoadSubsetOptions } from '@tanstack/db'
import { defined } from '../../../core/defined.ts'
import { isDaybookError } from '../../../core/errors.ts'
import type { Filters } from '../../../core/filter/filter.ts'
import { isJsonObject, readPath } from '../../../core/json/path.ts'
import { bigintField, dateField } from '../foreign-value.ts'
import {
  type CollectionBook,
  type FoundRecord,
  canonicalTimePattern,
  type RowSource,
  supersededIdOf,
} from './row-source.ts'
import { fieldOf, isOrderedAlike, type SubsetFilter, subsetFilter } from './subset-filter.ts'

const pageSize = 1000

/**
 * The first field that a query orders by. The reader loads all records that tie on this field, because the query's
 * other fields decide between them.
 */
interface FirstOrderField {
  readonly field: string
  readonly isDescending: boolean
  /** True: rows without a value in the field come first; else last. */
  readonly areMissingFirst: boolean
  /** True: the page orders texts by UTF-16 units; else by a locale. */
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
  async readAll(filters?: Filters): Promise<FoundRecord[]> {
    const found: FoundRecord[] = []
    let cursor: string | undefined
    do {
      const page = await this.#queryPage(filters, { limit: pageSize, cursor, orderBy: 'created_at' })
      found.push(...page.records)
      cursor = page.cursor
    } while (cursor !== undefined)
    return found
  }

  /** Reads the records of `ids` that belong to the collection. */
  async readByIds(ids: readonly string[]): Promise<FoundRecord[]> {
    const found: FoundRecord[] = []
    for (let at = 0; at < ids.length; at += pageSize) {
      found.push(...(await this.readAll({ id: { in: ids.slice(at, at + pageSize) } })))
    }
    return found
  }

  /**
   * Returns, for each existing record of `ids`, the id of the record that it supersedes. Undefined: it supersedes no
   * record.
   */
  async readSupersededIds(ids: readonly string[]): Promise<Map<string, string | undefined>> {
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
      for (const record of records) links.set(record.id, supersededIdOf(record))
    }
    return links
  }

  /** Reads at least the records of a subset; TanStack DB filters them again. */
  async readSubset(query: LoadSubsetOptions): Promise<FoundRecord[]> {
    // `isExact`: its filters pass no other rows, if they can compare all values of `numberFields`.
    const where = subsetFilter(query.where, this.#source)
    try {
      const window = where.isExact ? await this.#readWindow(query, where) : undefined
      return window ?? (await this.readAll(where.filters))
    } catch (error) {
      // Together with the collection's filters, the conditions exceed a limit of filters: read all records.
      if (!isDaybookError(error, 'invalid-filter')) throw error
      return this.readAll()
    }
  }

  /**
   * Reads the first records in the query's order, with all ties. Undefined: the book may order the records
   * differently.
   */
  async #readWindow(
    query: LoadSubsetOptions,
    { filters, numberFields }: SubsetFilter,
  ): Promise<FoundRecord[] | undefined> {
    const { limit, cursor, offset = 0 } = query
    const order = this.#firstOrderField(query.orderBy)
    if (limit === undefined || !order) return undefined
    // `from`: rows after the cursor. `current`: rows with the cursor's value. With a cursor, `offset` doesn't
    // count.
    const from = subsetFilter(cursor?.whereFrom, this.#source)
    const current = subsetFilter(cursor?.whereCurrent, this.#source)
    if (!from.isExact || !current.isExact) return undefined
    const wantedCount = limit + (cursor ? 0 : offset)
    if (await this.#hasIncomparable([order.field, ...numberFields])) return undefined
    const firstRecords = await this.#readFirst(order, bothFilters(filters, from.filters), wantedCount)
    if (!firstRecords) return undefined
    const last = firstRecords.at(-1)
    // Not full: the last rows of the order are among the first records, so no tie is missing.
    const isFull = firstRecords.length === wantedCount
    const { field, areMissingFirst } = order
    const ties = last && isFull ? await this.readAll(bothFilters(filters, filterOfTies(order, last))) : []
    const missing =
      areMissingFirst || !isFull
        ? await this.readAll(
            bothFilters(filters, { or: [{ [field]: null }, { [field]: { exists: false } }] }),
          )
        : []
    const atCursor = cursor ? await this.readAll(bothFilters(filters, current.filters)) : []
    return [...atCursor, ...firstRecords, ...ties, ...missing]
  }

  /**
   * True if a record has a value in one of `fields` that filters can't compare as a number: an object with the field
   * `$bigint` or `$number` (such as NaN). Only documents have such values.
   */
  async #hasIncomparable(fields: readonly string[]): Promise<boolean> {
    const { incomparableSubfields } = this.#source
    if (incomparableSubfields.length === 0) return false
    const or = fields.flatMap((field) =>
      [...incomparableSubfields, `.${bigintField}`].map((subfield) => ({
        [`${field}${subfield}`]: { exists: true },
      })),
    )
    const { records } = await this.#queryPage({ or }, { limit: 1, cursor: undefined, orderBy: 'created_at' })
    return records.length > 0
  }

  /**
   * Reads the first `wantedCount` records that have a value in the field, or all if there are fewer.
   * Undefined: book and page may order their values differently.
   */
  async #readFirst(
    order: FirstOrderField,
    filters: Filters | undefined,
    wantedCount: number,
  ): Promise<FoundRecord[] | undefined> {
    const found: FoundRecord[] = []
    const valueTypes = new Set<string>()
    let cursor: string | undefined
    const withValue = bothFilters(filters, { [order.field]: { exists: true }, not: { [order.field]: null } })
    const orderBy = order.isDescending ? `-${order.field}` : order.field
    do {
      const limit = Math.min(pageSize, wantedCount - found.length)
      if (limit <= 0) return found
      const page = await this.#queryPage(withValue, { limit, cursor, orderBy })
      for (const record of page.records) valueTypes.add(orderTypeOf(order, record))
      if (valueTypes.size > 1 || valueTypes.has('other')) return undefined
      found.push(...page.records)
      cursor = page.cursor
    } while (cursor !== undefined)
    return found
  }

  #firstOrderField(orderBy: IR.OrderBy | undefined): FirstOrderField | undefined {
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

  #queryPage(
    filters: Filters | undefined,
    pageOptions: { limit: number; cursor: string | undefined; orderBy: string },
  ) {
    const { kind, filters: own } = this.#source
    const { cursor, ...page } = pageOptions
    const all = bothFilters(own, filters)
    return this.#book.records.query({
      kind,
      ...page,
      ...(all ? { filters: all } : {}),
      ...defined({ cursor }),
    })
  }
}

function bothFilters(first: Filters | undefined, second: Filters | undefined): Filters | undefined {
  if (!first || !second) return first ?? second
  return { and: [first, second] }
}

function filterOfTies({ field }: FirstOrderField, record: FoundRecord): Filters {
  const value = readPath(record, field)
  return isJsonObject(value)
    ? { [`${field}.${dateField}`]: value[dateField] as string }
    : { [field]: value as string | number | boolean }
}

/** Returns the type of the value that `order` sorts by. `other`: book and page may order such values differently. */
function orderTypeOf({ field, isLexical }: FirstOrderField, record: FoundRecord): string {
  const value = readPath(record, field)
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value
  // All collations order times alike; they order other texts differently.
  if (typeof value === 'string' && canonicalTimePattern.test(value)) return 'time'
  if (typeof value === 'string') return isLexical && isOrderedAlike(value) ? 'text' : 'other'
  const date = isJsonObject(value) ? value[dateField] : undefined
  return typeof date === 'string' && /^\d/.test(date) ? 'date' : 'other'
}
