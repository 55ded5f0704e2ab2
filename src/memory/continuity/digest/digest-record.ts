// Names, finds and stores digests and patterns.
// Invariant: an id derives from persona and period, or from persona and subject, so that all devices write one
// record; an unchanged body is not written again; a record that can't be read here is never replaced.
import { type RecordHead, type RecordName, bodyOf } from '../../../core/record.ts'
import type { WriteContext } from '../../../core/capability/context.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { defined } from '../../../core/defined.ts'
import { isDaybookError } from '../../../core/errors.ts'
import { type JsonObject, sameJson } from '../../../core/json/path.ts'
import { nameId } from '../../../core/text/name-id.ts'
import { type DigestBody, digestKind, type PatternBody } from './digest-kind.ts'
import { ownUpkeep, personaFilter, type Persona, parseRecords, writingAgent } from '../persona/persona.ts'

export type Digest = RecordHead & DigestBody
export type Pattern = RecordHead & PatternBody

const recordNameOf = (
  kind: 'digest' | 'pattern',
  { key, agents }: Persona,
  ...names: readonly string[]
): RecordName => ({
  kind,
  id: nameId(kind, ...key, ...names),
  scopes: [`agent:${agents[0]}`],
})

/** Name of the digest of a day (`2026-01-31`) or a week (`2026-W05`). `key`: see `Persona`. */
export const digestName = (persona: Persona, periodId: string) => recordNameOf('digest', persona, periodId)

export const patternName = (persona: Persona, type: string, about: string) =>
  recordNameOf('pattern', persona, type, about)

/**
 * All digests of the persona for `period` that begin within `range`, oldest first, with outdated ones.
 * `range`: canonical times, `from` included, `before` not.
 */
export function findDigests(
  records: Pick<RecordReader, 'query'>,
  persona: Persona,
  period: DigestBody['period'],
  range: { readonly from?: string; readonly before?: string } = {},
): Digest[] {
  const { from, before } = range
  const bounds = defined({ gte: from, lt: before })
  const rangeFilter = from === undefined && before === undefined ? {} : { from: bounds }
  const digests: Digest[] = []
  for (let cursor: string | undefined; ;) {
    const page = records.query({
      kind: 'digest',
      filters: { ...personaFilter(persona), period, ...rangeFilter },
      include: { outdated: true },
      orderBy: 'from',
      limit: 1000,
      cursor,
    })
    digests.push(...parseRecords(digestKind, page.records))
    cursor = page.cursor
    if (cursor === undefined) return digests
  }
}

/**
 * True if the record of this name is sealed and can't be read here. It must stay: it may rest on records that can't be
 * read here either.
 */
export function isUnread({ find }: Pick<RecordReader, 'find'>, name: RecordName): boolean {
  try {
    find(name)
    return false
  } catch (error) {
    if (isDaybookError(error, 'locked')) return true
    throw error
  }
}

/** Number of the persona's digests and patterns that can't be read here. */
export const countUnread = ({ unread }: Pick<RecordReader, 'unread'>, { agents }: Persona): number =>
  agents.reduce((sum, agent) => sum + unread({ kinds: ['digest', 'pattern'], agent }), 0)

/**
 * Stores `body` under `name`, unless the stored body is the same and `force` is false. `isNew`: true if it was
 * stored.
 */
export function storeIfChanged(
  at: WriteContext<'records'>,
  name: RecordName,
  body: JsonObject,
  { persona, force = false }: { readonly persona: Persona; readonly force?: boolean },
): { readonly id: string; readonly isNew: boolean } {
  const { records, call } = at
  const existing = records.find(name)
  if (existing && !force && hasSameFields(bodyOf(existing), body)) return { id: existing.id, isNew: false }
  // Explicit `times` keep the record out of the caller's session: a digest belongs to its day.
  const times = { created_at: existing?.created_at ?? call.now, updated_at: call.now }
  const scope = { agent: writingAgent(at, persona) }
  const request = { kind: name.kind, name, body, scope, exact: true, times, ...ownUpkeep(at, persona) }
  return { id: records.put(request), isNew: true }
}

/** True if all fields of `body` have the same values in `existing`; derived fields then match too. */
const hasSameFields = (existing: JsonObject, body: JsonObject) =>
  Object.entries(body).every(([field, value]) => sameJson(existing[field] ?? null, value))
