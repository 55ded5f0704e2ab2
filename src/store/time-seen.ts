// The latest time that this copy of a book has seen. Invariant: it never falls, whatever the clock shows later, until the owner
// confirms the clock: expired rights stay expired.
import type { Clock } from '../core/ports.ts'
import type { Settings } from './schema/settings.ts'

export interface TimeSeen {
  /** The time of the clock, or the latest one seen. */
  now(): number
  /** True when the stored time is so far behind that it must be stored again. */
  isStale(): boolean
  /** Stores the time, at most once a minute. Inside a transaction. */
  store(): void
  /** Trusts the clock again; answers how far it was behind. Inside a transaction. */
  reset(): number
}

const setting = 'time_seen'
/** How often the owner confirmed the clock. */
const resets = 'time_resets'
const storeEveryMs = 60_000

export function createTimeSeen(settings: Pick<Settings, 'getNumber' | 'set'>, clock: Clock): TimeSeen {
  let storedMs = 0
  let resetCount = settings.getNumber(resets)
  let seenMs = 0
  /** Reads the stored time each time: another process may have stored it, and a copy is filled after it was opened. */
  const now = () => {
    const presentMs = settings.getNumber(setting)
    if (presentMs !== storedMs) {
      const count = settings.getNumber(resets)
      if (count !== resetCount) seenMs = presentMs
      resetCount = count
      storedMs = presentMs
    }
    seenMs = Math.max(seenMs, presentMs, clock.now())
    return seenMs
  }
  const isStale = () => now() - storedMs >= storeEveryMs
  return {
    now,
    isStale,
    store() {
      if (isStale()) settings.set(setting, seenMs)
    },
    reset() {
      const behindMs = now() - clock.now()
      settings.set(setting, clock.now())
      settings.set(resets, resetCount + 1)
      return behindMs
    },
  }
}
