// Sources of a collection's rows: records of a kind, or a program's own rows as documents.
// Invariant: a record is at most one row, and a row is exactly one record.
import type { CapabilityOutput, Daybook } from '../../../book/daybook.ts'
import type { Filters, Scalar } from '../../../core/filter/filter.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { nameHash } from '../../../core/text/text-key.ts'
import { bigintField, dateField, fieldsFromJson, isPlainNumber, numberField } from '../foreign-value.ts'

/** The needed part of a book or handle. */
export type CollectionBook = Pick<
  Daybook,
  'documents' | 'facts' | 'on' | 'perceptions' | 'records' | 'skills' | 'traces'
>
export type RowKey = string | number
export type FoundRecord = CapabilityOutput<'kstar:query_memory'>['records'][number]

/** A value of a query as in records; `under` a subfield, maybe empty. */
export interface Operand {
  readonly under: string
  readonly value: Scalar
}

export interface RowSource {
  readonly kind: string
  /** Filters of all its records. */
  readonly filters: Filters | undefined
  /** True if its records may supersede others, which are then hidden. */
  readonly canSupersede: boolean
  /** The field with the time at which a record leaves default queries. */
  readonly expires?: string | undefined
  /** The row of a record; undefined if it is not of this collection. */
  rowOf(record: FoundRecord): { readonly key: RowKey; readonly row: object } | undefined
  /** Equal for unchanged rows. */
  markOf(record: FoundRecord): string
  /** The record path of a row's field. */
  field(path: readonly string[]): string
  /** Subfields with numbers that filters can't compare. */
  readonly uncompared: readonly string[]
  /** A value as in records, for comparison by order or equality. */
  operand(value: unknown, isOrder: boolean): Operand | undefined
}

const scalar = (value: unknown): Operand | undefined => {
  const isScalar = typeof value === 'string' || typeof value === 'boolean'
  return isScalar || (typeof value === 'number' && (isPlainNumber(value) || value === 0))
    ? { under: '', value: value as Scalar }
    : undefined
}

const expiry: Readonly<Record<string, string>> = {
  inbox: 'expires_at',
  message: 'archived_at',
  perception: 'valid_until',
  thought: 'archived_at',
}

/** Records of `kind` that match `filters`, by id; skills by name. */
export function recordSource(kind: string, filters: Filters | undefined): RowSource {
  return {
    kind,
    filters,
    canSupersede: kind === 'fact' || kind === 'memory',
    expires: expiry[kind],
    rowOf: (record) => {
      const key = kind === 'skill' ? String((record as JsonObject)['name']) : record.id
      return { key, row: structuredClone(record) }
    },
    markOf: (record) => nameHash(JSON.stringify(record)),
    field: (path) => path.join('.'),
    uncompared: [],
    // In a book a day includes all of its hours; a comparison of texts differs.
    operand: (value, isOrder) =>
      isOrder && typeof value === 'string' && !instant.test(value) ? undefined : scalar(value),
  }
}

/** A time in a book's form. */
export const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The document key of a row. The number 1 and the text '1' differ. */
export function documentKeyOf(key: RowKey): string {
  if (typeof key === 'number') return `#${key}`
  return key === '' || key.startsWith('#') || key.startsWith('\\') ? `\\${key}` : key
}

/** A program's own rows: documents of `folder`, with keys derived from those of the rows. */
export function documentSource(folder: string, getKey: (row: never) => RowKey): RowSource {
  return {
    kind: 'document',
    filters: { folder },
    canSupersede: false,
    rowOf: ({ key: name, value }: JsonObject) => {
      const row = fieldsFromJson(value as JsonObject, { strict: true })
      const key = keyOf(row, getKey)
      // A document with another key is no row.
      return key !== undefined && documentKeyOf(key) === name ? { key, row } : undefined
    },
    markOf: (record) => nameHash(JSON.stringify((record as JsonObject)['value'])),
    field: (path) => `value.${path.join('.')}`,
    uncompared: [`.${numberField}`],
    operand(value) {
      if (value instanceof Date) {
        const isWritten = !Number.isNaN(value.getTime()) && /^\d/.test(value.toISOString())
        return isWritten ? { under: `.${dateField}`, value: value.toISOString() } : undefined
      }
      return scalar(value)
    },
  }
}

/** A value that can only be compared for equality. */
export function equalOperand(source: RowSource, value: unknown): Operand | undefined {
  const isOwnBigint = typeof value === 'bigint' && source.kind === 'document'
  return isOwnBigint ? { under: `.${bigintField}`, value: String(value) } : source.operand(value, false)
}

/** The id of the record that this one supersedes. */
export function supersededBy(record: FoundRecord): string | undefined {
  const { supersedes } = record as { readonly supersedes?: unknown }
  return typeof supersedes === 'string' ? supersedes : undefined
}

function keyOf(row: object, getKey: (row: never) => RowKey): RowKey | undefined {
  try {
    const key: unknown = getKey(row as never)
    return typeof key === 'string' || typeof key === 'number' ? key : undefined
  } catch {
    return undefined
  }
}
