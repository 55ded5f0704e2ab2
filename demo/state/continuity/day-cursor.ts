// Where the keyboard stands in the calendar. Moving it out of the month shows the next one; Enter opens the day.
import { signal } from '@preact/signals'
import { dayAfter, isDay, monthAfter, sameDayIn, weeksOf } from '../../wording/day-word.ts'
import { narrow, go } from '../address.ts'
import { month, monthName, openPeriod, today } from './days.ts'

const moved = signal<string | undefined>(undefined)

/** The day that Tab reaches: the one moved to, else the open one, today, or the first of the month. */
export function cursorDay(): string {
  const name = monthName.value
  const shown = new Set(weeksOf(name).flatMap(({ days }) => days))
  for (const day of [moved.value, openPeriod.value, today.value]) if (isDay(day) && shown.has(day)) return day
  return `${name}-01`
}

export function showMonth(name: string, day?: string): void {
  moved.value = day
  narrow(
    { month: name === today.peek().slice(0, 7) && openPeriod.peek() === undefined ? '' : name },
    'replace',
  )
}

let isFocusWanted = false
/** Told by the calendar when it has drawn; true once after the keyboard has moved. */
export function takeFocus(): boolean {
  const was = isFocusWanted
  isFocusWanted = false
  return was
}

export function moveTo(day: string): void {
  isFocusWanted = true
  const name = day.slice(0, 7)
  if (name === monthName.peek()) moved.value = day
  else showMonth(name, day)
}

/** The next day before or after the cursor that has a digest or a session. */
function nextFilled(by: 1 | -1): string | undefined {
  const { digests, sessions } = month.peek() ?? {}
  const at = cursorDay()
  const days = [...new Set([...(digests?.keys() ?? []), ...(sessions?.keys() ?? [])])]
    .filter(isDay)
    .toSorted()
  return by === 1 ? days.find((day) => day > at) : days.findLast((day) => day < at)
}

const steps: Readonly<Record<string, (day: string) => string | undefined>> = {
  ArrowLeft: (day) => dayAfter(day, -1),
  ArrowRight: (day) => dayAfter(day, 1),
  ArrowUp: (day) => dayAfter(day, -7),
  ArrowDown: (day) => dayAfter(day, 7),
  PageUp: (day) => sameDayIn(monthAfter(day.slice(0, 7), -1), day),
  PageDown: (day) => sameDayIn(monthAfter(day.slice(0, 7), 1), day),
  j: () => nextFilled(1),
  k: () => nextFilled(-1),
}

/** Monday or Sunday of the week of the cursor. */
function endOfWeek(at: 0 | 6): string | undefined {
  const day = cursorDay()
  return weeksOf(monthName.peek()).find(({ days }) => days.includes(day))?.days[at]
}

/** A key while focus is in the calendar; false when it means nothing there. */
export function calendarKey(key: string): boolean {
  const day = cursorDay()
  if (key === 'Enter' || key === ' ') openDay(day)
  else if (key === 'Home' || key === 'End') moveTo(endOfWeek(key === 'Home' ? 0 : 6) ?? day)
  else if (steps[key]) moveTo(steps[key](day) ?? day)
  else return false
  return true
}

let isOpening = false
/** Told by the open day when it has drawn; true once after somebody has opened it. */
export function takeOpening(): boolean {
  const was = isOpening
  isOpening = false
  return was
}

export function openDay(period: string): void {
  isOpening = true
  if (isDay(period)) moved.value = period
  go({ id: period })
}

/** Back to the calendar. */
export function closeDay(): void {
  const open = openPeriod.peek()
  isFocusWanted = true
  if (isDay(open)) moved.value = open
  go({ id: undefined })
}
