// Timers of a simulated world. They ring only while time is let pass: a clock that is set forward makes them late.
import type { Scheduler } from '../../../src/core/ports.ts'

export interface SimTime {
  /** The timers of processes; `isAlive` is asked of whoever set one when it is due. */
  later(delayMs: number, task: () => void, isAlive: () => boolean): ReturnType<Scheduler['later']>
  /** Lets `ms` pass: what is due rings in its order, and `between` runs after each and at the end. */
  pass(ms: number, between: () => Promise<void>): Promise<void>
}

interface Timer {
  readonly at: number
  readonly ring: () => void
}

/** Rings in one `pass`: more is a timer that sets itself again at once. */
const ringLimit = 5000

export function createSimTime(clock: { nowMs: number }): SimTime {
  let timers: readonly Timer[] = []
  return {
    later(delayMs, task, isAlive) {
      const timer = { at: clock.nowMs + Math.max(0, delayMs), ring: () => isAlive() && task() }
      timers = [...timers, timer]
      return () => void (timers = timers.filter((other) => other !== timer))
    },
    async pass(ms, between) {
      const end = clock.nowMs + ms
      await between()
      for (let rings = 0; ; rings++) {
        if (rings > ringLimit) throw new Error('A timer sets itself again at once.')
        const next = timers.reduce<Timer | undefined>(
          (first, timer) => (timer.at <= end && (!first || timer.at < first.at) ? timer : first),
          undefined,
        )
        if (!next) break
        timers = timers.filter((other) => other !== next)
        clock.nowMs = Math.max(clock.nowMs, next.at)
        next.ring()
        await between()
      }
      clock.nowMs = end
      await between()
    },
  }
}
