// Maps records to rows of a collection: records of a kind, or a program's own rows stored as documents.
// Invariant: a record is at most one row, and a row is exactly one record.
import type { CapabilityOutput, Daybook } from '../../../book/daybook.ts'
import type { Filters, Scalar } from '../../../core/filter/filter.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { nameHash } from '../../../core/text/text-key.ts'
import { bigintField, dateField, fieldsFromJson, isPlainNumber, numberField } from '../foreign-value.ts'

/** The part of a book or handle that a collection uses. */
export type CollectionBook = Pick<
  Daybook,
  'documents' | 'facts' | 'on' | 'perceptions' | 'records' | 'skills' | 'traces'
>
export type RowKey = string | number
export type FoundRecord = CapabilityOutput<'kstar:query_memory'>['records'][number]

/** A value of a query as records contain it. `subfield`: such as `.$date` for a marked value; empty for a plain one. */
export interface Operand {
  readonly subfield: string
  readonly value: Scalar
}

export interface RowSource {
  readonly kind: string
  /** Filters that every record of the source matches. */
  readonly filters: Filters | undefined
  /** True if a record may supersede another record and hide it. */
  readonly canSupersede: boolean
  /** The field with the time from which default queries leave the record out. */
  readonly expiryField?: string | undefined
  /**
   * Returns the row of a record. Undefined: the record does not belong to this collection. Throws if the record is no
   * valid row.
   */
  rowOf(record: FoundRecord): { readonly key: RowKey; readonly row: object } | undefined
  /** Returns a hash of the record's content, equal for an unchanged row. */
  hashOf(record: FoundRecord): string
  /** Returns the path in the record of a row's field. */
  fieldPath(path: readonly string[]): string
  /** Subfields with numbers that filters can't compare, such as `.$number`. */
  readonly incomparableSubfields: readonly string[]
  /**
   * Converts a value of a query to the form in records. `isOrder`: the query compares by order, not equality.
   * Undefined: filters can't compare the value.
   */
  toOperand(value: unknown, isOrder: boolean): Operand | undefined
}

const toScalarOperand = (value: unknown): Operand | undefined => {
  const isScalar = typeof value === 'string' || typeof value === 'boolean'
  return isScalar || (typeof value === 'number' && (isPlainNumber(value) || value === 0))
    ? { subfield: '', value: value as Scalar }
    : undefined
}

/** `Kind.expires` of the kinds that have it. */
const expiryFieldByKind: Readonly<Record<string, string>> = {
  fact: 'valid_until',
  inbox: 'expiresAt',
  message: 'archived_at',
  perception: 'valid_until',
  rule: 'valid_until',
  thought: 'archived_at',
}

/** Source of the records of `kind` that match `filters`. The key of a row is the id; for skills the name. */
export function recordSource(kind: string, filters: Filters | undefined): RowSource {
  return {
    kind,
    filters,
    // The kinds with `supersedes: true` in `Kind.cites`.
    canSupersede: kind === 'fact' || kind === 'memory',
    expiryField: expiryFieldByKind[kind],
    rowOf: (record) => {
      const key = kind === 'skill' ? String((record as JsonObject)['name']) : record.id
      return { key, row: structuredClone(record) }
    },
    hashOf: (record) => nameHash(JSON.stringify(record)),
    fieldPath: (path) => path.join('.'),
    incomparableSubfields: [],
    // A filter compares a date such as `2026-01-31` as a whole day, a page as text: compare only full times by order.
    toOperand: (value, isOrder) =>
      isOrder && typeof value === 'string' && !canonicalTimePattern.test(value)
        ? undefined
        : toScalarOperand(value),
  }
}

/** Matches a time as the book writes it. */
export const canonicalTimePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Returns the document key of a row. The number 1 and the text '1' get different keys. */
export function documentKeyOf(key: RowKey): string {
  if (typeof key === 'number') return `#${key}`
  return key === '' || key.startsWith('#') || key.startsWith('\\') ? `\\${key}` : key
}

/**
 * Source of a program's own rows: documents of `folder`. `documentKeyOf` derives the key of a document from the row's
 * key.
 */
export function documentSource(folder: string, getKey: (row: never) => RowKey): RowSource {
  return {
    kind: 'document',
    filters: { folder },
    canSupersede: false,
    rowOf: ({ key: name, value }: JsonObject) => {
      const row = fieldsFromJson(value as JsonObject, { strict: true })
      const key = keyOf(row, getKey)
      // A document whose key doesn't match its row is no row.
      return key !== undefined && documentKeyOf(key) === name ? { key, row } : undefined
    },
    hashOf: (record) => nameHash(JSON.stringify((record as JsonObject)['value'])),
    fieldPath: (path) => `value.${path.join('.')}`,
    incomparableSubfields: [`.${numberField}`],
    toOperand(value) {
      if (value instanceof Date) {
        const isWritten = !Number.isNaN(value.getTime()) && /^\d/.test(value.toISOString())
        return isWritten ? { subfield: `.${dateField}`, value: value.toISOString() } : undefined
      }
      return toScalarOperand(value)
    },
  }
}

/** Converts a value that the query compares for equality; unlike `toOperand`, also a bigint. */
export function toEqualityOperand(source: RowSource, value: unknown): Operand | undefined {
  const isOwnBigint = typeof value === 'bigint' && source.kind === 'document'
  return isOwnBigint ? { subfield: `.${bigintField}`, value: String(value) } : source.toOperand(value, false)
}

/** Returns the id of the record that `record` supersedes. */
export function supersededIdOf(record: FoundRecord): string | undefined {
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
