// Time zones: the day of an instant, and the limits of a day. Days have 23, 24 or 25 hours; some have no midnight, and a
// few were skipped in some places.
// Invariant: a day begins at the first instant whose local time is not before its midnight, so days follow each other
// without gaps; a skipped day is empty.
import { canonicalTime, formatTime, isDateOnly, parseTime } from './time.ts'

/** Local time of one place. Law: offsets are those of the host's IANA database. */
export interface Zone {
  /** IANA name, or `UTC`. */
  readonly name: string
  /** Offset of the local clocks from UTC at an instant, both in milliseconds; positive in the east. */
  offsetAt(ms: number): number
  /** Day of an instant (milliseconds since 1970 UTC): `2026-01-31`. */
  dayOf(ms: number): string
  /** First instant of a day such as `2026-01-31`, in milliseconds since 1970 UTC. */
  startOfDay(day: string): number
  /** First instant after a day, in milliseconds since 1970 UTC. */
  endOfDay(day: string): number
  /** Returns another zone by name, if the host supports it; undefined for an unknown name. */
  named?(name: string): Zone | undefined
}

const hourMs = 3_600_000
export const dayMs = 86_400_000
/** Greatest distance of any local clock from UTC. */
const furthestMs = 16 * hourMs

/** Creates a zone from its offsets. */
export function createZone(name: string, offsetAt: (ms: number) => number): Zone {
  /** First instant at which the clocks show `local` or later. */
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
      // The clocks skipped it.
      if (change + next >= local) return change
      offset = next
    }
    return local - offset
  }

  /** First instant after `from` with another offset; there is one up to `to`. */
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

/** Coordinated Universal Time: the default zone. */
export const utcZone: Zone = createZone('UTC', () => 0)

/** Returns the first instant of `text`, a date in the zone of the book or an ISO 8601 time, as canonical text. */
export function beginningOf(text: string, zone: Zone): string {
  return isDateOnly(text) ? formatTime(zone.startOfDay(text)) : (canonicalTime(text) ?? text)
}

/** Returns the last instant of `text` as canonical text: the last millisecond of a date, or the time itself. */
export function endingOf(text: string, zone: Zone): string {
  return isDateOnly(text) ? formatTime(zone.endOfDay(text) - 1) : (canonicalTime(text) ?? text)
}

/** A period; both limits may be dates. */
interface Span {
  readonly not_before?: string | undefined
  readonly expires_at: string
}

/** Returns `span` with canonical limits: from the start of its first day to the end of its last one. */
export function canonicalSpan<Limits extends Span>(span: Limits, zone: Zone): Limits {
  const { not_before: from, expires_at: until } = span
  return { ...span, not_before: from && beginningOf(from, zone), expires_at: endingOf(until, zone) }
}

/** Returns the latest of some canonical texts; undefined without any. */
export function latestOf(...instants: readonly (string | undefined)[]): string | undefined {
  return instants
    .filter((one) => one !== undefined)
    .sort()
    .at(-1)
}
