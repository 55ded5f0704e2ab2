// Instants as text: canonical form is UTC with milliseconds, `2026-01-31T15:00:00.000Z`, so that text order is time order.
// Pure arithmetic on the proleptic Gregorian calendar (H. Hinnant, "chrono-compatible low-level date algorithms").

const dayMs = 86_400_000
const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|z|[+-]\d{2}:?\d{2})?)?$/

/** Days since 1970-01-01 of a civil date; `month` counts from 1. */
function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** Year, month (from 1) and day of a number of days since 1970-01-01. */
export function civilFromDays(days: number): { year: number; month: number; day: number } {
  const z = days + 719_468
  const era = Math.floor(z / 146_097)
  const dayOfEra = z - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const mp = Math.floor((5 * dayOfYear + 2) / 153)
  const month = mp + (mp < 10 ? 3 : -9)
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * mp + 2) / 5) + 1,
  }
}

/** Milliseconds since 1970 UTC of an ISO 8601 date or date-time (no offset means UTC), or undefined. */
export function parseTime(text: string): number | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  const days = daysFromCivil(year, month, day)
  const back = civilFromDays(days)
  const offset = offsetMs(match[8])
  if (back.month !== month || back.day !== day || hour > 23 || minute > 59 || second > 59) return undefined
  if (offset === undefined) return undefined
  const ms = Math.floor(Number(`0.${match[7] ?? '0'}`) * 1000)
  return days * dayMs + hour * 3_600_000 + minute * 60_000 + second * 1000 + ms - offset
}

function offsetMs(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))]
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

/** The canonical text of an instant given in milliseconds since 1970 UTC. */
export function formatTime(ms: number): string {
  const days = Math.floor(ms / dayMs)
  const rest = ms - days * dayMs
  const { year, month, day } = civilFromDays(days)
  const pad = (value: number, width: number) => String(Math.floor(value)).padStart(width, '0')
  const time = `${pad(rest / 3_600_000, 2)}:${pad((rest / 60_000) % 60, 2)}:${pad((rest / 1000) % 60, 2)}.${pad(rest % 1000, 3)}`
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${time}Z`
}

/** The first and the last millisecond of the years 1 to 9999: outside of them, text order is not time order. */
const [firstMs, lastMs] = [-62_135_596_800_000, 253_402_300_799_999]

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
  const days = Math.floor(ms / dayMs)
  const { year, month, day } = civilFromDays(days)
  const weekday = weekdays[(((days + 4) % 7) + 7) % 7] ?? ''
  return `${formatTime(ms).slice(0, 10)} ${day} ${months[month - 1] ?? ''} ${year} ${weekday}`
}
