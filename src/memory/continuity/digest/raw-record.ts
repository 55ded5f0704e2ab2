// Raw records of digests: messages, thoughts, approved memories and traces; and their days and weeks. The kinds
// belong to other chapters; this file lists their names and paths.
import { isJsonObject, type Json, type JsonObject, readPath } from '../../../core/json/path.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import type { Stored } from '../../../core/record.ts'
import { isSealing } from '../../../core/sealed.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { ownedBy, type Persona } from '../persona/persona.ts'
import { dayMs, type Zone } from '../../../core/zone.ts'

interface RawKind {
  readonly kind: string
  /** Path of the field with the time of the event. */
  readonly time: string
  /** Filter for the persona's records. Default: records of its agents. */
  readonly where?: JsonObject
}

const ownKinds: readonly RawKind[] = [
  { kind: 'message', time: 'timestamp' },
  { kind: 'thought', time: 'timestamp' },
  { kind: 'trace', time: 'timestamp' },
]

/**
 * Kinds of the persona's raw records. Memories that the persona proposed belong to the user: they count after
 * approval. They don't count for the agent of a token, whose days would then depend on the caller's rights.
 */
function rawKinds({ key: [owner], agents }: Persona): readonly RawKind[] {
  if (owner !== 'name') return ownKinds
  const where = { status: 'approved', 'source.agent': { in: [...agents] } }
  return [...ownKinds, { kind: 'memory', time: 'source.timestamp', where }]
}

/** The fields of a raw record that digests use. */
export interface Raw {
  readonly id: string
  readonly kind: string
  readonly at: string
  /** Time of storage; orders records with the same `at`. */
  readonly stored: string
  readonly session: string
  /** Type of the speaker, such as `User` or `Agent`; empty without a speaker. */
  readonly speaker: string
  /** Name of the speaker. */
  readonly name: string
  readonly text: string
  /** Type of a thought; empty for another kind. */
  readonly type: string
  readonly importance: number
  readonly collection: string
  readonly isSensitive: boolean
  /** Only of a trace: its task, and whether the task succeeded. */
  readonly task?: { readonly goal: string; readonly domain: string; readonly isDone: boolean }
}

/** From `from` until before `to`, in milliseconds since 1970 UTC. */
interface Span {
  readonly from: number
  readonly to: number
}

const include = { expired: true, superseded: true } as const

function filtersOf(persona: Persona, { time, where = ownedBy(persona) }: RawKind, { from, to }: Span) {
  return { ...where, [time]: { gte: formatTime(from), lt: formatTime(to) } }
}

/** `total`: number of raw records in a span. `sealed`: number of those that can't be read here. */
export function countRaw(
  records: Pick<RecordReader, 'count'>,
  persona: Persona,
  span: Span,
): { readonly total: number; readonly sealed: number } {
  let total = 0
  let sealed = 0
  for (const one of rawKinds(persona)) {
    const filters = filtersOf(persona, one, span)
    const counted = records.count({ kind: one.kind, filters, include, by: 'none' })
    total += counted.total
    sealed += counted.sealed ?? 0
  }
  return { total, sealed }
}

/** The raw records of a span, oldest first. */
export function rawOf(records: Pick<RecordReader, 'query'>, persona: Persona, span: Span): Raw[] {
  const found = rawKinds(persona).flatMap((one) => {
    const all: Raw[] = []
    for (let cursor: string | undefined; ;) {
      const filters = filtersOf(persona, one, span)
      const page = records.query({ kind: one.kind, filters, include, orderBy: one.time, limit: 1000, cursor })
      all.push(...page.records.map((record) => toRaw(record, one.time)))
      cursor = page.cursor
      if (cursor === undefined) return all
    }
  })
  return found.toSorted((a, b) => compareRaw(a, b))
}

/** Orders raw records by time, then by storage, then by id. */
export const compareRaw = (a: Raw, b: Raw): number =>
  compare(a.at, b.at) || compare(a.stored, b.stored) || compare(a.id, b.id)

const compare = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1)
const textAt = (record: object, path: string): string => {
  const value = readPath(record, path)
  return typeof value === 'string' ? value : ''
}

function toRaw(record: Stored<JsonObject>, time: string): Raw {
  const { id, kind, session = '', marks, sensitivity } = record
  const importance = marks?.importance ?? record['importance']
  const raw = {
    id,
    kind,
    at: textAt(record, time),
    stored: record.created_at,
    session,
    speaker: textAt(record, 'source.type'),
    name: textAt(record, 'source.name') || textAt(record, 'source.id'),
    text: textAt(record, 'content'),
    type: kind === 'thought' ? textAt(record, 'type') : '',
    importance: typeof importance === 'number' ? importance : 0.5,
    collection: marks?.collection ?? '',
    isSensitive: isSealing(sensitivity),
  }
  return kind === 'trace' ? { ...raw, ...taskOf(record) } : raw
}

/** All texts and numbers in `value`, without field names. */
function leaves(value: Json | undefined): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value as JsonObject).flatMap(leaves) : []
}

function taskOf(record: Stored<JsonObject>): Pick<Raw, 'text' | 'task'> {
  const goal = textAt(record, 'task.goal')
  const outcome = leaves(readPath(record, 'result.outcome')).join(', ')
  const result = record['result']
  const isDone = isJsonObject(result) && result['success'] === true
  const text = outcome === '' ? goal : `${goal}: ${outcome}`
  return { text, task: { goal, domain: textAt(record, 'situation.domain'), isDone } }
}

/** Time of the persona's first raw record, in milliseconds since 1970 UTC; undefined without one. */
export function firstRaw(records: Pick<RecordReader, 'query'>, persona: Persona): number | undefined {
  const first = rawKinds(persona).flatMap((one) => {
    const filters = one.where ?? ownedBy(persona)
    const { records: found } = records.query({
      kind: one.kind,
      filters,
      include,
      orderBy: one.time,
      limit: 1,
    })
    return found.flatMap((record) => parseTime(textAt(record, one.time)) ?? [])
  })
  return first.length === 0 ? undefined : Math.min(...first)
}

const atNoon = (day: string) => (parseTime(day) ?? 0) + dayMs / 2
const dayText = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** The day `count` days after `day`. */
export const dayAfter = (day: string, count = 1): string => dayText(atNoon(day) + count * dayMs)

/** The days from `first` to `last`, both included. */
export function daysBetween(first: string, last: string): string[] {
  const days: string[] = []
  for (let day = first; day <= last; day = dayAfter(day)) days.push(day)
  return days
}

export const spanOfDays = (zone: Zone, first: string, last: string = first): Span => ({
  from: zone.startOfDay(first),
  to: zone.endOfDay(last),
})

/**
 * The ISO 8601 week of `day`, from Monday to Sunday. A week belongs to the year of its Thursday. `id`: `2026-W05`;
 * `first` and `last`: days such as `2026-01-31`.
 */
export function weekOf(day: string): { readonly id: string; readonly first: string; readonly last: string } {
  const weekday = (new Date(atNoon(day)).getUTCDay() + 6) % 7
  const first = dayAfter(day, -weekday)
  const thursday = dayAfter(first, 3)
  const year = thursday.slice(0, 4)
  const number = 1 + Math.floor((atNoon(thursday) - atNoon(`${year}-01-01`)) / dayMs / 7)
  return { id: `${year}-W${String(number).padStart(2, '0')}`, first, last: dayAfter(first, 6) }
}
