// Instants as text. The canonical form is UTC with milliseconds, `2026-01-31T15:00:00.000Z`; its text order is time
// order. This module parses more strictly than `Date.parse`.

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|z|[+-]\d{2}:?\d{2})?)?$/

/** Canonical texts with a day that every month has: most texts, and the platform parses them faster. */
const canonical =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** Longest delay of a host's timer, in milliseconds: a signed 32-bit integer. */
export const longestTimerMs = 2_147_483_647

/** First and last millisecond of the years 1 to 9999. Outside, text order is not time order. */
const firstMs = -62_135_596_800_000
const lastMs = 253_402_300_799_999

/**
 * Parses an ISO 8601 date or date-time (default offset: UTC) to milliseconds since 1970 UTC; undefined if invalid.
 */
export function parseTime(text: string): number | undefined {
  if (canonical.test(text)) return Date.parse(text)
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

/** Returns midnight UTC of a day; undefined for an impossible date. `month` counts from 1. */
function dayStart(year: number, month: number, day: number): number | undefined {
  const date = new Date(0)
  // Unlike `Date.UTC`, `setUTCFullYear` doesn't move the years 0 to 99.
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

let formattedMs = 0
let formatted = new Date(0).toISOString()

/** Formats milliseconds since 1970 UTC as canonical text. Clamps to the years 1 to 9999. */
export function formatTime(ms: number): string {
  // Most calls of a burst fall into one millisecond.
  if (ms === formattedMs) return formatted
  formatted = new Date(Math.min(Math.max(Math.floor(ms), firstMs), lastMs)).toISOString()
  formattedMs = ms
  return formatted
}

/** Converts an ISO 8601 text to canonical form; undefined if invalid. */
export function canonicalTime(text: string): string | undefined {
  if (canonical.test(text)) return text
  const ms = parseTime(text)
  return ms === undefined || ms < firstMs || ms > lastMs ? undefined : formatTime(ms)
}

/** True for a date without a time of day. Such a date means the whole day. */
export function isDateOnly(text: string): boolean {
  return text.length === 10 && parseTime(text) !== undefined
}

/** True for a time that ends in its offset from UTC. */
export const hasOffset = (text: string): boolean => /(?:[Zz]|[+-]\d{2}:?\d{2})$/.test(text)

const months = 'january february march april may june july august september october november december'.split(
  ' ',
)
const weekdays = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')

const dayMs = 86_400_000
let wordedDay = Number.NaN
let dayWords = ''

/** Returns words for the search of a day: `2026-01-31 31 january 2026 saturday`. */
export function dateWords(ms: number): string {
  const day = Math.floor(ms / dayMs)
  // Records are indexed in the order of their writes, so most have the day of the record before.
  if (day === wordedDay) return dayWords
  const date = new Date(ms)
  const weekday = weekdays[date.getUTCDay()] ?? ''
  const month = months[date.getUTCMonth()] ?? ''
  dayWords = `${date.toISOString().slice(0, 10)} ${date.getUTCDate()} ${month} ${date.getUTCFullYear()} ${weekday}`
  wordedDay = day
  return dayWords
}

const httpDate = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}:\d{2}:\d{2}) GMT$/
const httpMonths = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/**
 * Parses the HTTP header `Retry-After` (RFC 9110, section 10.2.3), seconds or a date, to milliseconds from `now`.
 * Undefined if invalid.
 */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const [, day, month = '', year, time] = httpDate.exec(text) ?? []
  const at = parseTime(`${year}-${String(httpMonths.indexOf(month) + 1).padStart(2, '0')}-${day}T${time}Z`)
  return at === undefined ? undefined : Math.max(0, at - now)
}

const unitMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/**
 * Parses a duration such as `90s`, `15m`, `6h`, `1d`, `2w` to milliseconds; undefined if invalid. A day is 24 hours.
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,6})([smhdw])$/.exec(text)
  const [, count = '', unit = ''] = match ?? []
  return match ? Number(count) * (unitMs[unit] ?? 0) : undefined
}
