// What each caller has left to ask over the a2p protocol, as a mirror that keeps its book in one database writes it down.
import type { SqlDatabase } from '../../core/ports.ts'
import type { SavedBucket } from './rate-buckets.ts'

export interface AgentBuckets {
  /** Undefined for a bucket that is full. */
  read(caller: string, bucket: string): SavedBucket | undefined
  save(caller: string, bucket: string, saved: SavedBucket): void
  /** Removes those last saved before `ms`; answers how many are left. */
  forgetBefore(ms: number): number
}

export function openAgentBuckets(db: SqlDatabase): AgentBuckets {
  return {
    read: (caller, bucket) =>
      db.get<SavedBucket>(
        'SELECT left_over AS left, at_ms AS atMs FROM agent_buckets WHERE caller = ? AND bucket = ?',
        [caller, bucket],
      ),
    save: (caller, bucket, { left, atMs }) =>
      db.run('INSERT OR REPLACE INTO agent_buckets (caller, bucket, left_over, at_ms) VALUES (?, ?, ?, ?)', [
        caller,
        bucket,
        left,
        atMs,
      ]),
    forgetBefore(ms) {
      db.run('DELETE FROM agent_buckets WHERE at_ms < ?', [ms])
      return db.get<{ n: number }>('SELECT count(*) AS n FROM agent_buckets')?.n ?? 0
    },
  }
}
