// Runs the tasks of a book: takes what is due, calls it, and writes down what came of it.
// Invariant: a task is called again until it succeeded or its tries are used up, whatever ends in between, and a try that
// was given up changes neither its task nor its successor. (A call may thus take effect twice: what it writes has ids that
// follow from its input, or it is a write, which carries the task's id as its requestId.)
import { type AbortSignalLike, createAbort } from '../../core/abort.ts'
import { DaybookError, type ErrorCode, isDaybookError, toDaybookError } from '../../core/errors.ts'
import type { BookEvents } from '../../core/capability/event.ts'
import { toHex } from '../../core/ids.ts'
import type { Clock, Random, Scheduler } from '../../core/ports.ts'
import type { TaskEntry, TaskState } from '../../core/capability/task.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import type { TaskQueue } from '../../store/task-queue.ts'
import type { WriteQueue } from '../../store/write-queue.ts'

/** A try that shows no progress for this long is given up. */
export const leaseMs = 120_000
/** How many tasks run at once. */
export const taskConcurrency = 2
/** The pause after the first failure; each further one doubles it. */
export const backoff = { firstMs: 1000, longestMs: 3_600_000 } as const
/** What is done is kept this long for those who ask, and no more than this many. */
const doneKeep = { ms: 7 * 86_400_000, count: 200 } as const

/** Failures that no repetition mends. */
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

/** One try of a task, as the call that makes it sees it. */
export interface TaskTry {
  readonly task: TaskEntry
  readonly signal: AbortSignalLike
  /** Prolongs the lease: the call goes on. */
  touch(): void
}

export interface TaskRunner {
  /** Looks for due tasks; call it when one may have become due. */
  wake(): void
  /** Cancels a task that runs. */
  cancel(id: string): void
  close(): void
}

export interface TaskRunnerParts {
  readonly queue: TaskQueue
  readonly writes: WriteQueue
  readonly clock: Clock
  readonly random: Random
  readonly scheduler: Scheduler
  /** True: somebody else calls `wake` when a task is due later. */
  readonly isWoken?: boolean | undefined
  /** True: other runners may be at work on the same queue, so only leases tell what was left behind. */
  readonly isShared?: boolean | undefined
  call(attempt: TaskTry): Promise<unknown>
  tell(task: BookEvents['task']): void
  /** Called when the queue itself could not be read or written. It is looked at again later. */
  onFault?(error: unknown): void
}

interface Running {
  readonly task: TaskEntry
  readonly abort: () => void
  leaseUntil: number
  savedUntil: number
}

/**
 * Milliseconds before try `number` + 1: `firstMs` × 2^(number − 1), at most `longestMs`, of which one half is fixed and the
 * other random (0 ≤ `chance` < 1), so that what failed together does not come back together.
 */
export function backoffMs(number: number, chance: number): number {
  const full = Math.min(backoff.longestMs, backoff.firstMs * 2 ** Math.min(30, number - 1))
  return Math.round(full / 2 + (full / 2) * chance)
}

/** Starts with what an earlier engine left behind; it runs until it is closed. */
export function createTaskRunner(parts: TaskRunnerParts): TaskRunner {
  const { queue, writes, clock, random, scheduler, isWoken, isShared = false, call, tell, onFault } = parts
  const owner = toHex(random.bytes(16))
  const running = new Map<string, Running>()
  let closed = false
  let looking = false
  let again = false
  let recovered = false
  let cancelTimer: (() => void) | undefined

  const now = () => formatTime(clock.now())
  const chance = () => (random.bytes(1)[0] ?? 0) / 256
  const attemptOf = ({ id, attempts }: TaskEntry) => ({ id, owner, number: attempts })
  const report = (task: TaskEntry, state: TaskState, error?: { code: string; message: string }) =>
    tell({
      id: task.id,
      capability: task.capability,
      state,
      attempts: task.attempts,
      ...(error ? { error } : {}),
    })

  const isLeftBehind = () => (queue.firstLease() ?? '~') < now()

  const look = async () => {
    if (closed || looking) {
      again = true
      return
    }
    looking = true
    again = false
    try {
      // Whoever has a book alone knows that what runs for another owner was left behind.
      if (isShared ? isLeftBehind() : !recovered && queue.open() > 0) {
        const left = await writes.write(() => queue.recover(owner, now(), isShared))
        for (const task of left) report(task, task.state, task.error)
      }
      recovered = true
      while (!closed && running.size < taskConcurrency && (queue.nextDue() ?? '~') <= now()) {
        const task = await writes.write(() => queue.take(owner, now(), formatTime(clock.now() + leaseMs)))
        if (!task) break
        start(task)
      }
      if (!closed) sleep()
    } catch (error) {
      if (isDaybookError(error, 'book-closed')) return
      onFault?.(error)
      cancelTimer = scheduler.later(backoff.firstMs * 10, wake)
    } finally {
      looking = false
      if (again && !closed) wake()
    }
  }

  /** Until the next task is due, or the next lease ends. */
  const sleep = () => {
    const due = running.size < taskConcurrency && !isWoken ? queue.nextDue() : undefined
    const times = [...running.values()].map(({ leaseUntil }) => leaseUntil)
    if (due !== undefined) times.push(parseTime(due) ?? 0)
    // What others run may be left behind.
    const lease = isShared ? queue.firstLease() : undefined
    if (lease !== undefined) times.push((parseTime(lease) ?? 0) + 1)
    cancelTimer?.()
    if (times.length === 0) return
    const delay = Math.max(0, Math.min(...times) - clock.now())
    // A clock that is set back must not put the queue to sleep for years.
    cancelTimer = scheduler.later(Math.min(delay, leaseMs), () => {
      giveUp()
      wake()
    })
  }

  const wake = () => {
    again = true
    if (!looking && !closed) void look()
  }

  const start = (task: TaskEntry) => {
    const { signal, abort } = createAbort()
    const leaseUntil = clock.now() + leaseMs
    const one: Running = { task, abort, leaseUntil, savedUntil: leaseUntil }
    running.set(task.id, one)
    report(task, 'running')
    const touch = () => {
      one.leaseUntil = clock.now() + leaseMs
      if (one.leaseUntil - one.savedUntil < leaseMs / 2) return
      one.savedUntil = one.leaseUntil
      void writes.write(() => queue.renew(attemptOf(task), formatTime(one.leaseUntil))).catch(() => undefined)
    }
    call({ task, signal, touch }).then(
      (result) => end(one, () => queue.finish(attemptOf(task), result, now()), 'done'),
      (error: unknown) => fail(one, toDaybookError(error)),
    )
  }

  const fail = (one: Running, { code, message }: DaybookError) => {
    const { task } = one
    const isLast = task.attempts >= task.max_attempts || hopeless.has(code)
    const dueAt = isLast ? undefined : formatTime(clock.now() + backoffMs(task.attempts, chance()))
    const error = { code, message }
    end(one, () => queue.fail(attemptOf(task), error, dueAt, now()), isLast ? 'dead' : 'waiting', error)
  }

  const end = (
    one: Running,
    move: () => boolean,
    state: TaskState,
    error?: { code: string; message: string },
  ): void => {
    // Given up meanwhile: its successor has the task.
    if (closed || running.get(one.task.id) !== one) return
    writes
      .write(() => {
        const moved = move()
        if (state === 'done') queue.prune(formatTime(clock.now() - doneKeep.ms), doneKeep.count)
        return moved
      })
      .then((moved) => moved && report(one.task, state, error))
      .catch((fault: unknown) => closed || onFault?.(fault))
      .finally(() => {
        if (running.get(one.task.id) === one) running.delete(one.task.id)
        wake()
      })
  }

  const giveUp = () => {
    for (const one of running.values()) {
      if (clock.now() < one.leaseUntil) continue
      one.abort()
      fail(one, new DaybookError('deadline-exceeded', `No progress for ${leaseMs} ms.`))
    }
  }

  return {
    wake,
    cancel(id) {
      running.get(id)?.abort()
      running.delete(id)
    },
    close() {
      if (closed) return
      closed = true
      cancelTimer?.()
      if (running.size > 0) void writes.write(() => queue.release(owner, now())).catch(() => undefined)
      for (const { abort } of running.values()) abort()
    },
  }
}
