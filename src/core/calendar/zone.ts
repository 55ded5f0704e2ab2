// A time zone: on which day an instant falls, and when a day begins and ends. Days have 23, 24 or 25 hours; some have no
// midnight, and a few were never lived in some places.
// Invariant: a day begins at the first instant whose local time is not before its midnight, so days follow each other without
// a gap; one that was skipped is empty.
import { parseTime } from '../time.ts'

/** What clocks show in one place. Law: offsets are those of the IANA database, as the host knows it. */
export interface Zone {
  /** Its IANA name, or `UTC`. */
  readonly name: string
  /** How far its clocks are ahead of UTC at an instant, both in milliseconds. */
  offsetAt(ms: number): number
  /** The day on which an instant (milliseconds since 1970 UTC) falls: `2026-01-31`. */
  dayOf(ms: number): string
  /** The first instant of a day, given as `2026-01-31`, in milliseconds since 1970 UTC. */
  startOfDay(day: string): number
  /** The first instant after a day. */
  endOfDay(day: string): number
  /** Another zone by its name, where the host can tell; undefined for a name that nobody knows. */
  named?(name: string): Zone | undefined
}

const hourMs = 3_600_000
export const dayMs = 86_400_000
/** No clock was ever further from UTC than this. */
const furthestMs = 16 * hourMs

/** A zone whose clocks are ahead of UTC by `offsetAt`. */
export function createZone(name: string, offsetAt: (ms: number) => number): Zone {
  /** The first instant at which the clocks show `local` or later. */
  const firstAt = (local: number): number => {
    let from = local - furthestMs
    let offset = offsetAt(from)
    const last = local + furthestMs
    if (offset === offsetAt(last)) return local - offset
    for (; from < last; from += hourMs) {
      const to = from + hourMs
      const next = offsetAt(to)
      const change = next === offset ? to : changeIn(from, to)
      if (local - offset < change) return local - offset
      // The clocks were put forward over it.
      if (change + next >= local) return change
      offset = next
    }
    return local - offset
  }

  /** The first instant after `from` at which the offset is another one; there is one up to `to`. */
  const changeIn = (from: number, to: number): number => {
    const before = offsetAt(from)
    let low = from
    let high = to
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (offsetAt(middle) === before) low = middle
      else high = middle
    }
    return high
  }

  const midnightOf = (day: string) => parseTime(day) ?? 0
  return {
    name,
    offsetAt,
    dayOf: (ms) => new Date(ms + offsetAt(ms)).toISOString().slice(0, 10),
    startOfDay: (day) => firstAt(midnightOf(day)),
    endOfDay: (day) => firstAt(midnightOf(day) + dayMs),
  }
}

/** Coordinated Universal Time: the zone of whoever names none. */
export const utcZone: Zone = createZone('UTC', () => 0)
