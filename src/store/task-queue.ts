// The durable queue of tasks. Writes run inside a transaction.
// Invariant: only the latest attempt of the owner that took a task can renew or end it. An attempt that ends after
// the task was recovered or released changes nothing.
import type { Json } from '../core/json/path.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../core/ports.ts'
import type { Scope } from '../core/record.ts'
import type { TaskEntry, TaskList, TaskState } from '../core/capability/task.ts'
import { overwriteText, type TextRows } from './record/erase-rows.ts'

export interface NewTask {
  readonly id: string
  readonly capability: string
  readonly input: unknown
  /** The default scope of records that the call stores. */
  readonly scope: Scope
  readonly maxAttempts: number
  /** No attempt begins before this canonical time. */
  readonly dueAt: string
}

/** One run of a task. */
export interface Attempt {
  readonly id: string
  /** The engine that runs it: an id that is new with each opening. */
  readonly owner: string
  /** 1 for the first attempt. */
  readonly number: number
}

export interface TaskError {
  readonly code: string
  readonly message: string
}

/** A row of `tasks`: a `TaskEntry` of core/capability/task.ts, with `input`, `scope` and `result` as JSON. */
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

/** The columns of a `TaskRow`. The column `n` numbers the tasks in the order in which they were added. */
const columns =
  'id, capability, input, scope, state, attempts, max_attempts, created_at, updated_at, due_at, lease_until, result, ' +
  'error_code, error_message'
/** Sorts after every canonical time. */
const afterAnyTime = '~'
/** In UTF-16 units of JSON text. A longer result is not stored. */
const maxResultChars = 100_000

/** True for the running attempt whose parameters are `attemptParams`. */
const isAttemptSql = "id = ? AND owner = ? AND attempts = ? AND state = 'running'"
const attemptParams = ({ id, owner, number }: Attempt): SqlValue[] => [id, owner, number]
const inputOfAttempt: TextRows = { table: 'tasks', columns: ['input'], where: isAttemptSql }

export class TaskQueue {
  readonly #db: SqlDatabase

  constructor(db: SqlDatabase) {
    this.#db = db
  }

  add({ id, capability, input, scope, maxAttempts, dueAt }: NewTask, now: string): void {
    this.#db.run(
      `INSERT INTO tasks (id, capability, input, scope, state, attempts, max_attempts, created_at, updated_at, due_at)
       VALUES (?, ?, ?, ?, 'waiting', 0, ?, ?, ?, ?)`,
      [id, capability, JSON.stringify(input ?? null), JSON.stringify(scope), maxAttempts, now, now, dueAt],
    )
  }

  get(id: string): TaskEntry | undefined {
    return this.#readEntries('WHERE id = ?', [id])[0]
  }

  /** Newest first. */
  list({ state, limit }: TaskList): TaskEntry[] {
    return state === undefined
      ? this.#readEntries('ORDER BY n DESC LIMIT ?', [limit])
      : this.#readEntries('WHERE state = ? ORDER BY n DESC LIMIT ?', [state, limit])
  }

  /** All tasks of these capabilities, oldest first. */
  listByCapability(capabilities: readonly string[]): TaskEntry[] {
    return this.#readEntries('WHERE capability IN (SELECT value FROM json_each(?)) ORDER BY n', [
      JSON.stringify(capabilities),
    ])
  }

  /** How many tasks wait or run. */
  openCount(): number {
    const sql = "SELECT count(*) AS n FROM tasks WHERE state IN ('waiting', 'running')"
    return this.#db.get<{ n: number }>(sql)?.n ?? 0
  }

  /**
   * Gives `owner` the waiting task that is due first, and counts an attempt. From `leaseUntil` on, another
   * owner may recover the task. Undefined when no task is due.
   */
  take(owner: string, now: string, leaseUntil: string): TaskEntry | undefined {
    const row = this.#db.get<TaskRow>(
      `SELECT ${columns} FROM tasks WHERE state = 'waiting' AND due_at <= ? ORDER BY due_at, n LIMIT 1`,
      [now],
    )
    if (!row) return undefined
    this.#db.run(
      `UPDATE tasks SET state = 'running', owner = ?, attempts = attempts + 1, lease_until = ?, updated_at = ?
       WHERE id = ?`,
      [owner, leaseUntil, now, row.id],
    )
    return toEntry({ ...row, state: 'running', attempts: row.attempts + 1, lease_until: leaseUntil })
  }

  /** Extends the lease of a running attempt; false when this attempt no longer has the task. */
  renew(attempt: Attempt, leaseUntil: string): boolean {
    return this.#changesRow(`UPDATE tasks SET lease_until = ? WHERE ${isAttemptSql}`, [
      leaseUntil,
      ...attemptParams(attempt),
    ])
  }

  /**
   * Ends a successful attempt; false when it no longer has the task. A result that is too long or names a sealed
   * record is not stored. The input of a call that answered with a sealed record is erased, since it may quote it.
   */
  finish(attempt: Attempt, result: unknown, now: string): boolean {
    const text = JSON.stringify(result ?? null)
    const params = attemptParams(attempt)
    const isSealed = quotesSealedRecord(this.#db, text)
    if (isSealed) overwriteText(this.#db, inputOfAttempt, params)
    return this.#changesRow(
      `UPDATE tasks SET state = 'done', owner = NULL, lease_until = NULL, result = ?, error_code = NULL,
        error_message = NULL, updated_at = ?${isSealed ? ", input = 'null'" : ''} WHERE ${isAttemptSql}`,
      [isSealed || text.length > maxResultChars ? null : text, now, ...params],
    )
  }

  /**
   * Ends a failed attempt; false when it no longer has the task. The task waits until `dueAt`; undefined: it is
   * dead.
   */
  fail(attempt: Attempt, { code, message }: TaskError, dueAt: string | undefined, now: string): boolean {
    const state = dueAt === undefined ? 'dead' : 'waiting'
    return this.#changesRow(
      `UPDATE tasks SET state = ?, owner = NULL, lease_until = NULL, due_at = coalesce(?, due_at), error_code = ?,
        error_message = ?, updated_at = ? WHERE ${isAttemptSql}`,
      [state, dueAt ?? null, code, message.slice(0, 2000), now, ...attemptParams(attempt)],
    )
  }

  /** Makes a task wait until `dueAt` without counting the attempt; false when this attempt no longer has the task. */
  postpone(attempt: Attempt, { code, message }: TaskError, dueAt: string, now: string): boolean {
    return this.#changesRow(
      `UPDATE tasks SET state = 'waiting', owner = NULL, lease_until = NULL, attempts = attempts - 1, due_at = ?,
        error_code = ?, error_message = ?, updated_at = ? WHERE ${isAttemptSql}`,
      [dueAt, code, message.slice(0, 2000), now, ...attemptParams(attempt)],
    )
  }

  /**
   * Recovers the running tasks of all owners but `owner`: they are due now, or dead after their last attempt. Pass
   * `onlyExpired` when other owners may be alive: then only tasks whose lease has ended are recovered.
   */
  recover(owner: string, now: string, { onlyExpired = false } = {}): TaskEntry[] {
    return this.#db
      .all<TaskRow>(
        `UPDATE tasks SET state = CASE WHEN attempts < max_attempts THEN 'waiting' ELSE 'dead' END, owner = NULL,
          lease_until = NULL, due_at = ?, error_code = 'engine-died', error_message = ?, updated_at = ?
         WHERE state = 'running' AND owner <> ? AND lease_until < ? RETURNING ${columns}`,
        [now, 'The engine ended during this attempt.', now, owner, onlyExpired ? now : afterAnyTime],
      )
      .map(toEntry)
  }

  /**
   * Makes the running tasks of `owner` wait again, without counting the attempt. Call it when the owner
   * closes without a crash.
   */
  release(owner: string, now: string): void {
    this.#db.run(
      `UPDATE tasks SET state = 'waiting', owner = NULL, lease_until = NULL, attempts = attempts - 1, updated_at = ?
       WHERE state = 'running' AND owner = ?`,
      [now, owner],
    )
  }

  /** Makes a dead or waiting task due now, with all its attempts; false for any other task. */
  retry(id: string, now: string): boolean {
    return this.#changesRow(
      `UPDATE tasks SET state = 'waiting', attempts = 0, due_at = ?, updated_at = ?
       WHERE id = ? AND state IN ('dead', 'waiting')`,
      [now, now, id],
    )
  }

  /** The waiting tasks that were last changed after `now`, by a clock that was ahead, and are not due. */
  protected waitingAhead(now: string): TaskEntry[] {
    return this.#readEntries("WHERE state = 'waiting' AND updated_at > ? AND due_at > ?", [now, now])
  }

  /** Makes a waiting task due at `dueAt`. */
  protected postponeTo(id: string, dueAt: string, now: string): void {
    this.#db.run("UPDATE tasks SET due_at = ?, updated_at = ? WHERE id = ? AND state = 'waiting'", [
      dueAt,
      now,
      id,
    ])
  }

  remove(id: string): boolean {
    return this.#changesRow('DELETE FROM tasks WHERE id = ?', [id])
  }

  /** The due time of the next waiting task; undefined when no task waits. */
  nextDue(): string | undefined {
    return this.#readTime("SELECT min(due_at) AS at FROM tasks WHERE state = 'waiting'")
  }

  /** When to check the queue again: the earliest due time of a waiting task or end of a running attempt's lease. */
  nextCheck(): string | undefined {
    return this.#readTime(
      `SELECT min(CASE state WHEN 'waiting' THEN due_at ELSE lease_until END) AS at FROM tasks
       WHERE state IN ('waiting', 'running')`,
    )
  }

  /** When the first lease of a running task ends; undefined when no task runs. */
  earliestLeaseEnd(): string | undefined {
    return this.#readTime("SELECT min(lease_until) AS at FROM tasks WHERE state = 'running'")
  }

  /** True when any task is running. */
  isRunning(): boolean {
    return this.#db.get("SELECT 1 FROM tasks WHERE state = 'running' LIMIT 1") !== undefined
  }

  /** Removes the tasks that were done before `before`, and all done tasks but the newest `keep`. */
  prune(before: string, keep: number): void {
    this.#db.run("DELETE FROM tasks WHERE state = 'done' AND updated_at < ?", [before])
    this.#db.run(
      `DELETE FROM tasks WHERE state = 'done' AND n <= (
         SELECT n FROM tasks WHERE state = 'done' ORDER BY n DESC LIMIT 1 OFFSET ?)`,
      [keep],
    )
  }

  #readEntries(rest: string, params: readonly SqlValue[]): TaskEntry[] {
    return this.#db.all<TaskRow>(`SELECT ${columns} FROM tasks ${rest}`, params).map(toEntry)
  }

  #readTime(sql: string): string | undefined {
    return this.#db.get<{ at: string | null }>(sql)?.at ?? undefined
  }

  /** True when the statement changed a row. */
  #changesRow(sql: string, params: readonly SqlValue[]): boolean {
    return this.#db.all(`${sql} RETURNING n`, params).length > 0
  }
}

/** True when a result contains the id of a sealed record (one with a `kid`), and so may quote it. */
function quotesSealedRecord(db: SqlDatabase, text: string): boolean {
  const sql = `SELECT 1 FROM json_tree(?) j JOIN records r ON r.id = j.value
    WHERE j.type = 'text' AND r.kid IS NOT NULL LIMIT 1`
  return db.get(sql, [text]) !== undefined
}

function toEntry(row: TaskRow): TaskEntry {
  const {
    input,
    scope,
    state,
    lease_until: leaseUntil,
    result,
    error_code: code,
    error_message: message,
  } = row
  return {
    id: row.id,
    capability: row.capability,
    attempts: row.attempts,
    maxAttempts: row.max_attempts,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    dueAt: row.due_at,
    input: JSON.parse(input) as Json,
    scope: JSON.parse(scope) as Scope,
    state: state as TaskState,
    ...(leaseUntil === null ? {} : { leaseUntil }),
    ...(result === null ? {} : { result: JSON.parse(result) as Json }),
    ...(code === null ? {} : { error: { code, message: message ?? '' } }),
  }
}
