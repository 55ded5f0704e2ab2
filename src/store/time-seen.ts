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
const keepEveryMs = 60_000

export function createTimeSeen(settings: Pick<Settings, 'getNumber' | 'set'>, clock: Clock): TimeSeen {
  let keptMs = settings.getNumber(setting)
  let seenMs = keptMs
  const now = () => {
    seenMs = Math.max(seenMs, clock.now())
    return seenMs
  }
  const put = (ms: number) => {
    settings.set(setting, ms)
    keptMs = ms
  }
  const isAhead = () => now() - keptMs >= keepEveryMs
  return {
    now,
    isAhead,
    keep() {
      if (isAhead()) put(now())
    },
    reset() {
      const behindMs = now() - clock.now()
      seenMs = clock.now()
      put(seenMs)
      return behindMs
    },
  }
}
