// Keyset cursors: where a page ended, as opaque text. Records added meanwhile neither repeat nor hide others.
import { DaybookError } from '../core/errors.ts'
import type { Kind } from '../core/kind.ts'
import { checkPath } from '../core/path.ts'
import type { SqlValue } from '../core/ports.ts'
import { type Fragment, placeOf } from './expression.ts'

export interface OrderKey {
  readonly sql: string
  readonly params: readonly SqlValue[]
  readonly descending: boolean
}

const orderKeyLimit = 3
const prefix = 'c1.'

/** Reads `order_by`; the newest record decides between equals, so that the order is total. */
export function parseOrder(orderBy: string | readonly string[] | undefined, kind: Kind | undefined): OrderKey[] {
  const paths = orderBy === undefined ? [] : typeof orderBy === 'string' ? [orderBy] : orderBy
  if (paths.length > orderKeyLimit) throw wrong('order_by', `At most ${orderKeyLimit} order keys`)
  if (paths.length === 0) return [{ sql: 'f.happened_at', params: [], descending: true }]
  return paths.map((text, i) => {
    const descending = text.startsWith('-')
    const place = placeOf(checkPath(descending ? text.slice(1) : text, `order_by.${i}`), kind)
    // What is missing sorts after everything else: an empty BLOB is greater than any number or text.
    if (place.at === 'json') return { sql: "ifnull(json_extract(r.body, ?), x'')", params: [place.jsonPath], descending }
    return { sql: place.optional ? `ifnull(${place.sql}, x'')` : place.sql, params: [], descending }
  })
}

/** `ORDER BY` terms for `keys`. */
export function orderSql(keys: readonly OrderKey[]): Fragment {
  const terms = keys.map(({ sql, descending }) => `${sql}${descending ? ' DESC' : ''}`)
  const last = keys.at(-1)?.descending ? 'f.seq DESC' : 'f.seq'
  return { sql: [...terms, last].join(', '), params: keys.flatMap((key) => key.params) }
}

/** The condition that a record comes after the one at which `cursor` was made. */
export function afterSql(cursor: string, keys: readonly OrderKey[]): Fragment {
  const values = decode(cursor, keys.length)
  const all = [...keys, { sql: 'f.seq', params: [], descending: keys.at(-1)?.descending ?? false }]
  const steps = all.map((key, i): Fragment => {
    const before = all.slice(0, i).map((earlier, j): Fragment => place(earlier, '=', values[j] ?? null))
    const parts = [...before, place(key, key.descending ? '<' : '>', values[i] ?? null)]
    return { sql: `(${parts.map((part) => part.sql).join(' AND ')})`, params: parts.flatMap((part) => part.params) }
  })
  return { sql: `(${steps.map((step) => step.sql).join(' OR ')})`, params: steps.flatMap((step) => step.params) }
}

function place(key: OrderKey, sign: string, value: SqlValue): Fragment {
  if (value === null) return { sql: `${key.sql} ${sign} x''`, params: key.params }
  return { sql: `${key.sql} ${sign} ?`, params: [...key.params, value] }
}

/** Makes a cursor from the order values and the sequence number of the last record of a page. */
export function encodeCursor(values: readonly SqlValue[], seq: number): string {
  const plain = values.map((value) => (value instanceof Uint8Array ? null : value))
  return prefix + encodeURIComponent(JSON.stringify([...plain, seq]))
}

function decode(cursor: string, keyCount: number): (string | number | null)[] {
  try {
    if (!cursor.startsWith(prefix) || cursor.length > 40_000) throw new Error('not a cursor')
    const values: unknown = JSON.parse(decodeURIComponent(cursor.slice(prefix.length)))
    const sound = (value: unknown) => value === null || typeof value === 'string' || typeof value === 'number'
    if (!Array.isArray(values) || values.length !== keyCount + 1 || !values.every(sound)) throw new Error('not a cursor')
    if (!Number.isSafeInteger(values.at(-1))) throw new Error('not a cursor')
    return values as (string | number | null)[]
  } catch (cause) {
    throw new DaybookError('invalid-filter', 'The cursor is not one of this query.', { details: { path: 'cursor' }, cause })
  }
}

function wrong(path: string, message: string): DaybookError {
  return new DaybookError('invalid-filter', `${message}.`, { details: { path } })
}
