// How far a guest of a book sees: the names that each record has, and the scope of the guest's token over them.
// Invariant: a record is in reach when one of its names is; kinds for the owner alone are in nobody's reach.
import { facetOf, type Kind, type Kinds, scopePrefix } from '../kind.ts'
import type { JsonObject } from '../json/path.ts'
import { matchesScope, type ScopePattern, scopeParts } from './scope.ts'

export interface Reach {
  readonly scope: ScopePattern
}

/** What of a record decides its names. */
export interface NamedRecord {
  readonly kind: string
  readonly agent: string
  readonly session?: string | null | undefined
  readonly resource?: string | null | undefined
  readonly body: JsonObject
}

/** The meeting room's name in scopes: whoever may not see it is not let in. */
export const meetingRoom = 'meeting-room'

const reservedSegments: ReadonlySet<string> = new Set(['agent', 'session', meetingRoom])

/** First segments that name a column or the meeting room; a resource whose own begins with one has no name in scopes. */
export function isReserved(segment: string, kinds: Kinds): boolean {
  return reservedSegments.has(segment) || kinds.has(segment)
}

/** All such first segments. */
export function reservedNames(kinds: Kinds): string[] {
  return [...reservedSegments, ...kinds.keys()]
}

/**
 * The names of a record: `<kind>:<value of the column the kind is scoped by>` or the kind alone, `agent:<agent>`,
 * `session:<session>`, and the resource as it is (`course:CS101`).
 */
export function scopeNames({ kind, agent, session, resource, body }: NamedRecord, kinds: Kinds): string[] {
  const names = [qualified(kind, kinds.get(kind), body), `agent:${agent}`]
  if (session != null) names.push(`session:${session}`)
  if (resource != null && !isReserved(scopeParts(resource)[0] ?? '', kinds)) names.push(resource)
  return names
}

function qualified(name: string, kind: Kind | undefined, body: JsonObject): string {
  if (!kind) return name
  const value = kind.scopedBy === undefined ? undefined : facetOf(kind, kind.scopedBy, body)
  return value === undefined ? scopePrefix(kind) : `${scopePrefix(kind)}:${value}`
}

/** True when nothing is out of reach but what is for the owner alone. */
export function seesAll({ scope }: Reach): boolean {
  return scope.text === '**'
}

/** The reach as a text, the same for the same reach. */
export function reachText({ scope }: Reach): string {
  return scope.text
}

/** True when whatever has all of these names is in reach. */
export function reachesName({ scope }: Reach, names: readonly string[]): boolean {
  return names.some((name) => matchesScope(scope, name))
}

/** True when the guest's token lets it into the meeting room. */
export function isInRoom({ scope }: Reach): boolean {
  return matchesScope(scope, meetingRoom)
}

/** True when the guest may see, and within its permissions change, the record. */
export function isInReach({ scope }: Reach, record: NamedRecord, kinds: Kinds): boolean {
  if (kinds.get(record.kind)?.guests === 'none') return false
  return scopeNames(record, kinds).some((name) => matchesScope(scope, name))
}
