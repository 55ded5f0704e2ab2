// The days of a persona, a month at a time: which have a digest, which sessions there were, and the patterns of its days.
// Invariant: what is on show is of one persona and one month; an answer that comes late never takes the place of a newer one.
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityOutput, Daybook } from '../../../src/index.ts'
import { now } from '../../page/clock.ts'
import { tell, tellError } from '../../page/toast.ts'
import { dayOf, firstDayOf, isDay, isMonth, isWeek, weeksOf } from '../../wording/day-word.ts'
import { countOf } from '../../wording/text-word.ts'
import { address, chipOf } from '../address.ts'
import { onBook, openedBook } from '../book.ts'
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
  /** Digests that cannot be read before the keys of the book are open. */
  readonly sealed: number
}

export const month = held<Month | undefined>(undefined)
export const daysFailure = signal<unknown>(undefined)
export const isTelling = signal(false)

/** The persona's today. */
export const today = computed(() => (persona.value ? dayOf(now.value, persona.value.time_zone) : ''))

/** The day or the week that is open. */
export const openPeriod = computed(() => {
  const { id } = address.value
  return isDay(id) || isWeek(id) ? id : undefined
})

/** The month that is shown: the one of the address, else that of what is open, else this one. */
export const monthName = computed(() => {
  const said = chipOf('month')
  if (isMonth(said)) return said
  const open = openPeriod.value
  if (open !== undefined) return (isWeek(open) ? firstDayOf(open) : open).slice(0, 7)
  return today.value.slice(0, 7)
})

export const openDigest = computed(() => month.value?.digests.get(openPeriod.value ?? ''))

/** The sessions that touch these days, newest first, as far back as they began. */
async function sessionsOf(from: Daybook, who: Persona, first: string, last: string) {
  const days = new Map<string, Session[]>()
  for (let cursor: string | undefined; ;) {
    const page = await from.sessions.list({
      persona: who.ci_id,
      limit: 1000,
      ...(cursor === undefined ? {} : { cursor }),
    })
    for (const session of page.sessions) {
      const began = dayOf(session.started_at, who.time_zone)
      if (began >= first && began <= last) days.set(began, [...(days.get(began) ?? []), session])
    }
    const oldest = page.sessions.at(-1)
    cursor = page.cursor
    if (cursor === undefined || !oldest || dayOf(oldest.started_at, who.time_zone) < first) return days
  }
}

const mostPatterns = 100

async function readMonth(from: Daybook, who: Persona, name: string): Promise<Month> {
  const weeks = weeksOf(name)
  const first = weeks[0]?.days[0] ?? `${name}-01`
  const last = weeks.at(-1)?.days[6] ?? `${name}-28`
  const within = { persona: who.ci_id, from: first, to: last, limit: 1000 }
  const [ofDays, ofWeeks, sessions, patterns] = await Promise.all([
    from.days.list({ ...within, period: 'day' }),
    from.days.list({ ...within, period: 'week' }),
    sessionsOf(from, who, first, last),
    from.records.query({
      kind: 'pattern',
      filters: { agent: who.scope.agent },
      orderBy: '-last_at',
      limit: mostPatterns,
    }),
  ])
  return {
    persona: who.ci_id,
    month: name,
    digests: new Map([...ofDays.digests, ...ofWeeks.digests].map((one) => [one.period_id, one])),
    sessions,
    patterns: (patterns.records as unknown as Pattern[]).toSorted((a, b) => b.days - a.days),
    sealed: (ofDays.sealed ?? 0) + (ofWeeks.sealed ?? 0),
  }
}

let question = 0
export async function loadMonth(): Promise<void> {
  const who = persona.peek()
  if (!who) return
  question += 1
  const mine = question
  try {
    const found = await readMonth(await openedBook(), who, monthName.peek())
    if (mine !== question) return
    month.value = found
    daysFailure.value = undefined
  } catch (error) {
    if (mine === question) daysFailure.value = error
  }
}

/** Does something with the days of the persona, and reads them again. */
async function telling(act: (from: Daybook, who: Persona) => Promise<string>, failed: string): Promise<void> {
  const who = persona.peek()
  if (!who || isTelling.peek()) return
  isTelling.value = true
  try {
    tell(await act(await openedBook(), who))
    await loadMonth()
  } catch (error) {
    tellError(failed, error)
  } finally {
    isTelling.value = false
  }
}

/** Tells the digests of today and of days that have none, or one that misses records. */
export const tellMissing = () =>
  telling(async (from, who) => {
    const { told } = await from.days.sundown({ persona: who.ci_id })
    return told.length === 0 ? 'Every day has a digest.' : `${countOf(told.length, 'day')} summarized.`
  }, 'The digests were not made.')

export const tellAnew = ({ id }: Pick<Digest, 'id'>) =>
  telling(async (from) => {
    const { result } = await from.days.tellAnew({ id, force: true })
    return result === 'forgotten' || result === 'absent'
      ? 'The digest was deleted, because all of its records are gone.'
      : 'Digest regenerated.'
  }, 'The digest could not be regenerated.')

export type Consolidation = CapabilityOutput<'katra:consolidate'>

/** What consolidating would do, while somebody is asked about it. */
export const planned = held<Consolidation | undefined>(undefined)

export async function planConsolidation(): Promise<void> {
  const who = persona.peek()
  if (!who) return
  try {
    planned.value = await (await openedBook()).days.consolidate({ persona: who.ci_id, dryRun: true })
  } catch (error) {
    tellError('The preview could not be loaded.', error)
  }
}

export async function consolidate(): Promise<void> {
  planned.value = undefined
  await telling(async (from, who) => {
    const { digests, archived } = await from.days.consolidate({ persona: who.ci_id })
    return `${countOf(digests.length, 'digest')} made, ${countOf(archived, 'record')} archived.`
  }, 'The days were not consolidated.')
}

const asked = computed(() =>
  address.value.view === 'days' && persona.value ? `${persona.value.ci_id} ${monthName.value}` : '',
)
effect(() => {
  if (asked.value !== '') void loadMonth()
})
const shownKinds = new Set(['digest', 'pattern', 'agent_session', 'persona'])
onBook('change', ({ kinds }) => {
  if (asked.peek() !== '' && kinds.some((kind) => shownKinds.has(kind))) void loadMonth()
})
