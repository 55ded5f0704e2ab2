// Cancellation for platform-free code. Every `AbortSignal` is an `AbortSignalLike`.
import { DaybookError } from './errors.ts'

export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A signal that is never aborted. */
export const neverAborted: AbortSignalLike = {
  aborted: false,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
}

export interface AbortSource {
  readonly signal: AbortSignalLike
  abort(reason?: unknown): void
}

/** Creates a signal and the function that aborts it. */
export function createAbort(): AbortSource {
  const listeners = new Set<() => void>()
  let aborted = false
  let abortReason: unknown
  return {
    signal: {
      get aborted() {
        return aborted
      },
      get reason() {
        return abortReason
      },
      addEventListener: (_type, listener) => void listeners.add(listener),
      removeEventListener: (_type, listener) => void listeners.delete(listener),
    },
    abort(reason) {
      if (aborted) return
      aborted = true
      abortReason = reason
      for (const listener of listeners) listener()
      listeners.clear()
    },
  }
}

/** A time limit for work. `signal` aborts when the time is over or the caller's signal aborts. */
export interface Deadline {
  readonly signal: AbortSignalLike
  /** True if the time ran out. */
  isOver(): boolean
  /** Lets the time run out now. */
  expire(): void
  /** Cancels the timer and removes the listener from the caller's signal. Call it when the work ends. */
  end(): void
}

/** Creates a deadline of `deadlineMs` milliseconds from now. An abort of `signal` ends the deadline earlier. */
export function createDeadline(
  signal: AbortSignalLike,
  scheduler: { later(delayMs: number, work: () => void): () => void },
  deadlineMs: number,
): Deadline {
  const source = createAbort()
  let over = false
  const abortEarly = () => source.abort(signal.reason)
  if (signal.aborted) abortEarly()
  signal.addEventListener('abort', abortEarly, { once: true })
  const expire = () => {
    // An abort of the caller came first: the time did not run out.
    over ||= !source.signal.aborted
    source.abort()
  }
  const cancel = scheduler.later(deadlineMs, expire)
  return {
    signal: source.signal,
    isOver: () => over,
    expire,
    end() {
      cancel()
      signal.removeEventListener('abort', abortEarly)
    },
  }
}

/** Throws `aborted` if `signal` is aborted. Call it between two steps of long work. */
export function checkAborted(signal: AbortSignalLike): void {
  if (signal.aborted) throw new DaybookError('aborted', undefined, { cause: signal.reason })
}

/** Settles like `work`, but rejects with `aborted` as soon as `signal` aborts. `work` itself continues. */
export function orAborted<Result>(work: Promise<Result>, signal: AbortSignalLike): Promise<Result> {
  return new Promise((resolve, reject) => {
    const rejectNow = () => reject(new DaybookError('aborted', undefined, { cause: signal.reason }))
    if (signal.aborted) rejectNow()
    else signal.addEventListener('abort', rejectNow, { once: true })
    // Handles `work` in every case: a late failure must not become an unhandled rejection.
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', rejectNow))
  })
}
