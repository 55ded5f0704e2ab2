// The raw records that digests are made of: what was said, kept, remembered of users, and done. They are other chapters'
// kinds, known by their names and by the places in them that are told here.
import { isJsonObject, type Json, type JsonObject, readPath } from '../../../core/json/path.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import type { Stored } from '../../../core/record.ts'
import { isSealing } from '../../../core/sealed.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { ownedBy, type Persona } from '../persona/persona.ts'

interface RawKind {
  readonly kind: string
  /** When it happened. */
  readonly time: string
  /** Which of them are the persona's; by default those in its name. */
  readonly where?: JsonObject
}

const ownKinds: readonly RawKind[] = [
  { kind: 'message', time: 'timestamp' },
  { kind: 'thought', time: 'timestamp' },
  { kind: 'trace', time: 'timestamp' },
]

/**
 * The kinds that its days are told of. Memories that it proposed are the user's: they count once the user has approved them, and
 * not in the days of a token's agent, which would be told otherwise by whoever may read less.
 */
function rawKinds({ key: [whose], agents }: Persona): readonly RawKind[] {
  if (whose !== 'name') return ownKinds
  const where = { status: 'approved', 'source.agent': { in: [...agents] } }
  return [...ownKinds, { kind: 'memory', time: 'source.timestamp', where }]
}

/** A raw record as digests see it. */
export interface Raw {
  readonly id: string
  readonly kind: string
  readonly at: string
  /** What happened in the same instant is told in the order in which it was stored. */
  readonly stored: string
  readonly session: string
  /** `User`, `Agent`; empty for what nobody said. */
  readonly speaker: string
  /** By what the speaker is known. */
  readonly name: string
  readonly text: string
  /** Of a thought. */
  readonly type: string
  readonly importance: number
  readonly collection: string
  readonly isSensitive: boolean
  /** Of a trace: what was to be done, and whether it was. */
  readonly task?: { readonly goal: string; readonly domain: string; readonly isDone: boolean }
}

/** From one instant, in milliseconds since 1970 UTC, up to another. */
export interface Span {
  readonly from: number
  readonly to: number
}

const include = { expired: true, superseded: true } as const

function filtersOf(persona: Persona, { time, where = ownedBy(persona) }: RawKind, { from, to }: Span) {
  return { ...where, [time]: { gte: formatTime(from), lt: formatTime(to) } }
}

/** How many raw records there are in a span, and how many more can't be read here. */
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

/** The order in which things happened. */
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

/** The texts and numbers in it, without the names of the fields. */
function leaves(value: Json | undefined): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value as JsonObject).flatMap(leaves) : []
}

function taskOf(record: Stored<JsonObject>): Pick<Raw, 'text' | 'task'> {
  const goal = textAt(record, 'task.goal')
  const outcome = leaves(readPath(record, 'result.outcome')).join(', ')
  const result = record['result']
  const isDone = isJsonObject(result) && result['success'] === true
  const said = outcome === '' ? goal : `${goal}: ${outcome}`
  return { text: said, task: { goal, domain: textAt(record, 'situation.domain'), isDone } }
}

/** When the persona's first raw record happened, in milliseconds since 1970 UTC; undefined when it has none. */
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
