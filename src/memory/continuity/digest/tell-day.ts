// Tells the days of a persona: which of them have no digest, or one that misses records; and writes those.
// Invariant: a day is told from all its records or not at all. Where some of them can't be read, it waits for the key.
import type { TaskContext } from '../../../core/capability/context.ts'
import { checkAborted } from '../../../core/abort.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { dayMs } from '../../../core/calendar/zone.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { type Persona, writingAgent } from '../persona/persona.ts'
import { abstract } from './abstract.ts'
import { dayAfter, daysBetween, spanOfDays } from './day.ts'
import { digestName, digestsOf, putNamed } from './digest-record.ts'
import { extract } from './extract.ts'
import { type Line, partLimit, type Parts } from './line.ts'
import { waitingLines } from './pending.ts'
import { countRaw, firstRaw, type Raw, rawOf } from './raw-record.ts'

export type DigestPorts = TaskContext<'records' | 'recall'>

export interface ToldDay {
  readonly day: string
  readonly id: string
  readonly isNew: boolean
  /** Why it was told by the stated rules although there is a model. */
  readonly degraded?: string
}

/** Days before today that a start looks through; all of them are looked through by a consolidation. */
export const recentDays = 40

/** The persona's day of an instant. */
export const dayOf = ({ zone }: Persona, now: string): string => zone.dayOf(parseTime(now) ?? 0)

/** The days up to `until` that are to be told, oldest first. */
export function untoldDays(
  records: Pick<RecordReader, 'count' | 'query'>,
  persona: Persona,
  until: string,
  lookBack?: number,
): string[] {
  const begun = firstRaw(records, persona)
  if (begun === undefined) return []
  const { zone } = persona
  const first = zone.dayOf(begun)
  const recent = lookBack === undefined ? first : dayAfter(until, -lookBack)
  const from = recent > first ? recent : first
  if (from > until) return []
  const told = new Map(
    digestsOf(records, persona, 'day', { from: formatTime(zone.startOfDay(from) - dayMs) }).map(
      ({ period_id, raw }) => [period_id, raw],
    ),
  )
  const count = (a: string, b: string) => countRaw(records, persona, spanOfDays(zone, a, b))
  // Days without a record are many for a persona that rests: runs of them are counted at once.
  const search = (days: readonly string[]): string[] => {
    const [a = ''] = days
    const b = days.at(-1) ?? a
    const { total, sealed } = count(a, b)
    if (days.length === 1) return sealed === 0 && total !== (told.get(a) ?? 0) ? [a] : []
    if (total === 0 && days.every((day) => !told.has(day))) return []
    const middle = Math.ceil(days.length / 2)
    return [...search(days.slice(0, middle)), ...search(days.slice(middle))]
  }
  return search(daysBetween(from, until))
}

/** Tells the days up to `until` that are to be told. */
export async function tellDays(
  at: DigestPorts,
  persona: Persona,
  until: string,
  lookBack?: number,
): Promise<ToldDay[]> {
  const told: ToldDay[] = []
  const days = untoldDays(at.records, persona, until, lookBack)
  for (const [done, day] of days.entries()) {
    checkAborted(at.call.signal)
    at.call.progress({ done, total: days.length, what: 'digest' })
    const one = await tellDay(at, persona, day)
    if (one) told.push(one)
  }
  return told
}

/** Tells one day, anew if it was told; undefined when nothing happened on it, and then it has no digest. */
export async function tellDay(
  at: DigestPorts,
  persona: Persona,
  day: string,
  isAnew = false,
): Promise<ToldDay | undefined> {
  const span = spanOfDays(persona.zone, day)
  const raw = rawOf(at.records, persona, span)
  const name = digestName(persona, day)
  if (raw.length === 0) {
    await at.records.write(({ records }) => {
      const known = records.find(name)
      return known ? records.forget(known.id) : false
    })
    return undefined
  }
  const { total } = countRaw(at.records, persona, span)
  const isToday = day === dayOf(persona, at.call.now)
  const { parts, method, read, degraded } = await partsOf(
    at,
    raw,
    // They wait today: what waited on a past day is told no more.
    isToday ? waitingLines(at, persona) : [],
  )
  const body = {
    persona: persona.ciId,
    period: 'day',
    period_id: day,
    time_zone: persona.zone.name,
    from: formatTime(span.from),
    to: formatTime(span.to),
    ...parts,
    method,
    raw: total,
    read,
  } as unknown as JsonObject
  const how = { agent: writingAgent(at, persona), isAnew }
  const put = await at.records.write((writer) => putNamed(writer, name, body, how))
  return { day, ...put, ...(degraded === undefined ? {} : { degraded }) }
}

interface DayParts {
  readonly parts: Parts
  readonly method: 'extractive' | 'abstractive'
  readonly read: readonly string[]
  readonly degraded?: string
}

async function partsOf(at: DigestPorts, raw: readonly Raw[], waiting: readonly Line[]): Promise<DayParts> {
  const asked = await abstract(at, raw)
  if (asked && 'parts' in asked) {
    const open_questions = [...asked.parts.open_questions, ...waiting].slice(0, partLimit)
    return { parts: { ...asked.parts, open_questions }, method: 'abstractive', read: asked.read }
  }
  const parts = extract(raw, waiting)
  return {
    parts,
    method: 'extractive',
    read: [],
    ...(asked ? { degraded: asked.degraded } : {}),
  }
}
