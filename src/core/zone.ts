// Time zones: the day of an instant, and the start and end of a day. A day has 23, 24 or 25 hours. Some days have no
// midnight; some places skipped a day.
// Invariant: a day begins at the first instant whose local time is its midnight or later. So days are contiguous, and
// a skipped day is empty.
import { canonicalTime, formatTime, hasOffset, isDateOnly, parseTime } from './time.ts'

/** Local time of one place. Law: the offsets are those of the host's IANA database. */
export interface Zone {
  /** IANA name, or `UTC`. */
  readonly name: string
  /** Offset of local time from UTC at an instant, in milliseconds; positive east of Greenwich. */
  offsetAt(ms: number): number
  /** Returns the first instant at which local time is `local` or later: local time as if it were UTC, in milliseconds. */
  firstAt(local: number): number
  /** Returns the day of an instant (milliseconds since 1970 UTC): `2026-01-31`. */
  dayOf(ms: number): string
  /** Returns the first instant of a day such as `2026-01-31`, in milliseconds since 1970 UTC. */
  startOfDay(day: string): number
  /** Returns the first instant after a day, in milliseconds since 1970 UTC. */
  endOfDay(day: string): number
  /** Returns another zone by its IANA name; undefined for an unknown name. Absent: the host has no other zones. */
  named?(name: string): Zone | undefined
}

const hourMs = 3_600_000
export const dayMs = 86_400_000
/** Upper bound of the offset of any zone. */
const furthestMs = 16 * hourMs

/** Creates a zone from a function that returns its offset at an instant. */
export function createZone(name: string, offsetAt: (ms: number) => number): Zone {
  /** Returns the first instant at which local time is `local` or later. */
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
      // The change of offset skipped `local`.
      if (change + next >= local) return change
      offset = next
    }
    return local - offset
  }

  /** Returns the first instant after `from` with another offset. The offset must change up to `to`. */
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
    firstAt,
    dayOf: (ms) => new Date(ms + offsetAt(ms)).toISOString().slice(0, 10),
    startOfDay: (day) => firstAt(midnightOf(day)),
    endOfDay: (day) => firstAt(midnightOf(day) + dayMs),
  }
}

/** Coordinated Universal Time: the default zone. */
export const utcZone: Zone = createZone('UTC', () => 0)

/** Returns `text` as canonical text if it is a time without an offset, read in this zone; any other text as it is. */
export function localTime(text: string, zone: Zone): string {
  const local = isDateOnly(text) || hasOffset(text) ? undefined : parseTime(text)
  return local === undefined ? text : formatTime(zone.firstAt(local))
}

/** Returns the first instant of `text`, a date in this zone or an ISO 8601 time, as canonical text. */
export function beginningOf(text: string, zone: Zone): string {
  return isDateOnly(text) ? formatTime(zone.startOfDay(text)) : (canonicalTime(text) ?? text)
}

/** Returns the last instant of `text` as canonical text: the last millisecond of a date, or the time itself. */
export function endingOf(text: string, zone: Zone): string {
  return isDateOnly(text) ? formatTime(zone.endOfDay(text) - 1) : (canonicalTime(text) ?? text)
}

/** A period. Both limits may be dates or times. */
interface Span {
  readonly not_before?: string | undefined
  readonly expires_at: string
}

/** Returns `span` with canonical limits: start of the first day, end of the last day. */
export function canonicalSpan<Limits extends Span>(span: Limits, zone: Zone): Limits {
  const { not_before: from, expires_at: until } = span
  return { ...span, not_before: from && beginningOf(from, zone), expires_at: endingOf(until, zone) }
}

/** Returns the latest of canonical times; undefined without any. */
export function latestOf(...instants: readonly (string | undefined)[]): string | undefined {
  return instants
    .filter((one) => one !== undefined)
    .sort()
    .at(-1)
}
