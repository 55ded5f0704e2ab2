// Where the newest records of a mirror stand in its sequence, by kind.
import type { SqlDatabase } from '../../core/ports.ts'
import { markName } from '../../core/mark/mark-id.ts'
import { markedKind } from './carried.ts'

/** The highest place of a record of this kind. `marked`: the kind of the records that these marks are of. */
// An alias, as rows of SQL have index signatures, which interfaces lack.
export type LatestPlace = { readonly kind: string; readonly marked: string | null; readonly place: number }

/** The kinds of which something was written after `place`. */
export function latestPlaces(db: Pick<SqlDatabase, 'all'>, place: number): LatestPlace[] {
  return db.all<LatestPlace>(
    `SELECT r.kind, ${markedKind} AS marked, max(r.place) AS place FROM records r WHERE r.place > ? GROUP BY 1, 2`,
    [place],
  )
}

/** True where somebody who may fetch `kinds` finds something new there. */
export function isNewTo(kinds: readonly string[], { kind, marked }: LatestPlace): boolean {
  return kinds.includes(kind) && (kind !== markName || (marked !== null && kinds.includes(marked)))
}
