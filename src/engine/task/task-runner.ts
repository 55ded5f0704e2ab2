// Runs the tasks of a book: takes a due task, calls its capability, stores the outcome.
// Invariant: a task is tried until it succeeds, its tries run out or an error makes a retry useless, also across
// crashes; an abandoned try changes neither its task nor a later try. So a call may run twice: it is a write, whose
// requestId is the task's id, or the ids that it writes follow from its input.
import { type AbortSignalLike, createAbort } from '../../core/abort.ts'
import type { BookEvents } from '../../core/capability/event.ts'
import type { Service } from '../../core/capability/chapter.ts'
import type { TaskEntry, TaskState } from '../../core/capability/task.ts'
import { DaybookError, type ErrorCode, isDaybookError, toDaybookError } from '../../core/errors.ts'
import { toHex } from '../../core/ids.ts'
import type { Clock, Random, Scheduler } from '../../core/ports.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import type { TaskQueue } from '../../store/task-queue.ts'
import type { WriteQueue } from '../../store/write-queue.ts'

/** A try without progress for this long is abandoned. */
export const leaseMs = 120_000
/** Most tasks that run at once. */
export const taskConcurrency = 2
/** The pause after the first failure; each further failure doubles it. */
export const backoff = { firstMs: 1000, longestMs: 3_600_000 } as const
/** Done tasks are kept for this time, and at most this many. */
const doneKeep = { ms: 7 * 86_400_000, count: 200 } as const

/** Errors after which a retry does not help: the task is dead at once. */
const hopeless: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid-input',
  'invalid-filter',
  'invalid-file',
  'unknown-capability',
  'not-found',
  'conflict',
  'forbidden',
  'too-large',
  'request-reused',
  'sync-off',
  'runs-elsewhere',
  'archive-off',
  'archive-denied',
  'archive-clock',
  'archive-region',
  'archive-bucket',
])

/** One try of a task, as the call of its capability gets it. */
export interface TaskTry {
  readonly task: TaskEntry
  readonly signal: AbortSignalLike
  /** Extends the lease. Call it after progress. */
  touch(): void
}

export interface TaskRunnerParts {
  readonly queue: TaskQueue
  readonly writes: WriteQueue
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
  /** True: the host calls `wake` when a later task is due. */
  readonly isWoken?: boolean | undefined
  /** True: other runners may work on the same queue, so only an expired lease shows an abandoned task. */
  readonly isShared?: boolean | undefined
  call(attempt: TaskTry): Promise<unknown>
  tell(task: BookEvents['task']): void
  /** Called when the queue could not be read or written. The runner tries again later. */
  onFault?(error: unknown): void
}

interface Running {
  readonly task: TaskEntry
  readonly abort: () => void
  leaseUntil: number
  savedUntil: number
}

interface Failure {
  readonly code: string
  readonly message: string
}

/**
 * Milliseconds before try `number` + 1: `firstMs` × 2^(number − 1), at most `longestMs`. Half of the pause is fixed,
 * half random (0 ≤ `chance` < 1), so that tasks that failed together do not retry together.
 */
export function backoffMs(number: number, chance: number): number {
  const full = Math.min(backoff.longestMs, backoff.firstMs * 2 ** Math.min(30, number - 1))
  return Math.round(full / 2 + (full / 2) * chance)
}

/** The first `wake` recovers the tasks that an earlier engine abandoned, then runs due tasks. */
export class TaskRunner implements Pick<Service, 'wake' | 'close'> {
  readonly #parts: TaskRunnerParts
  readonly #owner: string
  readonly #running = new Map<string, Running>()
  #closed = false
  #isLooking = false
  #lookAgain = false
  #isRecovered = false
  #cancelTimer: (() => void) | undefined

  constructor(parts: TaskRunnerParts) {
    this.#parts = parts
    this.#owner = toHex(parts.random.bytes(16))
  }

  /** Looks for due tasks. Call it when a task may have become due. */
  wake(): void {
    this.#lookAgain = true
    if (!this.#isLooking && !this.#closed) void this.#look()
  }

  /** Cancels the task `id` if it runs here. */
  cancel(id: string): void {
    this.#running.get(id)?.abort()
    this.#running.delete(id)
  }

  close(): void {
    if (this.#closed) return
    const { queue, writes } = this.#parts
    this.#closed = true
    this.#cancelTimer?.()
    if (this.#running.size > 0)
      void writes.write(() => queue.release(this.#owner, this.#now())).catch(() => undefined)
    for (const { abort } of this.#running.values()) abort()
  }

  #now(): string {
    return formatTime(this.#parts.clock.now())
  }

  #attemptOf({ id, attempts }: TaskEntry) {
    return { id, owner: this.#owner, number: attempts }
  }

  #report({ id, capability, attempts }: TaskEntry, state: TaskState, error?: Failure): void {
    this.#parts.tell({ id, capability, state, attempts, ...(error ? { error } : {}) })
  }

  async #look(): Promise<void> {
    const { queue, writes, clock, scheduler, isShared = false, onFault } = this.#parts
    if (this.#closed || this.#isLooking) {
      this.#lookAgain = true
      return
    }
    this.#isLooking = true
    this.#lookAgain = false
    try {
      if (this.#hasAbandoned()) {
        const abandoned = await writes.write(() => queue.recover(this.#owner, this.#now(), isShared))
        for (const task of abandoned) this.#report(task, task.state, task.error)
      }
      this.#isRecovered = true
      while (this.#hasDue()) {
        const task = await writes.write(() =>
          queue.take(this.#owner, this.#now(), formatTime(clock.now() + leaseMs)),
        )
        if (!task) break
        this.#start(task)
      }
      if (!this.#closed) this.#sleep()
    } catch (error) {
      if (isDaybookError(error, 'book-closed')) return
      onFault?.(error)
      this.#cancelTimer = scheduler.later(backoff.firstMs * 10, () => this.wake())
    } finally {
      this.#isLooking = false
      if (this.#lookAgain && !this.#closed) this.wake()
    }
  }

  /**
   * True if the queue may have abandoned tasks. In a shared queue, an expired lease shows an abandoned task. In a
   * queue of its own, the runner checks once, at the start: each running task of an earlier runner is abandoned.
   */
  #hasAbandoned(): boolean {
    const { queue, isShared } = this.#parts
    return isShared ? (queue.firstLease() ?? '~') < this.#now() : !this.#isRecovered && queue.open() > 0
  }

  #hasDue(): boolean {
    if (this.#closed || this.#running.size >= taskConcurrency) return false
    return (this.#parts.queue.nextDue() ?? '~') <= this.#now()
  }

  /** Sleeps until the next task is due, or the next lease ends. */
  #sleep(): void {
    const { queue, clock, scheduler, isWoken, isShared } = this.#parts
    const due = this.#running.size < taskConcurrency && !isWoken ? queue.nextDue() : undefined
    const times = [...this.#running.values()].map(({ leaseUntil }) => leaseUntil)
    if (due !== undefined) times.push(parseTime(due) ?? 0)
    // Another runner may abandon a task: wake when the lease of the task ends.
    const lease = isShared ? queue.firstLease() : undefined
    if (lease !== undefined) times.push((parseTime(lease) ?? 0) + 1)
    this.#cancelTimer?.()
    if (times.length === 0) return
    const delay = Math.max(0, Math.min(...times) - clock.now())
    // A clock that was set back must not make the queue sleep for years.
    this.#cancelTimer = scheduler.later(Math.min(delay, leaseMs), () => {
      this.#abandonStuck()
      this.wake()
    })
  }

  #start(task: TaskEntry): void {
    const { queue, writes, clock, call } = this.#parts
    const { signal, abort } = createAbort()
    const leaseUntil = clock.now() + leaseMs
    const one: Running = { task, abort, leaseUntil, savedUntil: leaseUntil }
    this.#running.set(task.id, one)
    this.#report(task, 'running')
    const touch = () => {
      one.leaseUntil = clock.now() + leaseMs
      if (one.leaseUntil - one.savedUntil < leaseMs / 2) return
      one.savedUntil = one.leaseUntil
      void writes
        .write(() => queue.renew(this.#attemptOf(task), formatTime(one.leaseUntil)))
        .catch(() => undefined)
    }
    call({ task, signal, touch }).then(
      (result) => this.#end(one, 'done', () => queue.finish(this.#attemptOf(task), result, this.#now())),
      (error: unknown) => this.#fail(one, toDaybookError(error)),
    )
  }

  #fail(one: Running, { code, message }: DaybookError): void {
    const { queue, clock, random } = this.#parts
    const { task } = one
    const isLast = task.attempts >= task.maxAttempts || hopeless.has(code)
    const chance = () => (random.bytes(1)[0] ?? 0) / 256
    const dueAt = isLast ? undefined : formatTime(clock.now() + backoffMs(task.attempts, chance()))
    const error = { code, message }
    const move = () => queue.fail(this.#attemptOf(task), error, dueAt, this.#now())
    this.#end(one, isLast ? 'dead' : 'waiting', move, error)
  }

  #end(one: Running, state: TaskState, move: () => boolean, error?: Failure): void {
    const { queue, writes, clock, onFault } = this.#parts
    // This try was abandoned meanwhile: a later try has the task.
    if (this.#closed || this.#running.get(one.task.id) !== one) return
    writes
      .write(() => {
        const moved = move()
        if (state === 'done') queue.prune(formatTime(clock.now() - doneKeep.ms), doneKeep.count)
        return moved
      })
      .then((moved) => moved && this.#report(one.task, state, error))
      .catch((fault: unknown) => this.#closed || onFault?.(fault))
      .finally(() => {
        if (this.#running.get(one.task.id) === one) this.#running.delete(one.task.id)
        this.wake()
      })
  }

  #abandonStuck(): void {
    for (const one of this.#running.values()) {
      if (this.#parts.clock.now() < one.leaseUntil) continue
      one.abort()
      this.#fail(one, new DaybookError('deadline-exceeded', `No progress for ${leaseMs} ms.`))
    }
  }
}
