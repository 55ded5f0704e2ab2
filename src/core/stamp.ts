// Stamps: a hybrid logical clock (Kulkarni et al., 2014) as text. Sorted stamps are in causal order.
// Invariant: stamps of one device ascend. A stamp breaks ties; it never orders a sequence or serves as a cursor.
import type { Clock } from './ports.ts'

export interface StampClock {
  /** Returns a stamp later than every created or seen stamp. */
  next(): string
  /** Takes account of a stamp of another device. */
  see(stamp: string): void
}

/** Greatest value of 12 hex digits. */
const lastMs = 2 ** 48 - 1
const pattern = /^([0-9a-f]{12})-([0-9a-f]{4})-[A-Za-z0-9_]{1,64}$/

/** True for a valid stamp: 12 hex digits of milliseconds, 4 of a counter, and the device. */
export function isStamp(text: string): boolean {
  return pattern.test(text)
}

/** Time of a stamp, in milliseconds since 1970 UTC. */
export function stampMs(stamp: string): number {
  return Number.parseInt(stamp.slice(0, 12), 16)
}

/** Returns the stamp, with its time set back to `limitMs` if it is later: a mirror clamps clocks that run ahead. */
export function clampStamp(stamp: string, limitMs: number): string {
  return stampMs(stamp) > limitMs ? hex(Math.floor(limitMs), 12) + stamp.slice(12) : stamp
}

/** Creates a clock for `device` whose stamps follow `last`. */
export function createStampClock(clock: Clock, device: string, last = ''): StampClock {
  let ms = 0
  let count = 0
  const see = (stamp: string) => {
    const match = pattern.exec(stamp)
    if (!match) return
    const theirMs = Number.parseInt(match[1] ?? '0', 16)
    const theirCount = Number.parseInt(match[2] ?? '0', 16)
    // Ignores the last possible time: no stamp could follow it.
    if (theirMs >= lastMs) return
    if (theirMs > ms || (theirMs === ms && theirCount > count)) [ms, count] = [theirMs, theirCount]
  }
  see(last)
  return {
    see,
    next() {
      const now = Math.max(0, Math.floor(clock.now()))
      if (now > ms) [ms, count] = [now, 0]
      else if (++count > 0xffff) [ms, count] = [ms + 1, 0]
      return `${hex(ms, 12)}-${hex(count, 4)}-${device}`
    },
  }
}

function hex(value: number, width: number): string {
  return value.toString(16).padStart(width, '0')
}
