// The durable queue of tasks: a table and the moves of its rows. Everything that changes it runs inside a transaction.
// Invariant: a row is `running` only for the owner that took it, and only that owner's attempt can end it: whoever comes
// late, after its lease was given up, changes nothing.
import type { Json } from '../core/json/path.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../core/ports.ts'
import type { Scope } from '../core/record.ts'
import type { TaskEntry, TaskList, TaskState } from '../core/capability/task.ts'

export interface NewTask {
  readonly id: string
  readonly capability: string
  readonly input: unknown
  readonly scope: Scope
  readonly maxAttempts: number
  readonly dueAt: string
}

/** Names one try of one task. */
export interface Attempt {
  readonly id: string
  readonly owner: string
  readonly number: number
}

export interface TaskError {
  readonly code: string
  readonly message: string
}

export interface TaskQueue {
  add(task: NewTask, now: string): void
  get(id: string): TaskEntry | undefined
  list(query: TaskList): TaskEntry[]
  /** How many tasks wait or run. */
  open(): number
  /** Gives `owner` the task that is due longest, and counts the try. */
  take(owner: string, now: string, leaseUntil: string): TaskEntry | undefined
  /** Prolongs the lease of a try; false when it is not that try's any more. */
  renew(attempt: Attempt, leaseUntil: string): boolean
  finish(attempt: Attempt, result: unknown, now: string): boolean
  /** Ends a try that failed: tried again at `dueAt`, or dead when that is undefined. */
  fail(attempt: Attempt, error: TaskError, dueAt: string | undefined, now: string): boolean
  /**
   * What an owner that is gone left running: waits again at once, or is dead when that was its last try. With `leased`
   * others may be there, and those are gone whose lease has ended.
   */
  recover(owner: string, now: string, leased?: boolean): TaskEntry[]
  /** What `owner` runs waits again, its try not counted: it closes in an orderly way. */
  release(owner: string, now: string): void
  retry(id: string, now: string): boolean
  drop(id: string): boolean
  /** The tasks of these capabilities, in whatever state. */
  of(capabilities: readonly string[]): TaskEntry[]
  /** When the next waiting task is due. */
  nextDue(): string | undefined
  /** When somebody must look again: the next is due, or a try that runs should have ended or shown progress. */
  nextLook(): string | undefined
  isRunning(): boolean
  /** When the first lease of those that run ends. */
  firstLease(): string | undefined
  /** Takes out what was done before `before`, and all but the latest `keep` of what is done. */
  prune(before: string, keep: number): void
}

interface TaskRow extends SqlRow {
  readonly id: string
  readonly capability: string
  readonly input: string
  readonly scope: string
  readonly state: string
  readonly attempts: number
  readonly max_attempts: number
  readonly created_at: string
  readonly updated_at: string
  readonly due_at: string
  readonly lease_until: string | null
  readonly result: string | null
  readonly error_code: string | null
  readonly error_message: string | null
}

const columns =
  'id, capability, input, scope, state, attempts, max_attempts, created_at, updated_at, due_at, lease_until, result, ' +
  'error_code, error_message'
/** Answers longer than this are not kept with their task. */
const resultLimit = 100_000

export function createTaskQueue(db: SqlDatabase): TaskQueue {
  /** Runs a statement that ends in RETURNING; true when it changed a row. */
  const change = (sql: string, params: readonly SqlValue[]) => db.all(sql, params).length > 0
  const mine = "id = ? AND owner = ? AND attempts = ? AND state = 'running'"

  return {
    add({ id, capability, input, scope, maxAttempts, dueAt }, now) {
      db.run(
        `INSERT INTO tasks (id, capability, input, scope, state, attempts, max_attempts, created_at, updated_at, due_at)
         VALUES (?, ?, ?, ?, 'waiting', 0, ?, ?, ?, ?)`,
        [id, capability, JSON.stringify(input ?? null), JSON.stringify(scope), maxAttempts, now, now, dueAt],
      )
    },
    get(id) {
      const row = db.get<TaskRow>(`SELECT ${columns} FROM tasks WHERE id = ?`, [id])
      return row && toEntry(row)
    },
    list({ state, limit }) {
      const rows =
        state === undefined
          ? db.all<TaskRow>(`SELECT ${columns} FROM tasks ORDER BY n DESC LIMIT ?`, [limit])
          : db.all<TaskRow>(`SELECT ${columns} FROM tasks WHERE state = ? ORDER BY n DESC LIMIT ?`, [
              state,
              limit,
            ])
      return rows.map(toEntry)
    },
    open: () =>
      db.get<{ n: number }>("SELECT count(*) AS n FROM tasks WHERE state IN ('waiting', 'running')")?.n ?? 0,
    take(owner, now, leaseUntil) {
      const row = db.get<TaskRow>(
        `SELECT ${columns} FROM tasks WHERE state = 'waiting' AND due_at <= ? ORDER BY due_at, n LIMIT 1`,
        [now],
      )
      if (!row) return undefined
      db.run(
        `UPDATE tasks SET state = 'running', owner = ?, attempts = attempts + 1, lease_until = ?, updated_at = ?
         WHERE id = ?`,
        [owner, leaseUntil, now, row.id],
      )
      return toEntry({ ...row, state: 'running', attempts: row.attempts + 1, lease_until: leaseUntil })
    },
    renew({ id, owner, number }, leaseUntil) {
      return change(`UPDATE tasks SET lease_until = ? WHERE ${mine} RETURNING n`, [
        leaseUntil,
        id,
        owner,
        number,
      ])
    },
    finish({ id, owner, number }, result, now) {
      const text = JSON.stringify(result ?? null)
      return change(
        `UPDATE tasks SET state = 'done', owner = NULL, lease_until = NULL, result = ?, error_code = NULL,
          error_message = NULL, updated_at = ? WHERE ${mine} RETURNING n`,
        [text.length <= resultLimit && !namesSealed(db, text) ? text : null, now, id, owner, number],
      )
    },
    fail({ id, owner, number }, { code, message }, dueAt, now) {
      return change(
        `UPDATE tasks SET state = ?, owner = NULL, lease_until = NULL, due_at = coalesce(?, due_at), error_code = ?,
          error_message = ?, updated_at = ? WHERE ${mine} RETURNING n`,
        [
          dueAt === undefined ? 'dead' : 'waiting',
          dueAt ?? null,
          code,
          message.slice(0, 2000),
          now,
          id,
          owner,
          number,
        ],
      )
    },
    recover: (owner, now, leased = false) =>
      db
        .all<TaskRow>(
          `UPDATE tasks SET state = CASE WHEN attempts < max_attempts THEN 'waiting' ELSE 'dead' END, owner = NULL,
            lease_until = NULL, due_at = ?, error_code = 'engine-died', error_message = ?, updated_at = ?
           WHERE state = 'running' AND owner <> ? AND lease_until < ? RETURNING ${columns}`,
          [now, 'The engine ended in the middle of it.', now, owner, leased ? now : '~'],
        )
        .map(toEntry),
    release(owner, now) {
      db.run(
        `UPDATE tasks SET state = 'waiting', owner = NULL, lease_until = NULL, attempts = attempts - 1, updated_at = ?
         WHERE state = 'running' AND owner = ?`,
        [now, owner],
      )
    },
    retry(id, now) {
      return change(
        `UPDATE tasks SET state = 'waiting', attempts = 0, due_at = ?, updated_at = ?
         WHERE id = ? AND state IN ('dead', 'waiting') RETURNING n`,
        [now, now, id],
      )
    },
    of: (capabilities) =>
      db
        .all<TaskRow>(
          `SELECT ${columns} FROM tasks WHERE capability IN (SELECT value FROM json_each(?)) ORDER BY n`,
          [JSON.stringify(capabilities)],
        )
        .map(toEntry),
    drop: (id) => change('DELETE FROM tasks WHERE id = ? RETURNING n', [id]),
    nextDue: () =>
      db.get<{ due: string | null }>("SELECT min(due_at) AS due FROM tasks WHERE state = 'waiting'")?.due ??
      undefined,
    nextLook: () =>
      db.get<{ at: string | null }>(
        `SELECT min(CASE state WHEN 'waiting' THEN due_at ELSE lease_until END) AS at FROM tasks
         WHERE state IN ('waiting', 'running')`,
      )?.at ?? undefined,
    firstLease: () =>
      db.get<{ at: string | null }>("SELECT min(lease_until) AS at FROM tasks WHERE state = 'running'")?.at ??
      undefined,
    isRunning: () => db.get("SELECT 1 FROM tasks WHERE state = 'running' LIMIT 1") !== undefined,
    prune(before, keep) {
      db.run("DELETE FROM tasks WHERE state = 'done' AND updated_at < ?", [before])
      db.run(
        `DELETE FROM tasks WHERE state = 'done' AND n <= (
           SELECT n FROM tasks WHERE state = 'done' ORDER BY n DESC LIMIT 1 OFFSET ?)`,
        [keep],
      )
    },
  }
}

/** True where an answer names a sealed record, and so may quote it: then it is not stored with its task. */
function namesSealed(db: SqlDatabase, text: string): boolean {
  const sql = `SELECT 1 FROM json_tree(?) j JOIN records r ON r.id = j.value
    WHERE j.type = 'text' AND r.kid IS NOT NULL LIMIT 1`
  return db.get(sql, [text]) !== undefined
}

function toEntry(row: TaskRow): TaskEntry {
  const { input, scope, state, lease_until, result, error_code: code, error_message: message, ...plain } = row
  return {
    ...plain,
    input: JSON.parse(input) as Json,
    scope: JSON.parse(scope) as Scope,
    state: state as TaskState,
    ...(lease_until === null ? {} : { lease_until }),
    ...(result === null ? {} : { result: JSON.parse(result) as Json }),
    ...(code === null ? {} : { error: { code, message: message ?? '' } }),
  }
}
