// The sum of a book as its mirror has it: over the places of its records in the mirror's sequence. A place names one
// version of one record for good, so equal sums mean equal copies. At the mirror it is kept with each change.
// Invariant: tombstones at or below the floor are counted on neither side.
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import type { Settings } from '../schema/settings.ts'

/** How many places, their sum, and the sum of the squares of their remainders by 65521: below 2^53 for 10^6 places. */
export interface PlaceSum {
  readonly n: number
  readonly sum: number
  readonly squares: number
}

export interface PlaceSums {
  /** At the mirror: what stands there now, of all kinds or of some. */
  kept(kinds?: readonly string[]): PlaceSum
  /** At the mirror: a record of `kind` moved from place `before` (0: it is new) to `after` (0: it is gone). */
  move(kind: string, before: number, after: number): void
  /** At the mirror: adds up anew what is kept. */
  rebuild(): void
  /** Adds up the places above `from`, up to `to`. */
  add(range: { from: number; to: number; kinds?: readonly string[] | undefined }): PlaceSum
}

const prime = 65_521
const nothing: PlaceSum = { n: 0, sum: 0, squares: 0 }
const columns = `count(*) AS n, coalesce(sum(place), 0) AS sum, coalesce(sum((place % ${prime}) * (place % ${prime})), 0) AS squares`

export function createPlaceSums(db: SqlDatabase, settings: Settings): PlaceSums {
  const read = (kind: string) => decode(settings.get(`sum:${kind}`))
  return {
    kept(kinds) {
      if (kinds) return kinds.map(read).reduce(plus, nothing)
      const rows = db.all<{ value: string }>("SELECT value FROM book WHERE key >= 'sum:' AND key < 'sum;'")
      return rows.map(({ value }) => decode(value)).reduce(plus, nothing)
    },
    move(kind, before, after) {
      const { n, sum, squares } = read(kind)
      const moved = {
        n: n + (after > 0 ? 1 : 0) - (before > 0 ? 1 : 0),
        sum: sum + after - before,
        squares: squares + (after % prime) ** 2 - (before % prime) ** 2,
      }
      settings.set(`sum:${kind}`, [moved.n, moved.sum, moved.squares].join(' '))
    },
    rebuild() {
      db.run("DELETE FROM book WHERE key >= 'sum:' AND key < 'sum;'")
      for (const { kind, ...sum } of db.all<PlaceSum & SqlRow & { kind: string }>(
        `SELECT kind, ${columns} FROM records WHERE place > 0 GROUP BY kind`,
      )) {
        settings.set(`sum:${kind}`, [sum.n, sum.sum, sum.squares].join(' '))
      }
    },
    add({ from, to, kinds }) {
      const found = kinds
        ? db.get<PlaceSum & SqlRow>(
            `SELECT ${columns} FROM records WHERE place > ? AND place > 0 AND place <= ?
               AND kind IN (SELECT value FROM json_each(?))`,
            [from, to, JSON.stringify(kinds)],
          )
        : db.get<PlaceSum & SqlRow>(
            `SELECT ${columns} FROM records WHERE place > ? AND place > 0 AND place <= ?`,
            [from, to],
          )
      return found ?? nothing
    },
  }
}

function decode(text: string | undefined): PlaceSum {
  const [n = 0, sum = 0, squares = 0] = (text ?? '').split(' ').map(Number)
  return { n, sum, squares }
}

function plus(one: PlaceSum, other: PlaceSum): PlaceSum {
  return { n: one.n + other.n, sum: one.sum + other.sum, squares: one.squares + other.squares }
}
