// A page of rows in the order of its keys: as it is answered, and of two stores as one.
import type { RecordPage } from '../../core/capability/port/record-port.ts'
import type { SqlValue } from '../../core/ports.ts'
import { encodeCursor, keyName, type OrderKey } from './cursor.ts'
import { type RecordRow, toRecord } from '../schema/record-row.ts'

export interface OrderedRows {
  /** With the values of the order keys, and one row more than asked for when there are more. */
  readonly rows: readonly RecordRow[]
  readonly keys: readonly OrderKey[]
}

/** A page as it is answered. `isBound`: its cursor carries ids, because numbers give away how many records there are. */
export function toPage({ rows, keys }: OrderedRows, limit = 100, isBound = false): RecordPage {
  const page = rows.slice(0, limit)
  const records = page.map((row) => toRecord(row))
  const last = page.at(-1)
  if (rows.length <= limit || !last) return { records }
  return { records, cursor: encodeCursor(last, keys.length, isBound ? 'id' : 'seq') }
}

/** Rows of two stores, each in the order of `keys`, in that order. */
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

/** As SQLite compares: numbers before texts before BLOBs, texts by their bytes in UTF-8. */
function compareValues(one: SqlValue, other: SqlValue): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other || 0
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other)
  return rankOf(one) - rankOf(other)
}

/** UTF-8 sorts as code points do; JavaScript sorts halves of pairs before the last characters of one unit. */
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
