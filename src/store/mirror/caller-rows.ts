// Rows about callers in the database of a mirror: token buckets of the book's callers and of the a2p protocol, and
// nonces of signed requests.
// Invariant: a nonce of an agent is accepted once while a request with this nonce is valid.
import type { SqlDatabase } from '../../core/ports.ts'

// A type alias, because an interface has no index signature and so is no `SqlRow`.
/** The tokens left in a bucket, and when they were counted (milliseconds since 1970 UTC). */
export type SavedBucket = { readonly remaining: number; readonly atMs: number }

export interface RateBuckets {
  /** Undefined without a row: the bucket is full. */
  read(caller: string): SavedBucket | undefined
  save(caller: string, bucket: SavedBucket): void
  /** Removes buckets with a time before `ms`. Returns how many are left. */
  removeBefore(ms: number): number
}

export function openRateBuckets(db: SqlDatabase): RateBuckets {
  return {
    read: (caller) =>
      db.get<SavedBucket>('SELECT remaining, at_ms AS atMs FROM rate_buckets WHERE caller = ?', [caller]),
    save: (caller, { remaining, atMs }) =>
      db.run('INSERT OR REPLACE INTO rate_buckets (caller, remaining, at_ms) VALUES (?, ?, ?)', [
        caller,
        remaining,
        atMs,
      ]),
    removeBefore(ms) {
      db.run('DELETE FROM rate_buckets WHERE at_ms < ?', [ms])
      return db.get<{ n: number }>('SELECT count(*) AS n FROM rate_buckets')?.n ?? 0
    },
  }
}

/** The buckets of the a2p protocol: each caller has several, by the names `bucket`. */
export interface AgentBuckets {
  /** Undefined without a row: the bucket is full. */
  read(caller: string, bucket: string): SavedBucket | undefined
  save(caller: string, bucket: string, saved: SavedBucket): void
  /** Removes buckets with a time before `ms`. Returns how many are left. */
  removeBefore(ms: number): number
}

export function openAgentBuckets(db: SqlDatabase): AgentBuckets {
  return {
    read: (caller, bucket) =>
      db.get<SavedBucket>(
        'SELECT remaining, at_ms AS atMs FROM agent_buckets WHERE caller = ? AND bucket = ?',
        [caller, bucket],
      ),
    save: (caller, bucket, { remaining, atMs }) =>
      db.run('INSERT OR REPLACE INTO agent_buckets (caller, bucket, remaining, at_ms) VALUES (?, ?, ?, ?)', [
        caller,
        bucket,
        remaining,
        atMs,
      ]),
    removeBefore(ms) {
      db.run('DELETE FROM agent_buckets WHERE at_ms < ?', [ms])
      return db.get<{ n: number }>('SELECT count(*) AS n FROM agent_buckets')?.n ?? 0
    },
  }
}

export interface AgentNonces {
  /** Stores a nonce until `untilMs`; false when it is stored and valid at `nowMs`. Milliseconds since 1970 UTC. */
  acceptOnce(
    agent: string,
    nonce: string,
    until: { readonly untilMs: number; readonly nowMs: number },
  ): boolean
  /** Removes the nonces that expired before `ms`. Returns how many are left. */
  removeBefore(ms: number): number
}

export function openAgentNonces(db: SqlDatabase): AgentNonces {
  return {
    acceptOnce: (agent, nonce, { untilMs, nowMs }) =>
      db.all(
        `INSERT INTO agent_nonces (agent, nonce, until_ms) VALUES (?, ?, ?)
         ON CONFLICT (agent, nonce) DO UPDATE SET until_ms = excluded.until_ms WHERE until_ms < ?
         RETURNING nonce`,
        [agent, nonce, untilMs, nowMs],
      ).length > 0,
    removeBefore(ms) {
      db.run('DELETE FROM agent_nonces WHERE until_ms < ?', [ms])
      return db.get<{ n: number }>('SELECT count(*) AS n FROM agent_nonces')?.n ?? 0
    },
  }
}
