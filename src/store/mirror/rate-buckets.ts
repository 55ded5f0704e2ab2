// The token buckets of a book's callers, as a mirror that keeps its book in one database writes them down.
import type { SqlDatabase } from '../../core/ports.ts'

/** How much was left in a bucket, and when (milliseconds since 1970 UTC). */
// An alias, as rows of SQL have index signatures, which interfaces lack.
export type SavedBucket = { readonly left: number; readonly atMs: number }

export interface RateBuckets {
  /** Undefined for a caller whose bucket is full. */
  read(caller: string): SavedBucket | undefined
  save(caller: string, bucket: SavedBucket): void
  /** Removes the buckets that were last saved before `ms`; answers how many are left. */
  forgetBefore(ms: number): number
}

export function openRateBuckets(db: SqlDatabase): RateBuckets {
  return {
    read: (caller) =>
      db.get<SavedBucket>('SELECT left_over AS left, at_ms AS atMs FROM rate_buckets WHERE caller = ?', [
        caller,
      ]),
    save: (caller, { left, atMs }) =>
      db.run('INSERT OR REPLACE INTO rate_buckets (caller, left_over, at_ms) VALUES (?, ?, ?)', [
        caller,
        left,
        atMs,
      ]),
    forgetBefore(ms) {
      db.run('DELETE FROM rate_buckets WHERE at_ms < ?', [ms])
      return db.get<{ n: number }>('SELECT count(*) AS n FROM rate_buckets')?.n ?? 0
    },
  }
}
