// Time that stands still until a test moves it: a clock, and a scheduler that runs what has become due, in order.
import type { Clock, Scheduler } from '../../src/core/ports.ts'

export interface VirtualTime {
  readonly clock: Clock
  readonly scheduler: Scheduler
  nowMs(): number
  /** Moves on by `ms`; before each thing that becomes due, everything that waits on promises is let go first. */
  advance(ms: number): Promise<void>
  /** When the timers that wait are due. */
  due(): number[]
}

export function createVirtualTime(startMs = Date.UTC(2026, 0, 1)): VirtualTime {
  let now = startMs
  let timers: { readonly at: number; readonly task: () => void }[] = []
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  const later = (delayMs: number, task: () => void) => {
    const timer = { at: now + Math.max(0, delayMs), task }
    timers.push(timer)
    return () => {
      timers = timers.filter((other) => other !== timer)
    }
  }
  return {
    clock: { now: () => now },
    scheduler: { soon: (task) => queueMicrotask(task), later },
    nowMs: () => now,
    due: () => timers.map(({ at }) => at).toSorted((a, b) => a - b),
    async advance(ms) {
      const end = now + ms
      await settle()
      for (;;) {
        const next = timers.toSorted((a, b) => a.at - b.at)[0]
        if (!next || next.at > end) break
        now = Math.max(now, next.at)
        timers = timers.filter((other) => other !== next)
        next.task()
        await settle()
      }
      now = end
      await settle()
    },
  }
}
