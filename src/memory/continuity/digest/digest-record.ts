// Names, finds and stores digests and patterns. Invariant: their ids follow from persona and period, so that devices
// make one of each, and an unchanged one is not written again.
import { type RecordHead, type RecordName, bodyOf } from '../../../core/record.ts'
import type { WriteContext } from '../../../core/capability/context.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { defined } from '../../../core/defined.ts'
import { type JsonObject, sameJson } from '../../../core/json/path.ts'
import { nameId } from '../../../core/text/name-id.ts'
import { type DigestBody, digestKind, type PatternBody } from './digest-kind.ts'
import { ownedBy, type Persona, readable } from '../persona/persona.ts'

export type Digest = RecordHead & DigestBody
export type Pattern = RecordHead & PatternBody

const named = (kind: string, { key, agents }: Persona, ...names: readonly string[]): RecordName => ({
  kind,
  id: nameId(kind, ...key, ...names),
  scopes: [`agent:${agents[0]}`],
})

/** The digest of a day (`2026-01-31`) or a week (`2026-W05`). */
export const digestName = (persona: Persona, periodId: string) => named('digest', persona, periodId)

export const patternName = (persona: Persona, type: string, about: string) =>
  named('pattern', persona, type, about)

/** All digests of the persona for a period type that begin within `range`, oldest first. */
export function digestsOf(
  records: Pick<RecordReader, 'query'>,
  persona: Persona,
  period: DigestBody['period'],
  range: { readonly from?: string; readonly before?: string } = {},
): Digest[] {
  const { from, before } = range
  const bounds = defined({ gte: from, lt: before })
  const within = from === undefined && before === undefined ? {} : { from: bounds }
  const all: Digest[] = []
  for (let cursor: string | undefined; ;) {
    const page = records.query({
      kind: 'digest',
      filters: { ...ownedBy(persona), period, ...within },
      include: { outdated: true },
      orderBy: 'from',
      limit: 1000,
      cursor,
    })
    all.push(...readable(digestKind, page.records))
    cursor = page.cursor
    if (cursor === undefined) return all
  }
}

/** Stores `body`, unless it is unchanged and `isAnew` is false; returns the id. */
export function putNamed(
  { records, call }: WriteContext<'records'>,
  name: RecordName,
  body: JsonObject,
  { agent, isForced = false }: { readonly agent: string; readonly isForced?: boolean },
): { readonly id: string; readonly isNew: boolean } {
  const before = records.find(name)
  if (before && !isForced && saysSame(bodyOf(before), body)) return { id: before.id, isNew: false }
  // Explicit times keep it out of the caller's session: it belongs to the day.
  const times = { created_at: before?.created_at ?? call.now, updated_at: call.now }
  return {
    id: records.put({ kind: name.kind, name, body, scope: { agent }, exact: true, times }),
    isNew: true,
  }
}

/** True if all fields of `body` have the same values in `before`; derived fields then match too. */
const saysSame = (before: JsonObject, body: JsonObject) =>
  Object.entries(body).every(([field, value]) => sameJson(before[field] ?? null, value))
