// How digests and patterns are named, found and put. Invariant: their ids follow from the persona and the period, so that all
// devices make one of each, and what says the same already is not written again.
import type { RecordName } from '../../../core/put-request.ts'
import type { WriteContext } from '../../../core/capability/context.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { sameJson } from '../../../core/json/same-json.ts'
import { bodyOf, type RecordHead } from '../../../core/record.ts'
import { nameId } from '../../../core/text/name-id.ts'
import { ownedBy, type Persona } from '../persona/persona.ts'
import { readable } from '../persona/readable.ts'
import { type DigestBody, digestKind, type PatternBody } from './digest-kind.ts'

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

/** The persona's digests of a sort whose periods begin within `range`, oldest first, however many there are. */
export function digestsOf(
  records: Pick<RecordReader, 'query'>,
  persona: Persona,
  period: DigestBody['period'],
  range: { readonly from?: string; readonly before?: string } = {},
): Digest[] {
  const { from, before } = range
  const bounds = {
    ...(from === undefined ? {} : { gte: from }),
    ...(before === undefined ? {} : { lt: before }),
  }
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

/** Puts it unless it says that already, and is to stand as it is; answers its id. */
export function putNamed(
  { records, call }: WriteContext<'records'>,
  name: RecordName,
  body: JsonObject,
  { agent, isAnew = false }: { readonly agent: string; readonly isAnew?: boolean },
): { readonly id: string; readonly isNew: boolean } {
  const known = records.find(name)
  if (known && !isAnew && saysSame(bodyOf(known), body)) return { id: known.id, isNew: false }
  // With times of its own it takes no session from the call: it is of the day, not of who tells it.
  const times = { created_at: known?.created_at ?? call.now, updated_at: call.now }
  return {
    id: records.put({ kind: name.kind, name, body, scope: { agent }, exact: true, times }),
    isNew: true,
  }
}

/** All that `body` says stands in `known`; what is told from the rest is told the same. */
const saysSame = (known: JsonObject, body: JsonObject) =>
  Object.entries(body).every(([field, value]) => sameJson(known[field] ?? null, value))
