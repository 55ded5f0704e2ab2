// What a date without a time of day means: its whole day in the zone of the book. What begins then begins with that day,
// what ends then lasts to its end.
import { canonicalTime, formatTime, isDateOnly } from '../time.ts'
import type { Zone } from './zone.ts'

/** The canonical text of an instant at which something begins or happens; `text` is a date or an ISO 8601 time. */
export function beginningOf(text: string, zone: Zone): string {
  return isDateOnly(text) ? formatTime(zone.startOfDay(text)) : (canonicalTime(text) ?? text)
}

/** The canonical text of the instant at which something ends: the last millisecond of a date, or the instant itself. */
export function endingOf(text: string, zone: Zone): string {
  return isDateOnly(text) ? formatTime(zone.endOfDay(text) - 1) : (canonicalTime(text) ?? text)
}

/** What counts from one instant up to another, both of which may be given as dates. */
interface Span {
  readonly not_before?: string | undefined
  readonly expires_at: string
}

/** `span` with its dates as canonical text: from the beginning of the first day to the end of the last. */
export function spanOf<Given extends Span>(span: Given, zone: Zone): Given {
  const { not_before: from, expires_at: until } = span
  return { ...span, not_before: from && beginningOf(from, zone), expires_at: endingOf(until, zone) }
}

/** The latest of some canonical texts; undefined when there is none. */
export function latestOf(...instants: readonly (string | undefined)[]): string | undefined {
  return instants
    .filter((one) => one !== undefined)
    .sort()
    .at(-1)
}
