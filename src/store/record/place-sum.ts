// The sum of a book as its mirror has it: over the places of its records in the mirror's sequence. A place names one
// version of one record for good, so equal sums mean equal copies. At the mirror it is kept with each change.
// Invariant: tombstones at or below the floor are counted on neither side.
import { markName } from '../../core/mark/mark-id.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import type { Settings } from '../schema/settings.ts'
import { isOfCarried, marksRange } from './carried.ts'

/** How many places, their sum, and the sum of the squares of their remainders by 65521: below 2^53 for 10^6 places. */
export interface PlaceSum {
  readonly n: number
  readonly sum: number
  readonly squares: number
}

export interface PlaceSums {
  /** At the mirror: what stands there now, of all kinds or of some. `carried`: those that a guest may fetch. */
  kept(kinds?: readonly string[], carried?: readonly string[]): PlaceSum
  /** At the mirror: a record of `kind` moved from place `before` (0: it is new) to `after` (0: it is gone). */
  move(kind: string, before: number, after: number): void
  /** At the mirror: adds up anew what is kept. */
  rebuild(): void
  /** Adds up the places above `from`, up to `to`. */
  add(range: PlaceRange): PlaceSum
}

export interface PlaceRange {
  readonly from: number
  readonly to: number
  readonly kinds?: readonly string[] | undefined
  /** The kinds that a guest may fetch: of marks those count that are of a record of them. */
  readonly carried?: readonly string[] | undefined
}

const prime = 65_521
const nothing: PlaceSum = { n: 0, sum: 0, squares: 0 }
const columns = `count(*) AS n, coalesce(sum(place), 0) AS sum, coalesce(sum((place % ${prime}) * (place % ${prime})), 0) AS squares`

export function createPlaceSums(db: SqlDatabase, settings: Settings): PlaceSums {
  const read = (kind: string) => decode(settings.get(`sum:${kind}`))
  /** Those for a guest are not kept: which they are changes with other records. */
  const marks = ({ from, to, carried }: PlaceRange): PlaceSum =>
    db.get<PlaceSum & SqlRow>(
      `SELECT ${columns} FROM records r WHERE ${marksRange} AND +r.place > ? AND +r.place <= ? AND ${isOfCarried}`,
      [from, to, JSON.stringify(carried)],
    ) ?? nothing
  /** `add` over all kinds but marks, and then, where those are asked for, what is for the guest of them. */
  const forGuest = (kinds: readonly string[], range: PlaceRange, add: (kinds: string[]) => PlaceSum) => {
    const others = add(kinds.filter((kind) => kind !== markName))
    return kinds.includes(markName) ? plus(others, marks(range)) : others
  }
  const sumKept = (kinds: readonly string[]) => kinds.map(read).reduce(plus, nothing)
  const sums: PlaceSums = {
    kept(kinds, carried) {
      if (kinds && carried)
        return forGuest(kinds, { from: 0, to: settings.getNumber('head'), carried }, sumKept)
      if (kinds) return sumKept(kinds)
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
      settings.removeRange('sum:', 'sum;')
      for (const { kind, ...sum } of db.all<PlaceSum & SqlRow & { kind: string }>(
        `SELECT kind, ${columns} FROM records WHERE place > 0 GROUP BY kind`,
      )) {
        settings.set(`sum:${kind}`, [sum.n, sum.sum, sum.squares].join(' '))
      }
    },
    add({ from, to, kinds, carried }) {
      if (kinds && carried)
        return forGuest(kinds, { from, to, carried }, (others) => sums.add({ from, to, kinds: others }))
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
  return sums
}

function decode(text: string | undefined): PlaceSum {
  const [n = 0, sum = 0, squares = 0] = (text ?? '').split(' ').map(Number)
  return { n, sum, squares }
}

function plus(one: PlaceSum, other: PlaceSum): PlaceSum {
  return { n: one.n + other.n, sum: one.sum + other.sum, squares: one.squares + other.squares }
}
