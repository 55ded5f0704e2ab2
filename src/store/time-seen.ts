// The latest time that this copy of a book has seen.
// Invariant: only the owner's reset makes it earlier, so a clock that is set back revives no expired right.
import type { Clock } from '../core/ports.ts'
import type { Settings } from './schema/settings.ts'

export interface TimeSeen {
  /** The time of the clock or the latest time seen, whichever is later. Milliseconds since 1970 UTC. */
  now(): number
  /** True when the stored time is a minute or more behind `now`. */
  isStale(): boolean
  /** Stores `now` when the stored time is stale. Call it inside a transaction. */
  store(): void
  /**
   * Accepts the clock's time as right. Returns the latest time seen minus the clock's, in milliseconds. Call it inside a
   * transaction.
   */
  reset(): number
}

const timeSetting = 'time_seen'
/** The setting that counts the resets. */
const resetCountSetting = 'time_resets'
const storeIntervalMs = 60_000

export function createTimeSeen(settings: Pick<Settings, 'getNumber' | 'set'>, clock: Clock): TimeSeen {
  /** The stored time as it was last read. */
  let storedMs = 0
  let resetCount = settings.getNumber(resetCountSetting)
  let seenMs = 0
  /**
   * Reads the stored time at each call: another process may have stored it, also by a reset, and a copy may be filled
   * after it was opened.
   */
  const now = () => {
    const readMs = settings.getNumber(timeSetting)
    if (readMs !== storedMs) {
      const count = settings.getNumber(resetCountSetting)
      if (count !== resetCount) seenMs = readMs
      resetCount = count
      storedMs = readMs
    }
    seenMs = Math.max(seenMs, readMs, clock.now())
    return seenMs
  }
  const isStale = () => now() - storedMs >= storeIntervalMs
  return {
    now,
    isStale,
    store() {
      if (isStale()) settings.set(timeSetting, seenMs)
    },
    // The next `now` finds the new count, and takes over the stored time even if it is earlier.
    reset() {
      const behindMs = now() - clock.now()
      settings.set(timeSetting, clock.now())
      settings.set(resetCountSetting, resetCount + 1)
      return behindMs
    },
  }
}
