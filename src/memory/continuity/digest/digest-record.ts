// Names, finds and stores digests and patterns.
// Invariant: an id derives from persona and period, or from persona and subject, so that all devices write one
// record; an unchanged body is not written again.
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

/** Name of the digest of a day (`2026-01-31`) or a week (`2026-W05`). */
export const digestName = (persona: Persona, periodId: string) => named('digest', persona, periodId)

export const patternName = (persona: Persona, type: string, about: string) =>
  named('pattern', persona, type, about)

/** All digests of the persona for `period` that begin within `range`, oldest first, with outdated ones. */
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

/**
 * Stores `body` under `name`, unless the stored body is the same and `isForced` is false. `isNew`: true if it was
 * stored.
 */
export function putNamed(
  { records, call }: WriteContext<'records'>,
  name: RecordName,
  body: JsonObject,
  { agent, isForced = false }: { readonly agent: string; readonly isForced?: boolean },
): { readonly id: string; readonly isNew: boolean } {
  const before = records.find(name)
  if (before && !isForced && saysSame(bodyOf(before), body)) return { id: before.id, isNew: false }
  // Explicit `times` keep the record out of the caller's session: a digest belongs to its day.
  const times = { created_at: before?.created_at ?? call.now, updated_at: call.now }
  return {
    id: records.put({ kind: name.kind, name, body, scope: { agent }, exact: true, times }),
    isNew: true,
  }
}

/** True if all fields of `body` have the same values in `before`; derived fields then match too. */
const saysSame = (before: JsonObject, body: JsonObject) =>
  Object.entries(body).every(([field, value]) => sameJson(before[field] ?? null, value))
