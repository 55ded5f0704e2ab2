// Cancellation, as far as code without a platform can speak of it. An `AbortSignal` is one of these.
import { DaybookError } from './errors.ts'

export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A signal that nobody ever aborts. */
export const neverAborted: AbortSignalLike = {
  aborted: false,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
}

export interface AbortSource {
  readonly signal: AbortSignalLike
  abort(reason?: unknown): void
}

/** A signal and the means to abort it. */
export function createAbort(): AbortSource {
  const listeners = new Set<() => void>()
  let aborted = false
  let given: unknown
  return {
    signal: {
      get aborted() {
        return aborted
      },
      get reason() {
        return given
      },
      addEventListener: (_type, listener) => void listeners.add(listener),
      removeEventListener: (_type, listener) => void listeners.delete(listener),
    },
    abort(reason) {
      if (aborted) return
      aborted = true
      given = reason
      for (const listener of listeners) listener()
      listeners.clear()
    },
  }
}

/** Work that ends in time: its signal is aborted with its caller's, or by itself. */
export interface Deadline {
  readonly signal: AbortSignalLike
  /** True when the time ran out. */
  isOver(): boolean
  /** Stops the clock, and lets go of the caller's signal: the work has ended. */
  end(): void
}

/** A deadline `deadlineMs` from now on, for work that `signal` may end earlier. */
export function createDeadline(
  signal: AbortSignalLike,
  scheduler: { later(delayMs: number, work: () => void): () => void },
  deadlineMs: number,
): Deadline {
  const source = createAbort()
  let over = false
  const stop = () => source.abort(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  const cancel = scheduler.later(deadlineMs, () => {
    over = true
    source.abort()
  })
  return {
    signal: source.signal,
    isOver: () => over,
    end() {
      cancel()
      signal.removeEventListener('abort', stop)
    },
  }
}

/** Throws `aborted` when `signal` is. For the places between two steps of long work. */
export function checkAborted(signal: AbortSignalLike): void {
  if (signal.aborted) throw new DaybookError('aborted', undefined, { cause: signal.reason })
}

/** `work`, or a rejection with `aborted` as soon as `signal` is. What was begun is left to end by itself. */
export function orAborted<Result>(work: Promise<Result>, signal: AbortSignalLike): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new DaybookError('aborted', undefined, { cause: signal.reason }))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    // Handled in every case: what fails after it was given up must not surface as an unhandled rejection.
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
