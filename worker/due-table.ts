// What a book's object has to do later, by name: an object has one alarm, and this table says what for.
// Invariant: a job stands here until it is taken; who plans it again before that moves it, and the alarm rings for the first.
// Nobody else reads or writes the table: it is this host's own, and is among the tables of every book only so that its
// migrations are one list.
import type { SqlDatabase } from '../src/core/ports.ts'

export interface DueTable {
  /** Plans `job` for `atMs` (milliseconds since 1970 UTC), in place of when it was planned before. */
  plan(job: string, atMs: number): void
  /** Plans `job` for `atMs`, unless it is planned for earlier. */
  sooner(job: string, atMs: number): void
  /** Plans `job`, unless it is planned already. */
  ensure(job: string, atMs: number): void
  /** `job` is not to be done any more. */
  drop(job: string): void
  /** Takes out the jobs that are due. */
  take(nowMs: number): string[]
  /** When the first is due. */
  next(): number | undefined
}

export function createDueTable(db: SqlDatabase): DueTable {
  return {
    plan: (job, atMs) => db.run('INSERT OR REPLACE INTO due_jobs (job, at_ms) VALUES (?, ?)', [job, atMs]),
    sooner: (job, atMs) =>
      db.run(
        'INSERT INTO due_jobs (job, at_ms) VALUES (?, ?) ON CONFLICT (job) DO UPDATE SET at_ms = min(at_ms, excluded.at_ms)',
        [job, atMs],
      ),
    ensure: (job, atMs) => db.run('INSERT OR IGNORE INTO due_jobs (job, at_ms) VALUES (?, ?)', [job, atMs]),
    drop: (job) => db.run('DELETE FROM due_jobs WHERE job = ?', [job]),
    take: (nowMs) =>
      db
        .all<{ job: string }>('DELETE FROM due_jobs WHERE at_ms <= ? RETURNING job', [nowMs])
        .map(({ job }) => job),
    next: () => db.get<{ at: number | null }>('SELECT min(at_ms) AS at FROM due_jobs')?.at ?? undefined,
  }
}
