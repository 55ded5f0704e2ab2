// Where the newest records of a mirror stand in its sequence, by kind.
import type { SqlDatabase } from '../../core/ports.ts'

/** The highest place of a record of this kind. */
// An alias, as rows of SQL have index signatures, which interfaces lack.
export type LatestPlace = { readonly kind: string; readonly place: number }

/** The kinds of which something was written after `place`. */
export function latestPlaces(db: Pick<SqlDatabase, 'all'>, place: number): LatestPlace[] {
  return db.all<LatestPlace>('SELECT kind, max(place) AS place FROM records WHERE place > ? GROUP BY kind', [
    place,
  ])
}
