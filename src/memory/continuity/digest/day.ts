// Days and weeks of a persona, in its own zone. A day is `2026-01-31`; a week `2026-W05`, from Monday to Sunday, and of the
// year in which its Thursday lies (ISO 8601).
import { dayMs, type Zone } from '../../../core/calendar/zone.ts'
import { parseTime } from '../../../core/time.ts'
import type { Span } from './raw-record.ts'

const atNoon = (day: string) => (parseTime(day) ?? 0) + dayMs / 2
const text = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** The day `count` days after `day`. */
export const dayAfter = (day: string, count = 1): string => text(atNoon(day) + count * dayMs)

/** The days from `first` to `last`, both of them. */
export function daysBetween(first: string, last: string): string[] {
  const days: string[] = []
  for (let day = first; day <= last; day = dayAfter(day)) days.push(day)
  return days
}

export const spanOfDays = (zone: Zone, first: string, last: string = first): Span => ({
  from: zone.startOfDay(first),
  to: zone.endOfDay(last),
})

/** Monday to Sunday around `day`, and the name of the week. */
export function weekOf(day: string): { readonly id: string; readonly first: string; readonly last: string } {
  const weekday = (new Date(atNoon(day)).getUTCDay() + 6) % 7
  const first = dayAfter(day, -weekday)
  const thursday = dayAfter(first, 3)
  const year = thursday.slice(0, 4)
  const number = 1 + Math.floor((atNoon(thursday) - atNoon(`${year}-01-01`)) / dayMs / 7)
  return { id: `${year}-W${String(number).padStart(2, '0')}`, first, last: dayAfter(first, 6) }
}
