// Tasks that come round, one row each in the table of settings, and the queue in which each of their rounds is a task.
// Invariant: a round's id follows from its schedule and from when it was due, and the next one is noted with it: so no round
// is run twice, and what was missed while nobody was here is one round, not many.
import type { Recurrence } from '../core/capability/recurring.ts'
import type { SqlDatabase } from '../core/ports.ts'
import { nameId } from '../core/text/name-id.ts'
import { formatTime, parseTime } from '../core/time.ts'
import type { TaskQueue } from './task-queue.ts'

export interface Schedules {
  get(id: string): Recurrence | undefined
  /** By their ids. */
  list(): Recurrence[]
  put(recurrence: Recurrence): void
  remove(id: string): void
}

const first = 'schedule:'
/** What follows everything that begins with it. */
const last = 'schedule;'
const isDue = "key >= ? AND key < ? AND json_extract(value, '$.state') = 'active'"

export function createSchedules(db: SqlDatabase): Schedules {
  return {
    get(id) {
      const row = db.get<{ value: string }>('SELECT value FROM book WHERE key = ?', [first + id])
      return row && (JSON.parse(row.value) as Recurrence)
    },
    list: () =>
      db
        .all<{ value: string }>('SELECT value FROM book WHERE key >= ? AND key < ? ORDER BY key', [
          first,
          last,
        ])
        .map(({ value }) => JSON.parse(value) as Recurrence),
    put: (recurrence) =>
      db.run('INSERT OR REPLACE INTO book (key, value) VALUES (?, ?)', [
        first + recurrence.id,
        JSON.stringify(recurrence),
      ]),
    remove: (id) => db.run('DELETE FROM book WHERE key = ?', [first + id]),
  }
}

/** The first time after `now` on the clock of the schedule: full rounds after the one that was due. */
export function nextRound(
  { next_at, every_ms }: Pick<Recurrence, 'next_at' | 'every_ms'>,
  now: string,
): string {
  const due = parseTime(next_at) ?? 0
  const late = Math.max(0, (parseTime(now) ?? 0) - due)
  return formatTime(due + (Math.floor(late / every_ms) + 1) * every_ms)
}

/** `queue` with what comes round in it: whoever takes a task finds the rounds that are due among those that wait. */
export function withRounds(queue: TaskQueue, schedules: Schedules, db: SqlDatabase): TaskQueue {
  const nextAt = () =>
    db.get<{ at: string | null }>(
      `SELECT min(json_extract(value, '$.next_at')) AS at FROM book WHERE ${isDue}`,
      [first, last],
    )?.at ?? undefined
  const earlier = (one: string | undefined, other: string | undefined) =>
    one === undefined || (other !== undefined && other < one) ? other : one

  const comeRound = (now: string) => {
    if ((nextAt() ?? '~') > now) return
    for (const one of schedules.list()) {
      if (one.state !== 'active' || one.next_at > now) continue
      const next_at = nextRound(one, now)
      const before = one.last_task === undefined ? undefined : queue.get(one.last_task)?.state
      // One round at a time: what comes round while the last one still waits or runs is left out.
      if (before === 'waiting' || before === 'running') {
        schedules.put({ ...one, next_at })
        continue
      }
      const id = nameId('round', one.id, one.next_at)
      if (!queue.get(id)) {
        const { capability, input, scope, max_attempts: maxAttempts } = one
        queue.add({ id, capability, input, scope, maxAttempts, dueAt: now }, now)
      }
      schedules.put({ ...one, next_at, last_at: now, last_task: id, rounds: one.rounds + 1 })
    }
  }

  return {
    ...queue,
    take(owner, now, leaseUntil) {
      comeRound(now)
      return queue.take(owner, now, leaseUntil)
    },
    nextDue: () => earlier(queue.nextDue(), nextAt()),
    nextLook: () => earlier(queue.nextLook(), nextAt()),
  }
}

/** The schedule whose round the task of this id is; undefined for any other task. */
export function scheduleOf(task: string): string | undefined {
  const [prefix, schedule] = task.split('::')
  return prefix === 'round' ? schedule : undefined
}
