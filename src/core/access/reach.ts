// How far a guest of a book sees: the names that each record has, and the patterns over them that its token allows and denies.
// Invariants: a record is in reach when one of its names is allowed and none is denied, and so is all that it was made from;
// a narrowed reach never has what the wider one has not; kinds for the owner alone are in nobody's reach.
import {
  facetOf,
  isByPolicy,
  isScoped,
  type Kind,
  type Kinds,
  openPrefixes,
  ownNames,
  scopePrefix,
} from '../kind.ts'
import type { JsonObject } from '../json/path.ts'
import type { Sensitivity } from '../sealed.ts'
import { type Governed, isGoverned } from './governed.ts'
import { coversScope, matchesScope, parseNames, type ScopePattern, scopeParts, withBelow } from './scope.ts'

export interface Reach {
  /** A record is in reach by any of these. */
  readonly allow: readonly ScopePattern[]
  /** Unless one of its names is one of these. */
  readonly deny: readonly ScopePattern[]
  /** What this reach was narrowed from: a record must be in that one too. */
  readonly within?: Reach | undefined
  /** Of kinds that policies decide about (`byPolicy`) no more than they let it read. Absent: nobody has asked them. */
  readonly governed?: Governed | undefined
}

/** Most patterns that one grant allows, and that it denies. */
export const patternLimit = 32

/** A reach as a token, a key or claims spell it: one pattern, perhaps further ones beside it, and what is denied. */
export interface ScopeText {
  readonly scope: string
  /** Further patterns: what one of them or `scope` stands for is allowed. */
  readonly allow?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
}

/** What of a record decides its names. */
export interface NamedRecord {
  readonly kind: string
  readonly agent: string
  readonly session?: string | null | undefined
  readonly resource?: string | null | undefined
  readonly sensitivity?: string | null | undefined
  readonly body: JsonObject
}

/** The meeting room's name in scopes: whoever may not see it is not let in. */
export const meetingRoom = 'meeting-room'

const reservedSegments: ReadonlySet<string> = new Set([
  'agent',
  'session',
  'pool',
  meetingRoom,
  ...openPrefixes,
])

/** First segments that no resource is named by; one whose own begins with such has no name in scopes. */
export function isReserved(segment: string, kinds: Kinds): boolean {
  return reservedSegments.has(segment) || kinds.has(segment)
}

/** All such first segments. */
export function reservedNames(kinds: Kinds): string[] {
  return [...reservedSegments, ...kinds.keys()]
}

/** Reads a reach; undefined for an invalid pattern or too many of them. A denied name denies all below it too. */
export function readReach({ scope, allow = [], deny = [] }: ScopeText): Reach | undefined {
  const read = (texts: readonly string[]) => texts.flatMap((text) => parseNames(text) ?? [])
  const [allowed, denied] = [read([scope, ...allow]), read(deny)]
  const isWhole = allowed.length === allow.length + 1 && denied.length === deny.length
  if (!isWhole || Math.max(allowed.length, denied.length) > patternLimit) return undefined
  return { allow: allowed, deny: denied.flatMap(withBelow) }
}

/**
 * What is in one of `reaches` and denied by none: several grants of one caller taken together, never more than their union.
 * Without any: nothing.
 */
export function uniteReaches(reaches: readonly Reach[]): Reach {
  const distinct = (patterns: readonly ScopePattern[]) => [
    ...new Map(patterns.map((one) => [one.text, one])).values(),
  ]
  const [first, ...others] = reaches
  if (first && others.length === 0) return first
  return {
    // One that was narrowed can't be spelled as patterns, so it adds nothing.
    allow: distinct(reaches.flatMap(({ allow, within }) => (within ? [] : allow))),
    deny: distinct(reaches.flatMap((one) => levels(one).flatMap(({ deny }) => deny))),
  }
}

/** What is in both. */
export function narrowReach(wide: Reach, narrow: Reach): Reach {
  const { within, ...own } = narrow
  return { ...own, within: within ? narrowReach(wide, within) : wide }
}

/** The reach and all that it was narrowed from: a record is in reach when it is in each of them, taken alone. */
export function levels(reach: Reach): Reach[] {
  const { within, ...own } = reach
  return within ? [own, ...levels(within)] : [own]
}

/** True when whatever is in `narrow` is certain to be in `wide`: each pattern of it within one of the other's. */
export function coversReach(wide: Reach, narrow: Reach): boolean {
  const narrowed = levels(narrow)
  const denied = narrowed.flatMap(({ deny }) => deny)
  return levels(wide).every(
    ({ allow, deny }) =>
      narrowed.some((one) => one.allow.every((pattern) => isWithin(pattern, allow))) &&
      deny.every((pattern) => isWithin(pattern, denied)),
  )
}

const isWithin = (pattern: ScopePattern, wide: readonly ScopePattern[]) =>
  wide.some((one) => coversScope(one, pattern))

/**
 * The names of a record: what its kind says, or else `<kind>:<value of the column the kind is scoped by>` or the kind alone;
 * `agent:<agent>`, `session:<session>`, and the resource as it is (`course:CS101`). Without any it is in nobody's reach: what
 * its kind says of it is not to be relied on.
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

/** True when nothing is out of reach but what is for the owner alone. */
export function seesAll(reach: Reach): boolean {
  return levels(reach).every(
    ({ allow, deny }) => deny.length === 0 && allow.some(({ text }) => text === '**'),
  )
}

/** The reach as a text, the same for the same reach, and never for two. A reach of one pattern is that pattern. */
export function reachText(reach: Reach): string {
  const all = levels(reach).map(
    ({ allow, deny, governed }) => [textsOf(allow), textsOf(deny), governed?.text] as const,
  )
  const [[[only = '', ...others], denied, policies]] = all as [(typeof all)[number]]
  const isLone = others.length === 0 && denied.length === 0 && policies === undefined
  const isPlain = all.length === 1 && isLone && only !== ''
  // No pattern has a control character.
  return isPlain ? only : `\u0000${JSON.stringify(all)}`
}

const textsOf = (patterns: readonly ScopePattern[]) => patterns.map(({ text }) => text).toSorted()

/** True when something of exactly these names is in reach. */
export function isNamedIn(reach: Reach, names: readonly string[]): boolean {
  const has = (patterns: readonly ScopePattern[]) =>
    patterns.some((pattern) => names.some((name) => matchesScope(pattern, name)))
  return levels(reach).every(({ allow, deny }) => has(allow) && !has(deny))
}

/**
 * True when whatever has all of these names, and perhaps others, is in reach. In doubt, as with anything denied, false.
 */
export function reachesName(reach: Reach, names: readonly string[]): boolean {
  return levels(reach).every(({ deny }) => deny.length === 0) && isNamedIn(reach, names)
}

/** True when something is denied by what stands in the head of a record rather than by its kind and body. */
export function deniesHeads(reach: Reach, kinds: Kinds): boolean {
  const ofBody = new Set([...openPrefixes, ...[...kinds.values()].map(scopePrefix), ...kinds.keys()])
  return levels(reach).some(({ deny }) => deny.some(({ parts: [first = '*'] }) => !ofBody.has(first)))
}

/** The one name that a reach is about, when it is about no more than one. */
export function onlyPattern({ allow, deny, within }: Reach): ScopePattern | undefined {
  return allow.length === 1 && deny.length === 0 && !within ? allow[0] : undefined
}

/** True when the guest's token lets it into the meeting room. */
export function isInRoom(reach: Reach): boolean {
  return isNamedIn(reach, [meetingRoom])
}

/** True when the guest may see, and within its permissions change, the record. */
export function isInReach(reach: Reach, record: NamedRecord, kinds: Kinds): boolean {
  const kind = kinds.get(record.kind)
  // Of a kind that is not known here nobody can tell whether it is for others.
  if (!kind || !isScoped(kind)) return false
  const names = scopeNames(record, kinds)
  return isNamedIn(reach, names) && (kind.byPolicy !== true || mayBeRead(reach, kind, names, record))
}

/**
 * True when `source` keeps nothing that was made from it from the guest. At each level of the reach it is denied by nothing,
 * and allowed as any record is, or together with `made` by a pattern that begins with the kind of that: who is granted
 * digests is granted what stands in them, but for what is denied. A mark has nothing in it but its record: a grant of marks is
 * one of the marks of what it grants.
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
  return levels(reach).every(isIn) && (kind.byPolicy !== true || mayBeRead(reach, kind, names, source))
}

/** Those of `patterns` that begin with the name that records of the kind have by it, where they let its sources be seen. */
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
 * True when a source that can't be looked at (gone, sealed, not here) keeps what was made from it from the guest: in doubt it
 * is what the reach leaves out. `kind`: its own if a record of this id is here, else that of the record which names it.
 */
export function isDoubtful(reach: Reach, kind: Kind | undefined, isHere: boolean, kinds: Kinds): boolean {
  if (!seesAll(reach)) return true
  if (levels(reach).every(({ governed }) => !governed)) return false
  return kind !== undefined && (isHere ? kind.byPolicy === true : isByPolicy(kind, kinds))
}

/** True when the policies that were asked let a record of these names be read. */
function mayBeRead(
  reach: Reach,
  kind: Kind,
  names: readonly string[],
  { sensitivity }: Pick<NamedRecord, 'sensitivity'>,
): boolean {
  const own = (sensitivity ?? kind.sensitivity ?? 'standard') as Sensitivity
  return levels(reach).every(({ governed }) => !governed || isGoverned(governed, names, own))
}
