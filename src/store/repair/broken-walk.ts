// Walks over the rows of a table in a damaged database, around the unreadable pages.
// Invariant: the keys of one run strictly ascend or descend, so the walk ends even when a broken page returns
// endless rows.
import { isDaybookError } from '../../core/errors.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'

const pageRows = 200
/** No row number is above this. */
const maxRowid = 2 ** 40

type Keys = readonly SqlValue[]

/** Passes every readable row to `onRow`, in the order of `keys` as far as possible. True when these are all rows. */
export function walkTable(
  from: SqlDatabase,
  table: string,
  keys: readonly string[],
  onRow: (row: SqlRow) => void,
): boolean {
  return createTableWalk(from, table, keys)(onRow)
}

function createTableWalk(from: SqlDatabase, table: string, keys: readonly string[]) {
  const list = keys.join(', ')
  const named = keys.map((key, i) => `${key} AS k${i}`).join(', ')
  const placeholders = keys.map(() => '?').join(', ')
  const sql = {
    first: `SELECT ${named}, * FROM ${table} ORDER BY ${list} LIMIT ?`,
    after: `SELECT ${named}, * FROM ${table} WHERE (${list}) > (${placeholders}) ORDER BY ${list} LIMIT ?`,
    last: `SELECT ${named}, * FROM ${table} ORDER BY ${keys.map((key) => `${key} DESC`).join(', ')} LIMIT ?`,
    before: `SELECT ${named}, * FROM ${table} WHERE (${list}) < (${placeholders}) ORDER BY ${keys.map((key) => `${key} DESC`).join(', ')} LIMIT ?`,
  }
  const keyOf = (row: SqlRow): Keys => keys.map((_, i) => row[`k${i}`] ?? null)
  /**
   * Reads rows after `cursor` in one direction. `end`: true at the end or when `onRow` returns false, false at an
   * unreadable row. `at`: the keys of the last row that was read; undefined for none.
   */
  const readDirection = (
    direction: 'up' | 'down',
    cursor: Keys | undefined,
    onRow: (row: SqlRow) => boolean | void,
  ): { readonly end: boolean; readonly at: Keys | undefined } => {
    const [begin, next] = direction === 'up' ? [sql.first, sql.after] : [sql.last, sql.before]
    let limit = pageRows
    for (;;) {
      let rows: SqlRow[]
      try {
        rows = cursor === undefined ? from.all(begin, [limit]) : from.all(next, [...cursor, limit])
      } catch (error) {
        if (!isDaybookError(error, 'storage-failed')) throw error
        // After an error it reads single rows, up to the unreadable one.
        if (limit === 1) return { end: false, at: cursor }
        limit = 1
        continue
      }
      for (const row of rows) {
        const key = keyOf(row)
        // A broken page may return rows out of order.
        if (cursor !== undefined && !isBeyond(key, cursor, direction)) return { end: false, at: cursor }
        cursor = key
        if (onRow(row) === false) return { end: true, at: cursor }
      }
      if (rows.length < limit) return { end: true, at: cursor }
    }
  }

  return (take: (row: SqlRow) => void): boolean => {
    try {
      from.get(`SELECT 1 AS one FROM ${table} LIMIT 1`)
    } catch (error) {
      // A book of an earlier schema lacks some tables.
      if (!isDaybookError(error, 'storage-failed')) return true
    }
    const ascending = readDirection('up', undefined, take)
    if (ascending.end) return true
    let last = ascending.at
    const hasRowid = keys.length === 1 && keys[0] === 'rowid'
    // Only a row number can be guessed: this finds rows beyond the broken pages.
    while (hasRowid) {
      const foundRowid = findReadableRowAfter(from, table, Number(last?.[0] ?? -maxRowid))
      if (foundRowid === undefined) break
      // Read the rows between the broken page and the row found after it, downwards.
      const floor = last
      readDirection('down', [foundRowid + 1], (row) => {
        const key = keyOf(row)
        if (floor !== undefined && !isBeyond(key, floor, 'up')) return false
        take(row)
        return true
      })
      const next = readDirection('up', [foundRowid], take)
      if (next.end) return false
      last = next.at
    }
    readDirection('down', undefined, (row) => {
      if (last !== undefined && !isBeyond(keyOf(row), last, 'up')) return false
      take(row)
      return true
    })
    return false
  }
}

/** The number of a readable row after `at`, found in doubling steps; undefined without any. */
function findReadableRowAfter(from: SqlDatabase, table: string, at: number): number | undefined {
  for (let step = 1; step <= maxRowid * 2; step *= 2) {
    try {
      return from.get<{ n: number }>(
        `SELECT rowid AS n FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT 1`,
        [at + step],
      )?.n
    } catch (error) {
      if (!isDaybookError(error, 'storage-failed')) throw error
    }
  }
  return undefined
}

/** True when `key` comes after `other` in the direction. A null value is never beyond. */
function isBeyond(key: Keys, other: Keys, direction: 'up' | 'down'): boolean {
  for (const [i, value] of key.entries()) {
    const otherValue = other[i] ?? null
    if (value === otherValue) continue
    if (value === null || otherValue === null) return false
    return value > otherValue === (direction === 'up')
  }
  return false
}
