// Sums over the places of records in the mirror's sequence, to compare copies of a book. A place belongs to one
// version of one record for ever, so equal sums mean equal copies, almost certainly. The mirror updates its sums
// with each change.
// Invariant: tombstones at or below the floor, the place up to which the mirror has removed them, count neither at the
// mirror nor on a device.
import { markName } from '../../core/mark.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import type { Settings } from '../schema/settings.ts'
import { isMarkOfFetchableSql, allMarksSql } from './carried.ts'

/** The count of places (`n`), their sum, and the sum of `(place % 65521)²`: below 2^53 for 10^6 places. */
export interface PlaceSum {
  readonly n: number
  readonly sum: number
  readonly squares: number
}

/** The places above `from`, up to and including `to`. */
export interface PlaceRange {
  readonly from: number
  readonly to: number
  /** Undefined: all kinds. */
  readonly kinds?: readonly string[] | undefined
  /** The kinds that a guest may fetch: only marks of records of these kinds count. Undefined: all marks. */
  readonly fetchableKinds?: readonly string[] | undefined
}

/** The largest prime below 2^16. */
const modulus = 65_521
const zeroSum: PlaceSum = { n: 0, sum: 0, squares: 0 }
const columns = `count(*) AS n, coalesce(sum(place), 0) AS sum, coalesce(sum((place % ${modulus}) * (place % ${modulus})), 0) AS squares`

export class PlaceSums {
  readonly #db: SqlDatabase
  readonly #settings: Settings

  constructor(db: SqlDatabase, settings: Settings) {
    this.#db = db
    this.#settings = settings
  }

  /** At the mirror: the present sum. Without `kinds`: of all kinds. `fetchableKinds`: see `PlaceRange`. */
  currentSum(kinds?: readonly string[], fetchableKinds?: readonly string[]): PlaceSum {
    const sumOf = (names: readonly string[]) => names.map((kind) => this.#read(kind)).reduce(addSums, zeroSum)
    if (kinds && fetchableKinds) {
      // `head` is the last place of the sequence.
      const range = { from: 0, to: this.#settings.getNumber('head'), fetchableKinds }
      return this.#forGuest(kinds, range, sumOf)
    }
    if (kinds) return sumOf(kinds)
    const rows = this.#db.all<{ value: string }>(
      "SELECT value FROM book WHERE key >= 'sum:' AND key < 'sum;'",
    )
    return rows.map(({ value }) => decodeSum(value)).reduce(addSums, zeroSum)
  }

  /** At the mirror: call it when a record of `kind` moves from place `before` (0: new) to `after` (0: removed). */
  movePlace(kind: string, before: number, after: number): void {
    const { n, sum, squares } = this.#read(kind)
    this.#write(kind, {
      n: n + (after > 0 ? 1 : 0) - (before > 0 ? 1 : 0),
      sum: sum + after - before,
      squares: squares + (after % modulus) ** 2 - (before % modulus) ** 2,
    })
  }

  /** At the mirror: computes the stored sums again from the records. */
  rebuild(): void {
    this.#settings.removeRange('sum:', 'sum;')
    const rows = this.#db.all<PlaceSum & SqlRow & { kind: string }>(
      `SELECT kind, ${columns} FROM records WHERE place > 0 GROUP BY kind`,
    )
    for (const { kind, ...sum } of rows) this.#write(kind, sum)
  }

  /** The sum of the places in a range, computed from the records. */
  sumRange({ from, to, kinds, fetchableKinds }: PlaceRange): PlaceSum {
    if (kinds && fetchableKinds)
      return this.#forGuest(kinds, { from, to, fetchableKinds }, (kindsButMarks) =>
        this.sumRange({ from, to, kinds: kindsButMarks }),
      )
    const inRange = `SELECT ${columns} FROM records WHERE place > ? AND place > 0 AND place <= ?`
    const found = kinds
      ? this.#db.get<PlaceSum & SqlRow>(`${inRange} AND kind IN (SELECT value FROM json_each(?))`, [
          from,
          to,
          JSON.stringify(kinds),
        ])
      : this.#db.get<PlaceSum & SqlRow>(inRange, [from, to])
    return found ?? zeroSum
  }

  /** The sum that `sumOf` computes for all kinds but marks, plus the marks that the guest may fetch. */
  #forGuest(kinds: readonly string[], range: PlaceRange, sumOf: (kinds: string[]) => PlaceSum): PlaceSum {
    const sumButMarks = sumOf(kinds.filter((kind) => kind !== markName))
    return kinds.includes(markName) ? addSums(sumButMarks, this.#guestMarks(range)) : sumButMarks
  }

  /**
   * Sums the marks that a guest may fetch. The mirror stores no such sum, because it changes with the marked
   * records. The plus before a column makes SQLite use the ids of marks, not the index of places.
   */
  #guestMarks({ from, to, fetchableKinds }: PlaceRange): PlaceSum {
    const found = this.#db.get<PlaceSum & SqlRow>(
      `SELECT ${columns} FROM records r WHERE ${allMarksSql} AND +r.place > ? AND +r.place <= ? AND ${isMarkOfFetchableSql}`,
      [from, to, JSON.stringify(fetchableKinds)],
    )
    return found ?? zeroSum
  }

  #read(kind: string): PlaceSum {
    return decodeSum(this.#settings.get(`sum:${kind}`))
  }

  #write(kind: string, { n, sum, squares }: PlaceSum): void {
    this.#settings.set(`sum:${kind}`, [n, sum, squares].join(' '))
  }
}

function decodeSum(text: string | undefined): PlaceSum {
  const [n = 0, sum = 0, squares = 0] = (text ?? '').split(' ').map(Number)
  return { n, sum, squares }
}

function addSums(a: PlaceSum, b: PlaceSum): PlaceSum {
  return { n: a.n + b.n, sum: a.sum + b.sum, squares: a.squares + b.squares }
}
