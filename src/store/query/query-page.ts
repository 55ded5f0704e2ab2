// Pages of rows: their order, joining those of two stores, and keyset cursors, the end of a page as opaque text. Records
// added between pages neither repeat nor hide others.
// Invariant: numbers come before texts, and missing values come last, in either direction.
import type { RecordPage } from '../../core/capability/port/record-port.ts'
import { DaybookError } from '../../core/errors.ts'
import { checkPath } from '../../core/json/path.ts'
import type { Kind } from '../../core/kind.ts'
import type { SqlRow, SqlValue } from '../../core/ports.ts'
import { type FieldPlace, fieldPlaceOf, type Fragment } from '../schema/column.ts'
import { type RecordRow, toRecord } from '../schema/record-row.ts'

export interface OrderedRows {
  /** With the values of the order keys, and one row more than the limit when there are more. */
  readonly rows: readonly RecordRow[]
  readonly keys: readonly OrderKey[]
}

/** `isBound`: the cursor of a guest has ids, because numbers reveal how many records there are. */
export function toPage({ rows, keys }: OrderedRows, limit = 100, isBound = false): RecordPage {
  const page = rows.slice(0, limit)
  const records = page.map((row) => toRecord(row))
  const last = page.at(-1)
  if (rows.length <= limit || !last) return { records }
  return { records, cursor: encodeCursor(last, keys.length, isBound ? 'id' : 'seq') }
}

/** Joins rows of two stores in the order of `keys`. */
export function mergeRows(
  one: readonly RecordRow[],
  other: readonly RecordRow[],
  keys: readonly OrderKey[],
): RecordRow[] {
  const last = keys.at(-1)?.descending ?? false
  return [...one, ...other].sort((a, b) => {
    for (const [i, { descending }] of keys.entries()) {
      const order = compareValues(a[keyName(i)] ?? null, b[keyName(i)] ?? null)
      if (order !== 0) return descending ? -order : order
    }
    return last ? b.seq - a.seq : a.seq - b.seq
  })
}

const rankOf = (value: SqlValue) =>
  value === null ? 0 : typeof value === 'number' ? 1 : typeof value === 'string' ? 2 : 3

/** Compares like SQLite: numbers before texts before BLOBs, texts by their bytes in UTF-8. */
function compareValues(one: SqlValue, other: SqlValue): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other || 0
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other)
  return rankOf(one) - rankOf(other)
}

/** UTF-8 sorts by code points; JavaScript sorts surrogates before the last characters of one unit. */
function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  const length = Math.min(one.length, other.length)
  for (let i = 0; i < length; i++) {
    const a = one.charCodeAt(i)
    const b = other.charCodeAt(i)
    if (a !== b) return lifted(a) - lifted(b)
  }
  return one.length - other.length
}

const lifted = (unit: number) =>
  unit >= 0xd800 && unit < 0xe000 ? unit + 0x2000 : unit >= 0xe000 ? unit - 0x800 : unit

export interface OrderKey extends Fragment {
  readonly descending: boolean
}

const orderKeyLimit = 3
/** Texts sort by their first bytes only, so that a cursor stays short. */
const textBytes = 4000
const cursorLength = 40_000
const prefix = 'c1.'

/** Parses `orderBy`. The newest record comes first among equals, so the order is total. */
export function parseOrder(
  orderBy: string | readonly string[] | undefined,
  kind: Kind | undefined,
): OrderKey[] {
  const paths = orderBy === undefined ? [] : typeof orderBy === 'string' ? [orderBy] : orderBy
  if (paths.length > orderKeyLimit) throw wrong('orderBy', `At most ${orderKeyLimit} order keys`)
  if (paths.length === 0) return [{ sql: 'f.happened_at', params: [], descending: true }]
  return paths.map((text, i) => {
    const descending = text.startsWith('-')
    const place = fieldPlaceOf(checkPath(descending ? text.slice(1) : text, `orderBy.${i}`), kind)
    return { ...orderValue(place, missing(descending)), descending }
  })
}

/** Greater than any number or text, or less than any. */
const missing = (descending: boolean): string => (descending ? '-9e999' : "x''")

/**
 * The sort value of a record: never NULL, and one that fits a cursor. So texts are hexadecimal, which sorts like bytes and
 * keeps halves of characters, and integers are doubles, because JavaScript can't represent all of SQLite's.
 */
function orderValue(place: FieldPlace, missing: string): Fragment {
  if (place.at === 'column') {
    if (!place.optional) return { sql: place.sql, params: [] }
    const value = place.type === 'text' ? textKey(place.sql) : place.sql
    return { sql: `CASE WHEN ${place.sql} IS NULL THEN ${missing} ELSE ${value} END`, params: [] }
  }
  const value = `CASE typeof(v) WHEN 'text' THEN ${textKey('v')}
    WHEN 'integer' THEN CAST(v AS REAL) ELSE ifnull(v, ${missing}) END`
  return { sql: `(SELECT ${value} FROM (SELECT json_extract(r.body, ?) AS v))`, params: [place.jsonPath] }
}

const textKey = (sql: string): string => `hex(substr(CAST(${sql} AS BLOB), 1, ${textBytes}))`

/** The column name of the `i`th order key. */
export const keyName = (i: number): string => `k${i}`

/** `ORDER BY` terms over the selected values of `keys`. */
export function orderSql(keys: readonly OrderKey[]): string {
  const terms = keys.map(({ descending }, i) => `${keyName(i)}${descending ? ' DESC' : ''}`)
  return [...terms, keys.at(-1)?.descending ? 'f.seq DESC' : 'f.seq'].join(', ')
}

/** The number of a record by its id, for the cursors of guests. */
export type PlaceById = (id: string) => number | undefined

/**
 * The condition that a record comes after the one of `cursor`. If that one is deleted or hidden since, its id breaks ties. An
 * unused id works the same, so that a forged cursor reveals nothing.
 */
export function afterSql(cursor: string, keys: readonly OrderKey[], placeById?: PlaceById): Fragment {
  const { values, last } = decode(cursor, keys.length, placeById !== undefined)
  const seq = typeof last === 'string' ? placeById?.(last) : last
  const tie = seq === undefined ? 'r.id' : 'f.seq'
  values.push(seq ?? last)
  const all = [...keys, { sql: tie, params: [], descending: keys.at(-1)?.descending ?? false }]
  const steps = all.map((key, i): Fragment => {
    const before = all.slice(0, i).map((earlier, j): Fragment => compare(earlier, '=', values[j] ?? null))
    const parts = [...before, compare(key, key.descending ? '<' : '>', values[i] ?? null)]
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

function compare(key: OrderKey, sign: string, value: SqlValue): Fragment {
  if (value === null) return { sql: `${key.sql} ${sign} ${missing(key.descending)}`, params: key.params }
  return { sql: `${key.sql} ${sign} ?`, params: [...key.params, value] }
}

/** The cursor of a page that ended with `row`, which has the values of the order keys. */
export function encodeCursor(row: SqlRow, keyCount: number, last: 'seq' | 'id' = 'seq'): string {
  const values = Array.from({ length: keyCount }, (_, i) => {
    const value = row[keyName(i)]
    // A missing value, `x''` or minus infinity, is null in a cursor.
    return typeof value === 'string' || Number.isFinite(value) ? value : null
  })
  return prefix + encodeURIComponent(JSON.stringify([...values, row[last]]))
}

/** `isBound`: the cursor names the last record by id, otherwise by number. */
function decode(
  cursor: string,
  keyCount: number,
  isBound: boolean,
): { readonly values: (string | number | null)[]; readonly last: string | number } {
  try {
    if (!cursor.startsWith(prefix) || cursor.length > cursorLength) throw new Error('not a cursor')
    const values: unknown = JSON.parse(decodeURIComponent(cursor.slice(prefix.length)))
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

function wrong(path: string, message: string): DaybookError {
  return new DaybookError('invalid-filter', `${message}.`, { details: { path } })
}
