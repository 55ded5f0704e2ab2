// The latest time that this copy of a book has seen. Invariant: it never falls, whatever the clock says later and however often
// the book is opened, until the owner says that the clock is right: what has ended stays ended.
import type { Clock } from '../core/ports.ts'
import type { Settings } from './schema/settings.ts'

export interface TimeSeen {
  /** What the clock says, or the latest that it has said. */
  now(): number
  /** True when the kept time is so far behind that it is to be kept anew. */
  isAhead(): boolean
  /** Keeps the time, once a minute at most. Inside a transaction. */
  keep(): void
  /** Takes the clock for right; answers how far it was behind. Inside a transaction. */
  reset(): number
}

const setting = 'time_seen'
/** How often the owner took the clock for right. */
const resets = 'time_resets'
const keepEveryMs = 60_000

export function createTimeSeen(settings: Pick<Settings, 'getNumber' | 'set'>, clock: Clock): TimeSeen {
  let keptMs = 0
  let resetCount = settings.getNumber(resets)
  let seenMs = 0
  /** What is kept is read each time: another process may have kept it, and a copy is filled after it was opened. */
  const now = () => {
    const keptNowMs = settings.getNumber(setting)
    if (keptNowMs !== keptMs) {
      const count = settings.getNumber(resets)
      if (count !== resetCount) seenMs = keptNowMs
      resetCount = count
      keptMs = keptNowMs
    }
    seenMs = Math.max(seenMs, keptNowMs, clock.now())
    return seenMs
  }
  const isAhead = () => now() - keptMs >= keepEveryMs
  return {
    now,
    isAhead,
    keep() {
      if (isAhead()) settings.set(setting, seenMs)
    },
    reset() {
      const behindMs = now() - clock.now()
      settings.set(setting, clock.now())
      settings.set(resets, resetCount + 1)
      return behindMs
    },
  }
}
