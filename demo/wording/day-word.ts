// Days, weeks and months as ids (`2026-01-31`, `2026-W05`, `2026-01`) and as text.
// Invariant: a day is a name, not an instant; only `dayOf` uses zones.
const dayMs = 86_400_000

const utc = (day: string) => Date.parse(`${day}T00:00:00Z`)
const named = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' })

const long = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
const short = format({ day: 'numeric', month: 'short' })
const monthAndYear = format({ month: 'long', year: 'numeric' })
const weekdayLong = format({ weekday: 'long' })
const weekdayShort = format({ weekday: 'short' })

export const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) && named(utc(text)) === text
export const isWeek = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-W(?:0[1-9]|[1-4]\d|5[0-3])$/.test(text)
export const isMonth = (text: string | undefined): text is string => text !== undefined && isDay(`${text}-01`)

export const dayWord = (day: string): string => long.format(utc(day))
export const shortDayWord = (day: string): string => short.format(utc(day))
export const monthWord = (month: string): string => monthAndYear.format(utc(`${month}-01`))
export const weekWord = (week: string): string => `Week ${Number(week.slice(6))} of ${week.slice(0, 4)}`

export const dayAfter = (day: string, count = 1): string => named(utc(day) + count * dayMs)

export function monthAfter(month: string, count: number): string {
  const at = Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1 + count
  return `${String(Math.floor(at / 12)).padStart(4, '0')}-${String((at % 12) + 1).padStart(2, '0')}`
}

/** The same day of another month, or its last one. */
export function sameDayIn(month: string, day: string): string {
  const last = dayAfter(`${monthAfter(month, 1)}-01`, -1)
  const same = `${month}-${day.slice(8)}`
  return isDay(same) ? same : last
}

/** Monday of the week. */
const mondayOf = (day: string): string => dayAfter(day, -((new Date(utc(day)).getUTCDay() + 6) % 7))

/** The week of a Monday (ISO 8601: in the year of its Thursday). */
function weekFrom(monday: string): string {
  const thursday = dayAfter(monday, 3)
  const year = thursday.slice(0, 4)
  const number = 1 + Math.floor((utc(thursday) - utc(`${year}-01-01`)) / dayMs / 7)
  return `${year}-W${String(number).padStart(2, '0')}`
}

/** The Monday of a week. */
export function firstDayOf(week: string): string {
  const january4 = `${week.slice(0, 4)}-01-04`
  return dayAfter(mondayOf(january4), (Number(week.slice(6)) - 1) * 7)
}

export interface Week {
  readonly id: string
  readonly days: readonly string[]
}

/** Six weeks from the one in which a month begins: enough for any month. */
export function weeksOf(month: string): Week[] {
  const first = mondayOf(`${month}-01`)
  return [0, 1, 2, 3, 4, 5].map((at) => {
    const monday = dayAfter(first, at * 7)
    return { id: weekFrom(monday), days: [0, 1, 2, 3, 4, 5, 6].map((on) => dayAfter(monday, on)) }
  })
}

/** Monday to Sunday: long for screen readers, short for table heads. */
export const weekdays = [0, 1, 2, 3, 4, 5, 6].map((at) => ({
  long: weekdayLong.format(utc(dayAfter('2024-01-01', at))),
  short: weekdayShort.format(utc(dayAfter('2024-01-01', at))),
}))

const clocks = new Map<string, Intl.DateTimeFormat>()

/** The day of an instant in a zone; in UTC if the browser does not know the zone. */
export function dayOf(instant: string | number, zone: string): string {
  let clock = clocks.get(zone)
  if (!clock) {
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
    try {
      clock = new Intl.DateTimeFormat('en-CA', { ...parts, timeZone: zone })
    } catch {
      clock = new Intl.DateTimeFormat('en-CA', { ...parts, timeZone: 'UTC' })
    }
    clocks.set(zone, clock)
  }
  return clock.format(typeof instant === 'string' ? Date.parse(instant) : instant)
}
