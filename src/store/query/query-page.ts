// Pages of rows: their order, the merge of rows of two stores, and keyset cursors, which encode the last row of a
// page. A record that is added between pages neither repeats nor hides another.
// Invariant: ascending, numbers come before texts; descending, texts before numbers. Missing values come last in
// both.
import type { RecordPage } from '../../core/capability/port/record-port.ts'
import { DaybookError } from '../../core/errors.ts'
import { checkPath } from '../../core/json/path.ts'
import type { Kind } from '../../core/kind.ts'
import type { SqlRow, SqlValue } from '../../core/ports.ts'
import { type FieldPlace, fieldPlaceOf, type Fragment } from '../schema/column.ts'
import { type RecordRow, toRecord } from '../schema/record-row.ts'

export interface OrderedRows {
  /** Each row has the values of the order keys. One row more than the limit when another page follows. */
  readonly rows: readonly RecordRow[]
  readonly keys: readonly OrderKey[]
}

/**
 * `isBound`: for a guest. Its cursor has the id of the last record, because a number reveals how many records exist.
 */
export function toPage({ rows, keys }: OrderedRows, limit = 100, isBound = false): RecordPage {
  const page = rows.slice(0, limit)
  const records = page.map((row) => toRecord(row))
  const last = page.at(-1)
  if (rows.length <= limit || !last) return { records }
  return { records, cursor: encodeCursor(last, keys.length, isBound ? 'id' : 'seq') }
}

/** Merges rows of two stores in the order of `keys`. */
export function mergeRows(
  first: readonly RecordRow[],
  second: readonly RecordRow[],
  keys: readonly OrderKey[],
): RecordRow[] {
  const lastDescending = keys.at(-1)?.descending ?? false
  return [...first, ...second].sort((a, b) => {
    for (const [i, { descending }] of keys.entries()) {
      const order = compareValues(a[orderColumn(i)] ?? null, b[orderColumn(i)] ?? null)
      if (order !== 0) return descending ? -order : order
    }
    return lastDescending ? b.seq - a.seq : a.seq - b.seq
  })
}

const typeRank = (value: SqlValue) =>
  value === null ? 0 : typeof value === 'number' ? 1 : typeof value === 'string' ? 2 : 3

/** Compares like SQLite: numbers before texts before BLOBs, texts by their bytes in UTF-8. */
function compareValues(a: SqlValue, b: SqlValue): number {
  // Missing values may be minus infinity, and the difference of two is NaN.
  if (typeof a === 'number' && typeof b === 'number') return a - b || 0
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  return typeRank(a) - typeRank(b)
}

/**
 * Compares by code points, like UTF-8. JavaScript compares UTF-16 units, which puts surrogates before U+E000 to
 * U+FFFF.
 */
function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  const length = Math.min(one.length, other.length)
  for (let i = 0; i < length; i++) {
    const a = one.charCodeAt(i)
    const b = other.charCodeAt(i)
    if (a !== b) return codePointOrder(a) - codePointOrder(b)
  }
  return one.length - other.length
}

const codePointOrder = (unit: number) =>
  unit >= 0xd800 && unit < 0xe000 ? unit + 0x2000 : unit >= 0xe000 ? unit - 0x800 : unit

/** SQL of a sort value, and its direction. */
export interface OrderKey extends Fragment {
  readonly descending: boolean
}

const maxOrderKeys = 3
/** Texts sort by their first bytes only, so that a cursor has a limited length. */
const maxTextKeyBytes = 4000
const maxCursorLength = 40_000
const cursorPrefix = 'c1.'

/**
 * Parses `orderBy`: a path, or up to three; `-` before a path means descending. Default: latest `happened_at` first.
 * Throws `invalid-filter`. `orderSql` adds the record number, so the order is total.
 */
export function parseOrder(
  orderBy: string | readonly string[] | undefined,
  kind: Kind | undefined,
): OrderKey[] {
  const paths = orderBy === undefined ? [] : typeof orderBy === 'string' ? [orderBy] : orderBy
  if (paths.length > maxOrderKeys) throw invalidFilter('orderBy', `At most ${maxOrderKeys} order keys`)
  if (paths.length === 0) return [{ sql: 'f.happened_at', params: [], descending: true }]
  return paths.map((text, i) => {
    const descending = text.startsWith('-')
    const path = text.slice(descending ? 1 : 0)
    if (path.startsWith('-')) throw invalidFilter(`orderBy.${i}`, 'Write one `-` before a path')
    const place = fieldPlaceOf(checkPath(path, `orderBy.${i}`), kind)
    return { ...orderValueSql(place, missingValueSql(descending)), descending }
  })
}

/** SQL of a missing value: greater than any number or text; descending, less than any. */
const missingValueSql = (descending: boolean): string => (descending ? '-9e999' : "x''")

/**
 * The sort value of a record: never NULL, and exact in a cursor. So texts are hexadecimal, which sorts like bytes
 * and keeps lone surrogates, and integers are doubles, because JavaScript can't represent all 64-bit integers.
 * `place`: of the field, a hot column or a path in the body.
 */
function orderValueSql(place: FieldPlace, missing: string): Fragment {
  if (place.at === 'column') {
    if (!place.optional) return { sql: place.sql, params: [] }
    const value = place.type === 'text' ? textKeySql(place.sql) : place.sql
    return { sql: `CASE WHEN ${place.sql} IS NULL THEN ${missing} ELSE ${value} END`, params: [] }
  }
  const value = `CASE typeof(v) WHEN 'text' THEN ${textKeySql('v')}
    WHEN 'integer' THEN CAST(v AS REAL) ELSE ifnull(v, ${missing}) END`
  return { sql: `(SELECT ${value} FROM (SELECT json_extract(r.body, ?) AS v))`, params: [place.jsonPath] }
}

const textKeySql = (sql: string): string => `hex(substr(CAST(${sql} AS BLOB), 1, ${maxTextKeyBytes}))`

/** The column name of the `i`th order key. */
export const orderColumn = (i: number): string => `k${i}`

/** `ORDER BY` terms over the selected values of `keys`. */
export function orderSql(keys: readonly OrderKey[]): string {
  const terms = keys.map(({ descending }, i) => `${orderColumn(i)}${descending ? ' DESC' : ''}`)
  return [...terms, keys.at(-1)?.descending ? 'f.seq DESC' : 'f.seq'].join(', ')
}

/** The number of the record with this id, for the cursors of guests; undefined when the record is not visible. */
export type FindSeqById = (id: string) => number | undefined

/**
 * The condition that a record comes after the last record of `cursor`. If that record is deleted or hidden now, its
 * id breaks ties. An unused id works the same way, so that a forged cursor reveals nothing. Throws `invalid-filter`.
 */
export function afterSql(cursor: string, keys: readonly OrderKey[], findSeqById?: FindSeqById): Fragment {
  const { values, last } = decodeCursor(cursor, keys.length, findSeqById !== undefined)
  const seq = typeof last === 'string' ? findSeqById?.(last) : last
  const tie = seq === undefined ? 'r.id' : 'f.seq'
  // The condition is a lexicographic comparison: an earlier key decides, or is equal and the next one
  // decides.
  values.push(seq ?? last)
  const allKeys = [...keys, { sql: tie, params: [], descending: keys.at(-1)?.descending ?? false }]
  const steps = allKeys.map((key, i): Fragment => {
    const equalBefore = allKeys
      .slice(0, i)
      .map((earlier, j): Fragment => compareSql(earlier, '=', values[j] ?? null))
    const parts = [...equalBefore, compareSql(key, key.descending ? '<' : '>', values[i] ?? null)]
    return {
      sql: `(${parts.map((part) => part.sql).join(' AND ')})`,
      params: parts.flatMap((part) => part.params),
    }
  })
  return {
    sql: `(${steps.map((step) => step.sql).join(' OR ')})`,
    params: steps.flatMap((step) => step.params),
  }
}

function compareSql(key: OrderKey, sign: string, value: SqlValue): Fragment {
  if (value === null)
    return { sql: `${key.sql} ${sign} ${missingValueSql(key.descending)}`, params: key.params }
  return { sql: `${key.sql} ${sign} ?`, params: [...key.params, value] }
}

/** The cursor of a page whose last row is `row`, which has the values of the order keys. */
export function encodeCursor(row: SqlRow, keyCount: number, last: 'seq' | 'id' = 'seq'): string {
  const values = Array.from({ length: keyCount }, (_, i) => {
    const value = row[orderColumn(i)]
    // A missing value, `x''` or minus infinity, is null in a cursor.
    return typeof value === 'string' || Number.isFinite(value) ? value : null
  })
  return cursorPrefix + encodeURIComponent(JSON.stringify([...values, row[last]]))
}

/** `isBound`: the cursor has the id of the last record, otherwise its number. */
function decodeCursor(
  cursor: string,
  keyCount: number,
  isBound: boolean,
): { readonly values: (string | number | null)[]; readonly last: string | number } {
  try {
    if (!cursor.startsWith(cursorPrefix) || cursor.length > maxCursorLength) throw new Error('not a cursor')
    const values: unknown = JSON.parse(decodeURIComponent(cursor.slice(cursorPrefix.length)))
    const isValid = (value: unknown) => value === null || typeof value === 'string' || Number.isFinite(value)
    if (!Array.isArray(values) || values.length !== keyCount + 1 || !values.every(isValid))
      throw new Error('not a cursor')
    const last: unknown = values.pop()
    if (isBound ? typeof last !== 'string' : !Number.isSafeInteger(last)) throw new Error('not a cursor')
    return { values: values as (string | number | null)[], last: last as string | number }
  } catch (cause) {
    throw new DaybookError('invalid-filter', 'The cursor belongs to another query. Start again without it.', {
      details: { path: 'cursor' },
      cause,
    })
  }
}

function invalidFilter(path: string, message: string): DaybookError {
  return new DaybookError('invalid-filter', `${message}.`, { details: { path } })
}
