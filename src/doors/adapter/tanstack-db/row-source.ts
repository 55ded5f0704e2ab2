// Where the rows of a collection come from: records of a kind as they are, or rows of a program's own, kept as documents.
// Invariant: a record stands for at most one row, and a row for exactly one record.
import type { CapabilityOutput, Daybook } from '../../../book/daybook.ts'
import type { Filters, Scalar } from '../../../core/filter/filter.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { nameHash } from '../../../core/text/murmur.ts'
import { bigintField, dateField, fieldsFromJson, isPlainNumber, numberField } from '../foreign-value.ts'

/** What is wanted of a book: any handle of one has it. */
export type CollectionBook = Pick<
  Daybook,
  'documents' | 'facts' | 'on' | 'perceptions' | 'records' | 'skills' | 'traces'
>
export type RowKey = string | number
export type FoundRecord = CapabilityOutput<'kstar:query_memory'>['records'][number]

/** A value of a question about rows, as it stands in records: `under` its field, which may be none. */
export interface Operand {
  readonly under: string
  readonly value: Scalar
}

export interface RowSource {
  readonly kind: string
  /** What every record of the collection satisfies. */
  readonly filters: Filters | undefined
  /** Its records may stand in the place of others, which are hidden then. */
  readonly canSupersede: boolean
  /** The field of a record that says when it leaves default queries. */
  readonly expires?: string | undefined
  /** The row that a record is; undefined: it is none of this collection. */
  rowOf(record: FoundRecord): { readonly key: RowKey; readonly row: object } | undefined
  /** Two readings of a record with the same mark are the same row. */
  markOf(record: FoundRecord): string
  /** Where a field of a row stands in its record. */
  field(path: readonly string[]): string
  /** Under which fields of a field there may be numbers that can't be compared in filters. */
  readonly uncompared: readonly string[]
  /** How a value is written in records, as something that can be compared with `order` or for equality. */
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

/** Records of `kind` that satisfy `filters`, each under its id, skills under their names. */
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
    // A book takes a day for all of its hours, which a comparison of texts does not.
    operand: (value, isOrder) =>
      isOrder && typeof value === 'string' && !instant.test(value) ? undefined : scalar(value),
  }
}

/** A time as a book writes it. */
export const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The name of the document of a row: numbers and texts that look alike are two. */
export function documentKeyOf(key: RowKey): string {
  if (typeof key === 'number') return `#${key}`
  return key === '' || key.startsWith('#') || key.startsWith('\\') ? `\\${key}` : key
}

/** Rows of a program's own: the documents of `folder`, each under the name that follows from the key of its row. */
export function documentSource(folder: string, getKey: (row: never) => RowKey): RowSource {
  return {
    kind: 'document',
    filters: { folder },
    canSupersede: false,
    rowOf: ({ key: name, value }: JsonObject) => {
      const row = fieldsFromJson(value as JsonObject, { strict: true })
      const key = keyOf(row, getKey)
      // What somebody else put there under another name is no row.
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

/** A value that can only be told equal or not. */
export function equalOperand(source: RowSource, value: unknown): Operand | undefined {
  const isOwnBigint = typeof value === 'bigint' && source.kind === 'document'
  return isOwnBigint ? { under: `.${bigintField}`, value: String(value) } : source.operand(value, false)
}

/** The id of the record in whose place this one stands. */
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
