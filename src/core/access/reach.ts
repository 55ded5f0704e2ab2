// Reach: the records that a guest may see. Records have scope names; a token allows and denies patterns over them.
// Invariant: a record is in reach only if some name is allowed, no name is denied, and its sources are in reach too.
// A narrowed reach never exceeds the wider one. No reach includes kinds for the owner alone.
import {
  type Kind,
  type Kinds,
  facetOf,
  isByPolicy,
  isScoped,
  openPrefixes,
  ownNames,
  scopePrefix,
} from '../kind.ts'
import type { JsonObject } from '../json/path.ts'
import type { Sensitivity } from '../sealed.ts'
import { type Governed, isGoverned } from './governed.ts'
import { type ScopePattern, coversScope, matchesScope, parseNames, scopeParts, withBelow } from './scope.ts'

export interface Reach {
  /** A record needs a name that matches one of these. */
  readonly allow: readonly ScopePattern[]
  /** A record with a name that matches one of these is out of reach. */
  readonly deny: readonly ScopePattern[]
  /** The wider reach from which this one was narrowed; a record must be in both. */
  readonly within?: Reach | undefined
  /** Result of the policies, for kinds under policies (`byPolicy`). Absent: no policies were applied. */
  readonly governed?: Governed | undefined
}

/** Most allowed patterns of one grant, and most denied ones. */
export const patternLimit = 32

/** A reach in the form of tokens, keys and claims: one pattern, optional further ones, and denied ones. */
export interface ScopeText {
  readonly scope: string
  /** Further allowed patterns. */
  readonly allow?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
}

/** The fields of a record that determine its scope names. */
export interface NamedRecord {
  readonly kind: string
  readonly agent: string
  readonly session?: string | null | undefined
  readonly resource?: string | null | undefined
  readonly sensitivity?: string | null | undefined
  readonly body: JsonObject
}

/** Scope name of the meeting room. A caller may enter only if its reach includes this name. */
export const meetingRoom = 'meeting-room'

/** Besides the names of kinds. `openPrefixes`: `a2p` and `ext`, with which categories of memories begin. */
const reservedSegments: ReadonlySet<string> = new Set([
  'agent',
  'session',
  'pool',
  meetingRoom,
  ...openPrefixes,
])

/** True if no resource may begin with `segment`. A resource that does gets no scope name. */
export function isReserved(segment: string, kinds: Kinds): boolean {
  return reservedSegments.has(segment) || kinds.has(segment)
}

/** All reserved first segments. */
export function reservedNames(kinds: Kinds): string[] {
  return [...reservedSegments, ...kinds.keys()]
}

/** Parses a reach. Undefined: a pattern is invalid, or there are too many. A denial includes all names below it. */
export function readReach({ scope, allow = [], deny = [] }: ScopeText): Reach | undefined {
  const read = (texts: readonly string[]) => texts.flatMap((text) => parseNames(text) ?? [])
  const [allowed, denied] = [read([scope, ...allow]), read(deny)]
  const areAllValid = allowed.length === allow.length + 1 && denied.length === deny.length
  if (!areAllValid || Math.max(allowed.length, denied.length) > patternLimit) return undefined
  return { allow: allowed, deny: denied.flatMap(withBelow) }
}

/** Unites the grants of one caller: allowed by some grant, denied by none. Without grants, the reach is empty. */
export function uniteReaches(reaches: readonly Reach[]): Reach {
  const distinct = (patterns: readonly ScopePattern[]) => [
    ...new Map(patterns.map((one) => [one.text, one])).values(),
  ]
  const [first, ...otherReaches] = reaches
  if (first && otherReaches.length === 0) return first
  return {
    // Patterns can't express a narrowed reach, so it adds nothing.
    allow: distinct(reaches.flatMap(({ allow, within }) => (within ? [] : allow))),
    deny: distinct(reaches.flatMap((one) => reachLevels(one).flatMap(({ deny }) => deny))),
  }
}

/** Returns the intersection of two reaches. */
export function narrowReach(wide: Reach, narrow: Reach): Reach {
  const { within, ...own } = narrow
  return { ...own, within: within ? narrowReach(wide, within) : wide }
}

/** Returns the reach and all wider ones. A record in reach is in each of them. */
export function reachLevels(reach: Reach): Reach[] {
  const { within, ...own } = reach
  return within ? [own, ...reachLevels(within)] : [own]
}

/**
 * True if `narrow` certainly lies within `wide`: `wide` allows every pattern that `narrow` allows, and `narrow`
 * denies every pattern that `wide` denies.
 */
export function coversReach(wide: Reach, narrow: Reach): boolean {
  const narrowed = reachLevels(narrow)
  const denied = narrowed.flatMap(({ deny }) => deny)
  return reachLevels(wide).every(
    ({ allow, deny }) =>
      narrowed.some((one) => one.allow.every((pattern) => isWithin(pattern, allow))) &&
      deny.every((pattern) => isWithin(pattern, denied)),
  )
}

const isWithin = (pattern: ScopePattern, wide: readonly ScopePattern[]) =>
  wide.some((one) => coversScope(one, pattern))

/**
 * Scope names of a record. First the names that its kind computes, or `<kind>:<value of its scope column>`, or the
 * kind alone. Then `agent:<agent>`, `session:<session>` and the unchanged resource (`course:CS101`). Empty if the
 * kind computes no valid names: the record is out of every reach.
 */
export function scopeNames({ kind, agent, session, resource, body }: NamedRecord, kinds: Kinds): string[] {
  const declared = kinds.get(kind)
  const own = declared?.scopeNames ? ownNames(declared, body) : [qualified(kind, declared, body)]
  if (own.length === 0) return []
  const names = [...own, `agent:${agent}`]
  if (session != null) names.push(`session:${session}`)
  if (resource != null && !isReserved(scopeParts(resource)[0] ?? '', kinds)) names.push(resource)
  return names
}

function qualified(name: string, kind: Kind | undefined, body: JsonObject): string {
  if (!kind) return name
  const value = kind.scopedBy === undefined ? undefined : facetOf(kind, kind.scopedBy, body)
  return value === undefined ? scopePrefix(kind) : `${scopePrefix(kind)}:${value}`
}

/** True if the reach includes every record except those for the owner alone. */
export function seesAll(reach: Reach): boolean {
  return reachLevels(reach).every(
    ({ allow, deny }) => deny.length === 0 && allow.some(({ text }) => text === '**'),
  )
}

/** Canonical text of a reach: only equal reaches have equal texts. A lone pattern is its own text. */
export function reachText(reach: Reach): string {
  const all = reachLevels(reach).map(
    ({ allow, deny, governed }) => [textsOf(allow), textsOf(deny), governed?.text] as const,
  )
  const [[[only = '', ...otherPatterns], denied, policies]] = all as [(typeof all)[number]]
  const isLone = otherPatterns.length === 0 && denied.length === 0 && policies === undefined
  const isPlain = all.length === 1 && isLone && only !== ''
  // Patterns contain no control characters, so `\u0000` never begins a pattern.
  return isPlain ? only : `\u0000${JSON.stringify(all)}`
}

const textsOf = (patterns: readonly ScopePattern[]) => patterns.map(({ text }) => text).toSorted()

/** True if an object with exactly these names is in reach. */
export function isNamedIn(reach: Reach, names: readonly string[]): boolean {
  const has = (patterns: readonly ScopePattern[]) =>
    patterns.some((pattern) => names.some((name) => matchesScope(pattern, name)))
  return reachLevels(reach).every(({ allow, deny }) => has(allow) && !has(deny))
}

/** True if every object that has at least these names is in reach. False if in doubt, as with any denial. */
export function reachesName(reach: Reach, names: readonly string[]): boolean {
  return reachLevels(reach).every(({ deny }) => deny.length === 0) && isNamedIn(reach, names)
}

/** True if some denial can match a record's head (agent, session, resource) and not just its kind or body. */
export function deniesHeads(reach: Reach, kinds: Kinds): boolean {
  const ofBody = new Set([...openPrefixes, ...[...kinds.values()].map(scopePrefix), ...kinds.keys()])
  return reachLevels(reach).some(({ deny }) => deny.some(({ parts: [first = '*'] }) => !ofBody.has(first)))
}

/** The pattern of a reach that has one pattern and no denials; undefined for any other reach. */
export function onlyPattern({ allow, deny, within }: Reach): ScopePattern | undefined {
  return allow.length === 1 && deny.length === 0 && !within ? allow[0] : undefined
}

/** True if the reach admits the guest to the meeting room. */
export function isInRoom(reach: Reach): boolean {
  return isNamedIn(reach, [meetingRoom])
}

/** True if the guest may see the record. To change it, the guest also needs the permission. */
export function isInReach(reach: Reach, record: NamedRecord, kinds: Kinds): boolean {
  const kind = kinds.get(record.kind)
  // No one can know whether an unknown kind is for guests.
  if (!kind || !isScoped(kind)) return false
  const names = scopeNames(record, kinds)
  return isNamedIn(reach, names) && (kind.byPolicy !== true || mayBeRead(reach, kind, names, record))
}

/**
 * True if `source` doesn't hide records made from it. Every level of the reach must not deny the source, and must
 * allow its names, or allow `made` by a pattern that begins with the kind of `made`. So a grant of digests includes
 * their sources, except denied ones; a grant of marks includes only marks of granted records.
 */
export function isSourceInReach(reach: Reach, source: NamedRecord, made: NamedRecord, kinds: Kinds): boolean {
  const kind = kinds.get(source.kind)
  if (!kind || !isScoped(kind)) return false
  const names = scopeNames(source, kinds)
  if (names.length === 0) return false
  const granted = scopeNames(made, kinds)
  const isFor = (patterns: readonly ScopePattern[], some: readonly string[]) =>
    patterns.some((pattern) => some.some((name) => matchesScope(pattern, name)))
  const isIn = ({ allow, deny }: Reach) =>
    !isFor(deny, names) && (isFor(allow, names) || isFor(grantsOfKind(allow, made.kind, kinds), granted))
  return reachLevels(reach).every(isIn) && (kind.byPolicy !== true || mayBeRead(reach, kind, names, source))
}

/** Returns the `patterns` that begin with the scope prefix of kind `name`, if such a grant includes sources. */
export function grantsOfKind(
  patterns: readonly ScopePattern[],
  name: string,
  kinds: Kinds,
): readonly ScopePattern[] {
  const kind = kinds.get(name)
  const isGranted = kind?.madeFrom !== undefined && kind.madeFrom.reachOnly !== true
  return isGranted ? patterns.filter(({ parts: [first] }) => first === scopePrefix(kind)) : []
}

/**
 * True if a source that can't be read (gone, sealed, absent) hides the record made from it: if in doubt, the source
 * is out of reach. `kind`: the kind of the source if its record is here, else the kind of the record that names it.
 */
export function isDoubtfulSource(
  reach: Reach,
  kind: Kind | undefined,
  isHere: boolean,
  kinds: Kinds,
): boolean {
  if (!seesAll(reach)) return true
  if (reachLevels(reach).every(({ governed }) => !governed)) return false
  return kind !== undefined && (isHere ? kind.byPolicy === true : isByPolicy(kind, kinds))
}

/** True if the applied policies allow reading a record with these names. */
function mayBeRead(
  reach: Reach,
  kind: Kind,
  names: readonly string[],
  { sensitivity }: Pick<NamedRecord, 'sensitivity'>,
): boolean {
  const own = (sensitivity ?? kind.sensitivity ?? 'standard') as Sensitivity
  return reachLevels(reach).every(({ governed }) => !governed || isGoverned(governed, names, own))
}

/** True if a record with this head is in reach whatever its body contains. False if in doubt. */
export function isHeadInReach(reach: Reach, head: Omit<NamedRecord, 'body'>, kinds: Kinds): boolean {
  const { agent, session, resource } = head
  const kind = kinds.get(head.kind)
  if (!kind || !isScoped(kind)) return false
  // Policies decide by the body, which is unreadable.
  if (kind.byPolicy) return false
  if (seesAll(reach)) return true
  // The scope names depend on the body, which is unreadable.
  if (kind.scopeNames) return false
  const names = [`agent:${agent}`]
  if (session != null) names.push(`session:${session}`)
  if (resource != null && !isReserved(scopeParts(resource)[0] ?? '', kinds)) names.push(resource)
  const prefix = scopePrefix(kind)
  return reachLevels(reach).every((level) => reachesName(level, names) || reachesEvery(level, prefix))
}

/** True if every name that begins with `prefix` is in reach. */
function reachesEvery({ allow, deny }: Reach, prefix: string): boolean {
  const every = new Set(['**', '*:**', `${prefix}:**`])
  return deny.length === 0 && allow.some(({ text }) => every.has(text))
}
