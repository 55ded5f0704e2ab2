// Days of a persona by month: digests, sessions and patterns, and the cursor of the calendar.
// Invariant: the page shows one persona and one month; a late answer never replaces a newer one.
import { createReader, defined } from '../reading.ts'
import { attempt, onBook } from '../book.ts'
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityOutput, Daybook } from '../../../src/index.ts'
import { now } from '../../page/clock.ts'
import { tell } from '../../page/toast.ts'
import {
  dayAfter,
  dayOf,
  firstDayOf,
  isDay,
  isMonth,
  isWeek,
  monthAfter,
  sameDayIn,
  weeksOf,
} from '../../wording/day-word.ts'
import { countOf } from '../../wording/text-word.ts'
import { address, chipOf, go, narrow } from '../address.ts'
import { type Digest, type Line, type Persona, persona, type Session } from './personas.ts'
import { held } from '../held.ts'

export interface Pattern {
  readonly id: string
  readonly about: string
  readonly type: 'person' | 'project' | 'topic'
  readonly days: number
  readonly first_day: string
  readonly last_day: string
  readonly lines: readonly Line[]
}

export interface Month {
  readonly persona: string
  readonly month: string
  /** Digests of days and of weeks, by `2026-01-31` and `2026-W05`. */
  readonly digests: ReadonlyMap<string, Digest>
  readonly sessions: ReadonlyMap<string, readonly Session[]>
  readonly patterns: readonly Pattern[]
  /** Locked digests. */
  readonly sealed: number
}

export const month = held<Month | undefined>(undefined)
export const daysFailure = signal<unknown>(undefined)
export const isMakingDigests = signal(false)

/** The persona's today. */
export const today = computed(() => (persona.value ? dayOf(now.value, persona.value.time_zone) : ''))

/** The day or the week that is open. */
export const openPeriod = computed(() => {
  const { id } = address.value
  return isDay(id) || isWeek(id) ? id : undefined
})

/** The month on show: that of the address, else of the open day or week, else the current one. */
export const monthName = computed(() => {
  const chosen = chipOf('month')
  if (isMonth(chosen)) return chosen
  const open = openPeriod.value
  if (open !== undefined) return (isWeek(open) ? firstDayOf(open) : open).slice(0, 7)
  return today.value.slice(0, 7)
})

export const openDigest = computed(() => month.value?.digests.get(openPeriod.value ?? ''))

/** The sessions that began on these days, newest first. */
async function sessionsOf(from: Daybook, of: Persona, first: string, last: string) {
  const days = new Map<string, Session[]>()
  for (let cursor: string | undefined; ;) {
    const page = await from.sessions.list({
      persona: of.ci_id,
      limit: 1000,
      ...defined({ cursor }),
    })
    for (const session of page.sessions) {
      const began = dayOf(session.started_at, of.time_zone)
      if (began >= first && began <= last) days.set(began, [...(days.get(began) ?? []), session])
    }
    const oldest = page.sessions.at(-1)
    cursor = page.cursor
    if (cursor === undefined || !oldest || dayOf(oldest.started_at, of.time_zone) < first) return days
  }
}

const mostPatterns = 100

async function readMonth(from: Daybook, of: Persona, name: string): Promise<Month> {
  const weeks = weeksOf(name)
  const first = weeks[0]?.days[0] ?? `${name}-01`
  const last = weeks.at(-1)?.days[6] ?? `${name}-28`
  const within = { persona: of.ci_id, from: first, to: last, limit: 1000 }
  const [ofDays, ofWeeks, sessions, patterns] = await Promise.all([
    from.days.list({ ...within, period: 'day' }),
    from.days.list({ ...within, period: 'week' }),
    sessionsOf(from, of, first, last),
    from.records.query({
      kind: 'pattern',
      filters: { agent: of.scope.agent },
      orderBy: '-last_at',
      limit: mostPatterns,
    }),
  ])
  return {
    persona: of.ci_id,
    month: name,
    digests: new Map([...ofDays.digests, ...ofWeeks.digests].map((one) => [one.period_id, one])),
    sessions,
    patterns: (patterns.records as unknown as Pattern[]).toSorted((a, b) => b.days - a.days),
    sealed: (ofDays.sealed ?? 0) + (ofWeeks.sealed ?? 0),
  }
}

const read = createReader(daysFailure)

export async function loadMonth(): Promise<void> {
  const of = persona.peek()
  if (!of) return
  const name = monthName.peek()
  await read(
    (from) => readMonth(from, of, name),
    (found) => void (month.value = found),
  )
}

/** Changes days of the persona, once at a time, and reads the month again. */
async function change(failed: string, act: (from: Daybook, of: Persona) => Promise<string>): Promise<void> {
  const of = persona.peek()
  if (!of || isMakingDigests.peek()) return
  isMakingDigests.value = true
  await attempt(failed, async (from) => {
    tell(await act(from, of))
    await loadMonth()
  })
  isMakingDigests.value = false
}

/** Makes digests of today and of days without one, or with one that misses records. */
export const makeMissingDigests = () =>
  change('The digests were not made.', async (from, of) => {
    const days = (await from.days.sundown({ persona: of.ci_id })).written.length
    return days === 0 ? 'Every day has a digest.' : `${countOf(days, 'day')} summarized.`
  })

export const remakeDigest = ({ id }: Pick<Digest, 'id'>) =>
  change('The digest could not be regenerated.', async (from) => {
    const { result } = await from.days.rebuild({ id, force: true })
    return result === 'forgotten' || result === 'absent'
      ? 'The digest was deleted, because all of its records are gone.'
      : 'Digest regenerated.'
  })

type Consolidation = CapabilityOutput<'katra:consolidate'>

/** The effect of a consolidation, while its question is open. */
export const planned = held<Consolidation | undefined>(undefined)

export async function planConsolidation(): Promise<void> {
  const of = persona.peek()
  if (!of) return
  await attempt('The preview could not be loaded.', async ({ days }) => {
    planned.value = await days.consolidate({ persona: of.ci_id, dryRun: true })
  })
}

export async function consolidate(): Promise<void> {
  planned.value = undefined
  await change('The days were not consolidated.', async (from, of) => {
    const { digests, archived } = await from.days.consolidate({ persona: of.ci_id })
    return `${countOf(digests.length, 'digest')} made, ${countOf(archived, 'record')} archived.`
  })
}

const shownKey = computed(() =>
  address.value.view === 'days' && persona.value ? `${persona.value.ci_id} ${monthName.value}` : '',
)
effect(() => {
  if (shownKey.value !== '') void loadMonth()
})
const shownKinds = new Set(['digest', 'pattern', 'agent_session', 'persona'])
onBook('change', ({ kinds }) => {
  if (shownKey.peek() !== '' && kinds.some((kind) => shownKinds.has(kind))) void loadMonth()
})

const moved = signal<string | undefined>(undefined)

/** The day that Tab reaches: the last one by keyboard, else the open one, today, or the first of the month. */
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
/** The calendar calls it after drawing; true once after a move by keyboard. */
export function takeFocus(): boolean {
  const was = isFocusWanted
  isFocusWanted = false
  return was
}

function moveTo(day: string): void {
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

/** Handles a key in the calendar; false for another key. */
export function calendarKey(key: string): boolean {
  const day = cursorDay()
  if (key === 'Enter' || key === ' ') openDay(day)
  else if (key === 'Home' || key === 'End') moveTo(endOfWeek(key === 'Home' ? 0 : 6) ?? day)
  else if (steps[key]) moveTo(steps[key](day) ?? day)
  else return false
  return true
}

let isOpening = false
/** The open day calls it after drawing; true once after it was opened. */
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
