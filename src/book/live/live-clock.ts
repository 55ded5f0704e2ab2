// The host's clock and timers, for live queries, and the call of a user's listener. No timer keeps a process alive.

/** The used part of the host's global object. */
export interface LiveHost {
  readonly Date: { now(): number }
  setTimeout(task: () => void, delayMs: number): unknown
  clearTimeout(timer: never): void
}

/** Time and timers of the host. */
export interface LiveClock {
  now(): number
  /** Runs `task` after a delay, unless the returned function is called first. */
  later(delayMs: number, task: () => void): () => void
}

export function clockOf(host: LiveHost): LiveClock {
  return {
    now: () => host.Date.now(),
    later(delayMs, task) {
      const timer = host.setTimeout(task, delayMs)
      if (typeof timer === 'object' && timer !== null) (timer as { unref?: () => void }).unref?.()
      return () => host.clearTimeout(timer as never)
    },
  }
}

/**
 * Calls a user's listener. If it throws, other listeners are still called: the error becomes an uncaught error of the
 * host, as with the host's own events.
 */
export function callListener(clock: LiveClock, listener: () => void): void {
  try {
    listener()
  } catch (error) {
    clock.later(0, () => {
      throw error
    })
  }
}
