// Stamps: a hybrid logical clock (Kulkarni et al., 2014) as text that sorts in causal order.
// Invariant: stamps of one device only grow. They break ties; they never order a sequence or serve as a cursor.
import type { Clock } from './ports.ts'

export interface StampClock {
  /** Returns a stamp later than every stamp made or seen so far. */
  next(): string
  /** Notes the stamp of another device. */
  see(stamp: string): void
}

/** Greatest value of 12 hex digits. */
const lastMs = 2 ** 48 - 1
const pattern = /^([0-9a-f]{12})-([0-9a-f]{4})-[A-Za-z0-9_]{1,64}$/

/** True for a valid stamp: 12 hex digits of milliseconds, 4 of counter, the device. */
export function isStamp(text: string): boolean {
  return pattern.test(text)
}

/** Time of a stamp, in milliseconds since 1970 UTC. */
export function stampMs(stamp: string): number {
  return Number.parseInt(stamp.slice(0, 12), 16)
}

/** Returns the stamp, or moves it back to `limitMs` if it is later: a mirror clamps clocks that run ahead. */
export function clampStamp(stamp: string, limitMs: number): string {
  return stampMs(stamp) > limitMs ? hex(Math.floor(limitMs), 12) + stamp.slice(12) : stamp
}

/** Creates a stamp clock for `device` that continues after `last`. */
export function createStampClock(clock: Clock, device: string, last = ''): StampClock {
  let ms = 0
  let count = 0
  const see = (stamp: string) => {
    const match = pattern.exec(stamp)
    if (!match) return
    const theirMs = Number.parseInt(match[1] ?? '0', 16)
    const theirCount = Number.parseInt(match[2] ?? '0', 16)
    // No stamp could follow the last possible instant.
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
