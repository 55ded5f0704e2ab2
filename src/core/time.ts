// Instants as text: canonical form is UTC with milliseconds, `2026-01-31T15:00:00.000Z`, so that text order is time order.
// The calendar is the platform's; how an instant may be written is decided here, more strictly than `Date.parse` does.

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|z|[+-]\d{2}:?\d{2})?)?$/

/** The first and the last millisecond of the years 1 to 9999: outside of them, text order is not time order. */
const firstMs = -62_135_596_800_000
const lastMs = 253_402_300_799_999

/** Milliseconds since 1970 UTC of an ISO 8601 date or date-time (no offset means UTC), or undefined. */
export function parseTime(text: string): number | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', zone] = match
  const days = dayStart(Number(year), Number(month), Number(day))
  const offset = offsetMs(zone)
  if (days === undefined || offset === undefined) return undefined
  const hours = Number(hour)
  const minutes = Number(minute)
  const seconds = Number(second)
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  const ms = Math.floor(Number(`0.${fraction}`) * 1000)
  return days + hours * 3_600_000 + minutes * 60_000 + seconds * 1000 + ms - offset
}

/** Midnight UTC of a day, or undefined when there is no such day; `month` counts from 1. */
function dayStart(year: number, month: number, day: number): number | undefined {
  const date = new Date(0)
  // Unlike `Date.UTC`, this takes the years 0 to 99 for what they are.
  const ms = date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? ms : undefined
}

function offsetMs(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(-2))
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

/** The canonical text of an instant given in milliseconds since 1970 UTC, or of the nearest one that has such a text. */
export function formatTime(ms: number): string {
  return new Date(Math.min(Math.max(Math.floor(ms), firstMs), lastMs)).toISOString()
}

/** Any ISO 8601 text in its canonical form, or undefined when it is none. */
export function canonicalTime(text: string): string | undefined {
  const ms = parseTime(text)
  return ms === undefined || ms < firstMs || ms > lastMs ? undefined : formatTime(ms)
}

/** True for a date without a time of day: it stands for the whole day. */
export function isDateOnly(text: string): boolean {
  return text.length === 10 && parseTime(text) !== undefined
}

const months = 'january february march april may june july august september october november december'.split(
  ' ',
)
const weekdays = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')

/** Words by which people look for a day: `2026-01-31 31 january 2026 saturday`. */
export function dateWords(ms: number): string {
  const date = new Date(ms)
  const weekday = weekdays[date.getUTCDay()] ?? ''
  const month = months[date.getUTCMonth()] ?? ''
  return `${date.toISOString().slice(0, 10)} ${date.getUTCDate()} ${month} ${date.getUTCFullYear()} ${weekday}`
}
