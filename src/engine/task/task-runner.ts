// Runs the tasks of a book: takes a due task, calls its capability, stores the outcome.
// Invariant: a task runs until it succeeds, its attempts run out or an error makes a retry useless, also across
// crashes. An attempt whose verb could not be loaded does not count. A call may run twice, because an attempt
// may be abandoned (it then changes neither its task nor a later attempt); the second run changes nothing:
// the requestId of a write is the task's id, and other calls derive the ids of their records from their
// input.
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

/** An attempt without progress for this long is abandoned. */
export const leaseMs = 120_000
/** Most tasks that run at once. */
export const taskConcurrency = 2
/** The pause after the first failure; each further failure doubles it. */
export const backoff = { firstMs: 1000, longestMs: 3_600_000 } as const
/** The longest pause after a failed load of the task's verb. */
const longestLoadPauseMs = 60_000
/** The pause after the queue could not be read or written. */
const faultPauseMs = 10_000
/** Done tasks are kept for this time, and at most this many. */
const doneRetention = { ms: 7 * 86_400_000, count: 200 } as const

/** A text after every canonical time: no task is due, and no lease ends. */
const never = '~'

/** Errors after which a retry does not help: the task is dead at once. */
const finalErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
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

/** One attempt of a task, as the call of its capability gets it. */
export interface TaskAttempt {
  readonly task: TaskEntry
  readonly signal: AbortSignalLike
  /** Extends the lease. Call it after progress. */
  heartbeat(): void
}

export interface TaskRunnerDeps {
  readonly queue: TaskQueue
  readonly writes: WriteQueue
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
  /** True: the host calls `wake` when a later task is due. */
  readonly hostWakesWhenDue?: boolean | undefined
  /** True: other runners may work on the same queue, so only an expired lease shows an abandoned task. */
  readonly isShared?: boolean | undefined
  call(attempt: TaskAttempt): Promise<unknown>
  emit(task: BookEvents['task']): void
  /** Called when the queue could not be read or written. The runner tries again later. */
  onFault?(error: unknown): void
}

interface Running {
  readonly task: TaskEntry
  readonly abort: () => void
  leaseUntil: number
  /** The lease in the queue. A heartbeat stores a new one only after half of the lease. */
  storedLeaseUntil: number
  /** True once the outcome is known: the task waits for its write. */
  isEnding: boolean
}

interface Failure {
  readonly code: string
  readonly message: string
}

interface Outcome {
  readonly state: TaskState
  readonly error?: Failure
  /** How often in a row the verb could not be loaded, this attempt included. Absent: the verb was loaded. */
  readonly failedLoads?: number
  /** Stores the outcome; false if this attempt no longer has the task. */
  move(): boolean
}

/**
 * Milliseconds after attempt `attempt`: `firstMs` × 2^(attempt − 1), at most `longestMs`. Half of the pause is fixed,
 * half random (0 ≤ `jitter` < 1), so that tasks that failed together do not retry together.
 */
export function backoffMs(attempt: number, jitter: number, longestMs: number = backoff.longestMs): number {
  const full = Math.min(longestMs, backoff.firstMs * 2 ** Math.min(30, attempt - 1))
  return Math.round(full / 2 + (full / 2) * jitter)
}

/** The first `wake` recovers the tasks that an earlier engine abandoned, then runs due tasks. */
export class TaskRunner implements Pick<Service, 'wake' | 'close'> {
  readonly #deps: TaskRunnerDeps
  /** Names this runner in the queue, as the `owner` of its attempts; not the owner of the book. */
  readonly #runnerId: string
  readonly #running = new Map<string, Running>()
  /** By task: how often in a row its verb could not be loaded. */
  readonly #failedLoads = new Map<string, number>()
  #closed = false
  #isPolling = false
  #pollAgain = false
  #isRecovered = false
  #cancelTimer: (() => void) | undefined

  constructor(parts: TaskRunnerDeps) {
    this.#deps = parts
    this.#runnerId = toHex(parts.random.bytes(16))
  }

  /** Looks for due tasks. Call it when a task may have become due. */
  wake(): void {
    this.#pollAgain = true
    if (!this.#isPolling && !this.#closed) void this.#poll()
  }

  /** Cancels the task `id` if it runs here. */
  cancel(id: string): void {
    this.#failedLoads.delete(id)
    this.#running.get(id)?.abort()
    // Another task may run in its place.
    if (this.#running.delete(id)) this.wake()
  }

  close(): void {
    if (this.#closed) return
    const { queue, writes } = this.#deps
    this.#closed = true
    this.#cancelTimer?.()
    if (this.#running.size > 0 || this.#isPolling)
      void writes.write(() => queue.release(this.#runnerId, this.#now())).catch(() => undefined)
    for (const { abort } of this.#running.values()) abort()
  }

  #now(): string {
    return formatTime(this.#deps.clock.now())
  }

  #attemptOf({ id, attempts }: TaskEntry) {
    return { id, owner: this.#runnerId, number: attempts }
  }

  #report({ id, capability, attempts }: TaskEntry, state: TaskState, error?: Failure): void {
    this.#deps.emit({ id, capability, state, attempts, ...(error ? { error } : {}) })
  }

  async #poll(): Promise<void> {
    const { queue, writes, clock, scheduler, isShared = false, onFault } = this.#deps
    if (this.#closed || this.#isPolling) {
      this.#pollAgain = true
      return
    }
    this.#isPolling = true
    this.#pollAgain = false
    try {
      if (this.#hasAbandoned()) {
        const abandoned = await writes.write(() =>
          queue.recover(this.#runnerId, this.#now(), { onlyExpired: isShared }),
        )
        for (const task of abandoned) this.#report(task, task.state, task.error)
      }
      this.#isRecovered = true
      while (this.#hasDue()) {
        const task = await writes.write(() =>
          queue.take(this.#runnerId, this.#now(), formatTime(clock.now() + leaseMs)),
        )
        if (!task || this.#closed) break
        this.#start(task)
      }
      if (!this.#closed) this.#sleep()
    } catch (error) {
      if (isDaybookError(error, 'book-closed')) return
      onFault?.(error)
      this.#cancelTimer?.()
      if (!this.#closed) this.#cancelTimer = scheduler.later(faultPauseMs, () => this.wake())
    } finally {
      this.#isPolling = false
      if (this.#pollAgain && !this.#closed) this.wake()
    }
  }

  /**
   * True if the queue may have abandoned tasks. In a shared queue, an expired lease shows an abandoned task. In a
   * queue of its own, the runner checks once, at the start: each running task of an earlier runner is abandoned.
   */
  #hasAbandoned(): boolean {
    const { queue, isShared } = this.#deps
    return isShared
      ? (queue.earliestLeaseEnd() ?? never) < this.#now()
      : !this.#isRecovered && queue.openCount() > 0
  }

  #hasDue(): boolean {
    if (this.#closed || this.#running.size >= taskConcurrency) return false
    return (this.#deps.queue.nextDue() ?? never) <= this.#now()
  }

  /** Sleeps until the next task is due, or the next lease ends. */
  #sleep(): void {
    const { queue, clock, scheduler, hostWakesWhenDue, isShared } = this.#deps
    const due = this.#running.size < taskConcurrency && !hostWakesWhenDue ? queue.nextDue() : undefined
    const waiting = [...this.#running.values()].filter(({ isEnding }) => !isEnding)
    const times = waiting.map(({ leaseUntil }) => leaseUntil)
    if (due !== undefined) times.push(parseTime(due) ?? 0)
    // Another runner may abandon a task: wake when the lease of the task ends.
    const lease = isShared ? queue.earliestLeaseEnd() : undefined
    if (lease !== undefined) times.push((parseTime(lease) ?? 0) + 1)
    this.#cancelTimer?.()
    if (times.length === 0) return
    const delay = Math.max(0, Math.min(...times) - clock.now())
    // A clock that was set back must not make the queue sleep for years.
    this.#cancelTimer = scheduler.later(Math.min(delay, leaseMs), () => {
      this.#abandonExpired()
      this.wake()
    })
  }

  #start(task: TaskEntry): void {
    const { queue, writes, clock, call } = this.#deps
    const { signal, abort } = createAbort()
    const leaseUntil = clock.now() + leaseMs
    const one: Running = { task, abort, leaseUntil, storedLeaseUntil: leaseUntil, isEnding: false }
    this.#running.set(task.id, one)
    this.#report(task, 'running')
    const heartbeat = () => {
      one.leaseUntil = clock.now() + leaseMs
      if (one.leaseUntil - one.storedLeaseUntil < leaseMs / 2) return
      one.storedLeaseUntil = one.leaseUntil
      void writes
        .write(() => queue.renew(this.#attemptOf(task), formatTime(one.leaseUntil)))
        .catch(() => undefined)
    }
    call({ task, signal, heartbeat }).then(
      (result) =>
        this.#end(one, {
          state: 'done',
          move: () => queue.finish(this.#attemptOf(task), result, this.#now()),
        }),
      (error: unknown) => this.#fail(one, toDaybookError(error)),
    )
  }

  #fail(one: Running, { code, message }: DaybookError): void {
    const { queue, clock } = this.#deps
    const { task } = one
    const error = { code, message }
    if (code === 'part-unavailable') {
      this.#postpone(one, error)
      return
    }
    const isLast = task.attempts >= task.maxAttempts || finalErrors.has(code)
    const dueAt = isLast ? undefined : formatTime(clock.now() + backoffMs(task.attempts, this.#jitter()))
    const move = () => queue.fail(this.#attemptOf(task), error, dueAt, this.#now())
    this.#end(one, { state: isLast ? 'dead' : 'waiting', error, move })
  }

  /** Makes a task wait whose verb could not be loaded: the verb did not run, and a later load may succeed. */
  #postpone(one: Running, error: Failure): void {
    const { queue, clock } = this.#deps
    const { task } = one
    const failedLoads = 1 + (this.#failedLoads.get(task.id) ?? 0)
    const dueAt = formatTime(clock.now() + backoffMs(failedLoads, this.#jitter(), longestLoadPauseMs))
    const move = () => queue.postpone(this.#attemptOf(task), error, dueAt, this.#now())
    this.#end(one, { state: 'waiting', error, failedLoads, move })
  }

  /** A random number, 0 ≤ n < 1. */
  #jitter(): number {
    return (this.#deps.random.bytes(1)[0] ?? 0) / 256
  }

  #end(one: Running, outcome: Outcome): void {
    const { queue, writes, clock, scheduler, onFault } = this.#deps
    const { task } = one
    const { state, error, failedLoads = 0 } = outcome
    // This attempt was abandoned meanwhile: a later attempt has the task.
    if (this.#closed || this.#running.get(task.id) !== one) return
    one.isEnding = true
    if (failedLoads > 0) this.#failedLoads.set(task.id, failedLoads)
    else this.#failedLoads.delete(task.id)
    writes
      .write(() => {
        const moved = outcome.move()
        if (state === 'done') queue.prune(formatTime(clock.now() - doneRetention.ms), doneRetention.count)
        return moved
      })
      .then(
        (moved) => {
          const attempts = failedLoads > 0 ? task.attempts - 1 : task.attempts
          if (moved) this.#report({ ...task, attempts }, state, error)
          if (this.#running.get(task.id) === one) this.#running.delete(task.id)
          this.wake()
        },
        (fault: unknown) => {
          if (this.#closed) return
          onFault?.(fault)
          // The outcome is known: store it when the queue can be written again.
          scheduler.later(faultPauseMs, () => this.#end(one, outcome))
        },
      )
  }

  #abandonExpired(): void {
    for (const one of this.#running.values()) {
      if (one.isEnding || this.#deps.clock.now() < one.leaseUntil) continue
      one.abort()
      this.#fail(one, new DaybookError('deadline-exceeded', `No progress for ${leaseMs} ms.`))
    }
  }
}
