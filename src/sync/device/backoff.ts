// How long to wait before the next attempt: exponential with full jitter (Brooker, "Exponential Backoff And Jitter", 2015).

const baseMs = 1000
const capMs = 300_000

/**
 * Milliseconds to wait after the `attempt`th failure in a row, counted from 1: anything up to 1 s · 2^attempt and 5
 * minutes, but not less than `leastMs`, which the other side may have asked for. `chance` is in [0, 1).
 */
export function backoffMs(attempt: number, chance: number, leastMs = 0): number {
  const most = Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30))
  return Math.max(leastMs, Math.floor(chance * most))
}
