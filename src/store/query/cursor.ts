// Order, and keyset cursors: where a page ended, as opaque text. Records added meanwhile neither repeat nor hide others.
// Invariant: numbers come before texts, and what is missing comes last, whichever way the order runs.
import { DaybookError } from '../../core/errors.ts'
import type { Kind } from '../../core/kind.ts'
import { checkPath } from '../../core/json/path.ts'
import type { SqlRow, SqlValue } from '../../core/ports.ts'
import { type Fragment, type Place, placeOf } from '../schema/column.ts'

export interface OrderKey extends Fragment {
  readonly descending: boolean
}

const orderKeyLimit = 3
/** Texts are ordered by their first bytes, so that a cursor stays short. */
const textBytes = 4000
const cursorLength = 40_000
const prefix = 'c1.'

/** Reads `order_by`; the newest record decides between equals, so that the order is total. */
export function parseOrder(
  orderBy: string | readonly string[] | undefined,
  kind: Kind | undefined,
): OrderKey[] {
  const paths = orderBy === undefined ? [] : typeof orderBy === 'string' ? [orderBy] : orderBy
  if (paths.length > orderKeyLimit) throw wrong('order_by', `At most ${orderKeyLimit} order keys`)
  if (paths.length === 0) return [{ sql: 'f.happened_at', params: [], descending: true }]
  return paths.map((text, i) => {
    const descending = text.startsWith('-')
    const place = placeOf(checkPath(descending ? text.slice(1) : text, `order_by.${i}`), kind)
    return { ...orderValue(place, missing(descending)), descending }
  })
}

/** Greater than any number or text, or less than any. */
const missing = (descending: boolean): string => (descending ? '-9e999' : "x''")

/**
 * What a record sorts by: never NULL, and a value that a cursor can carry. Hence hexadecimal, which sorts as the
 * bytes do and survives halves of characters, and doubles for integers that JavaScript has no number for.
 */
function orderValue(place: Place, missing: string): Fragment {
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

/** The name under which a query selects the value of its `i`th order key. */
export const keyName = (i: number): string => `k${i}`

/** `ORDER BY` terms over the selected values of `keys`. */
export function orderSql(keys: readonly OrderKey[]): string {
  const terms = keys.map(({ descending }, i) => `${keyName(i)}${descending ? ' DESC' : ''}`)
  return [...terms, keys.at(-1)?.descending ? 'f.seq DESC' : 'f.seq'].join(', ')
}

/**
 * The number of a record by its id. The cursors of those who may not see everything carry ids: numbers give away how
 * many records there are.
 */
export type PlaceById = (id: string) => number | undefined

/**
 * The condition that a record comes after the one at which `cursor` was made. Where that one is gone since, or was taken out of
 * the caller's sight, its id alone tells what comes after it among its equals: so does it for an id that nothing ever had, and
 * a cursor that somebody made up tells nothing of what is there.
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

/** The cursor of a page that ended with `row`, which has the values of the order keys among its columns. */
export function encodeCursor(row: SqlRow, keyCount: number, last: 'seq' | 'id' = 'seq'): string {
  const values = Array.from({ length: keyCount }, (_, i) => {
    const value = row[keyName(i)]
    // What is missing, `x''` or minus infinity, is null in a cursor.
    return typeof value === 'string' || Number.isFinite(value) ? value : null
  })
  return prefix + encodeURIComponent(JSON.stringify([...values, row[last]]))
}

/** `isBound`: of somebody whose cursors name the last record by its id, and by its number otherwise. */
function decode(
  cursor: string,
  keyCount: number,
  isBound: boolean,
): { readonly values: (string | number | null)[]; readonly last: string | number } {
  try {
    if (!cursor.startsWith(prefix) || cursor.length > cursorLength) throw new Error('not a cursor')
    const values: unknown = JSON.parse(decodeURIComponent(cursor.slice(prefix.length)))
    const sound = (value: unknown) => value === null || typeof value === 'string' || Number.isFinite(value)
    if (!Array.isArray(values) || values.length !== keyCount + 1 || !values.every(sound))
      throw new Error('not a cursor')
    const last: unknown = values.pop()
    if (isBound ? typeof last !== 'string' : !Number.isSafeInteger(last)) throw new Error('not a cursor')
    return { values: values as (string | number | null)[], last: last as string | number }
  } catch (cause) {
    throw new DaybookError('invalid-filter', 'The cursor is not one of this query.', {
      details: { path: 'cursor' },
      cause,
    })
  }
}

function wrong(path: string, message: string): DaybookError {
  return new DaybookError('invalid-filter', `${message}.`, { details: { path } })
}
