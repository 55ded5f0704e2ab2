// Derives records in pages. Invariant: a page has few records and, but for a single large one, few bytes, so what runs at one
// go is short however large the records are.
import type { SqlDatabase, SqlValue } from '../../core/ports.ts'
import type { Settings } from '../schema/settings.ts'
import { type DerivedRows, type Source, sourceColumns } from './derived-rows.ts'

/** Bodies may be large: so many are in memory at once, however many share a transaction. */
const mostRecords = 40
/** Bytes of bodies that are derived at one go, twice as many at most: a tenth of a second where they are full of short fields. */
export const sliceBytes = 500_000

interface Taken {
  readonly rows: readonly Source[]
  readonly bytes: number
  /** True when there are no more. */
  readonly isLast: boolean
}

export interface DerivedPagesParts {
  readonly db: SqlDatabase
  readonly settings: Settings
  readonly derived: DerivedRows
}

export class DerivedPages {
  readonly #parts: DerivedPagesParts
  /** Records derived since the book was opened. */
  records = 0
  /** Grows whenever derived rows may have changed. */
  generation = 0

  constructor(parts: DerivedPagesParts) {
    this.#parts = parts
  }

  /**
   * Derives up to `limit` records, and no more once those had so many bytes; true when more are behind. `stale`: some may have
   * changed that were derived before.
   */
  run(limit: number, stale: boolean, bytes = Infinity): boolean {
    for (let left = limit, leftBytes = bytes; left > 0 && leftBytes > 0;) {
      const { rows, bytes: taken, isLast } = this.#runPage(Math.min(mostRecords, left), stale)
      if (isLast) return false
      left -= rows.length
      leftBytes -= taken
    }
    return true
  }

  #runPage(limit: number, stale: boolean): Taken {
    const { db, settings, derived } = this.#parts
    this.generation += 1
    derived.begin()
    if (stale) {
      const taken = this.#take('stale CROSS JOIN records USING (seq)', [], limit)
      for (const row of taken.rows) derived.write(row, false)
      for (const row of taken.rows) db.run('DELETE FROM stale WHERE seq = ?', [row.seq])
      if (!taken.isLast) return taken
    }
    const taken = this.#take('records WHERE seq > ?', [settings.getNumber('derived_seq')], limit)
    for (const row of taken.rows) derived.write(row, true)
    const last = taken.rows.at(-1)
    if (last) settings.set('derived_seq', last.seq)
    return taken
  }

  /** The first records of `from`, as many as have `sliceBytes` together, and one at least. */
  #take(from: string, params: readonly SqlValue[], limit: number): Taken {
    const { db } = this.#parts
    const first = `FROM ${from} ORDER BY seq LIMIT ?`
    const sizes = db.all<{ bytes: number }>(`SELECT octet_length(body) AS bytes ${first}`, [...params, limit])
    let [count, bytes] = [0, 0]
    for (const size of sizes) {
      if (count > 0 && bytes + size.bytes > sliceBytes) break
      count += 1
      bytes += size.bytes
    }
    const rows = count === 0 ? [] : db.all<Source>(`SELECT ${sourceColumns} ${first}`, [...params, count])
    this.records += count
    return { rows, bytes, isLast: count < limit && count === sizes.length }
  }
}
