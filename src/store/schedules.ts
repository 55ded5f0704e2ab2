// Recurring tasks, each a setting of the book, and the queue that adds a task for each round.
// Invariant: the id of a round follows from its schedule and due time, and one transaction adds the round and notes
// the next. So no round runs twice, and all rounds that were missed while the book was closed become one.
import type { Recurrence, TaskEntry } from '../core/capability/task.ts'
import type { SqlDatabase } from '../core/ports.ts'
import { nameId, idPrefixes } from '../core/text/name-id.ts'
import { formatTime, parseTime } from '../core/time.ts'
import { TaskQueue } from './task-queue.ts'

export interface Schedules {
  get(id: string): Recurrence | undefined
  /** All recurring tasks, by id. */
  list(): Recurrence[]
  put(recurrence: Recurrence): void
  remove(id: string): void
}

/** The keys of schedules are from `keyPrefix` up to, not including, `keyEnd`: `;` follows `:` in ASCII. */
const keyPrefix = 'schedule:'
const keyEnd = 'schedule;'
/** Its parameters are `keyPrefix` and `keyEnd`. */
const isActiveSql = "key >= ? AND key < ? AND json_extract(value, '$.state') = 'active'"

export function createSchedules(db: SqlDatabase): Schedules {
  return {
    get(id) {
      const row = db.get<{ value: string }>('SELECT value FROM book WHERE key = ?', [keyPrefix + id])
      return row && (JSON.parse(row.value) as Recurrence)
    },
    list: () =>
      db
        .all<{ value: string }>('SELECT value FROM book WHERE key >= ? AND key < ? ORDER BY key', [
          keyPrefix,
          keyEnd,
        ])
        .map(({ value }) => JSON.parse(value) as Recurrence),
    put: (recurrence) =>
      db.run('INSERT OR REPLACE INTO book (key, value) VALUES (?, ?)', [
        keyPrefix + recurrence.id,
        JSON.stringify(recurrence),
      ]),
    remove: (id) => db.run('DELETE FROM book WHERE key = ?', [keyPrefix + id]),
  }
}

/** The first time after `now` that is `nextAt` plus a whole number of intervals, at least one. */
export function nextRoundTime(
  { nextAt, everyMs }: Pick<Recurrence, 'nextAt' | 'everyMs'>,
  now: string,
): string {
  const due = parseTime(nextAt) ?? 0
  const late = Math.max(0, (parseTime(now) ?? 0) - due)
  return formatTime(due + (Math.floor(late / everyMs) + 1) * everyMs)
}

/** A task queue whose `take` first adds the due rounds to the waiting tasks. */
export class ScheduledTaskQueue extends TaskQueue {
  readonly #db: SqlDatabase
  readonly #schedules: Schedules

  constructor(db: SqlDatabase, schedules: Schedules) {
    super(db)
    this.#db = db
    this.#schedules = schedules
  }

  override take(owner: string, now: string, leaseUntil: string): TaskEntry | undefined {
    const earliest = this.#earliestRoundTime()
    if (earliest !== undefined && earliest <= now)
      for (const recurrence of this.#schedules.list())
        if (recurrence.state === 'active' && recurrence.nextAt <= now) this.#addRound(recurrence, now)
    return super.take(owner, now, leaseUntil)
  }

  /**
   * Returns a write that corrects the times that a clock set that was ahead: without it, these rounds and tasks would
   * wait until the right time reaches them. Undefined without such times. Run the write inside a transaction.
   */
  clockCorrection(now: string): (() => void) | undefined {
    const rounds = this.#schedules.list().flatMap((one) => this.#withoutLead(one, now) ?? [])
    const tasks = this.waitingAhead(now)
    if (rounds.length + tasks.length === 0) return undefined
    return () => {
      for (const one of rounds) this.#schedules.put(one)
      for (const { id, dueAt, updatedAt } of tasks)
        this.postponeTo(id, formatTime(msOf(dueAt) - msOf(updatedAt) + msOf(now)), now)
    }
  }

  /**
   * The recurring task with its next round at most one interval after `now`; undefined if no clock that was ahead set
   * that round. A time that the owner chose stays.
   */
  #withoutLead(recurrence: Recurrence, now: string): Recurrence | undefined {
    const { lastAt, lastTask, createdAt, nextAt, everyMs } = recurrence
    const lastRun = lastTask === undefined ? undefined : this.get(lastTask)?.updatedAt
    const setAt = Math.max(msOf(lastAt ?? createdAt), msOf(lastRun))
    const nextMs = msOf(nextAt)
    const leadMs = nextMs - msOf(now)
    if (setAt <= msOf(now) || leadMs <= everyMs || nextMs > setAt + everyMs) return undefined
    return { ...recurrence, nextAt: formatTime(nextMs - (Math.ceil(leadMs / everyMs) - 1) * everyMs) }
  }

  override nextDue(): string | undefined {
    return earlier(super.nextDue(), this.#earliestRoundTime())
  }

  override nextCheck(): string | undefined {
    return earlier(super.nextCheck(), this.#earliestRoundTime())
  }

  #addRound(recurrence: Recurrence, now: string): void {
    const nextAt = nextRoundTime(recurrence, now)
    const lastState = recurrence.lastTask === undefined ? undefined : this.get(recurrence.lastTask)?.state
    // A schedule has one open round: while the last one waits or runs, the due one is skipped.
    if (lastState === 'waiting' || lastState === 'running')
      return this.#schedules.put({ ...recurrence, nextAt })
    const id = nameId('round', recurrence.id, recurrence.nextAt)
    if (!this.get(id)) {
      const { capability, input, scope, maxAttempts } = recurrence
      this.add({ id, capability, input, scope, maxAttempts, dueAt: now }, now)
    }
    this.#schedules.put({ ...recurrence, nextAt, lastAt: now, lastTask: id, rounds: recurrence.rounds + 1 })
  }

  #earliestRoundTime(): string | undefined {
    const row = this.#db.get<{ at: string | null }>(
      `SELECT min(json_extract(value, '$.nextAt')) AS at FROM book WHERE ${isActiveSql}`,
      [keyPrefix, keyEnd],
    )
    return row?.at ?? undefined
  }
}

const msOf = (time = '') => parseTime(time) ?? 0

const earlier = (a: string | undefined, b: string | undefined) =>
  a === undefined || (b !== undefined && b < a) ? b : a

/** The id of the schedule whose round has the task id `task`; undefined for any other task. */
export function scheduleOf(task: string): string | undefined {
  // The id of a round is `round::`, the id of its schedule, `::` and its due time.
  return task.startsWith(idPrefixes.round) ? task.split('::')[1] : undefined
}
