// The clock and timers that a host lends to those who ask again. No timer keeps a process from ending.

/** The parts of the host's global object that live queries use. */
export interface LiveHost {
  readonly Date: { now(): number }
  setTimeout(task: () => void, delayMs: number): unknown
  clearTimeout(timer: never): void
}

/** The time and timers of the host. */
export interface LiveClock {
  now(): number
  /** Runs `task` after so many milliseconds, unless the function it answers is called before. */
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
