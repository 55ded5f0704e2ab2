// A kind declares one sort of record. Store, recall, sync, bundle and inspector know records by this declaration
// only.
import type { IdPrefix } from './text/name-id.ts'
import { type JsonObject, isJsonObject, readPath, sameJson } from './json/path.ts'
import type { Schema } from './schema.ts'
import { nameHash } from './text/text-key.ts'
import type { Sensitivity } from './sealed.ts'
import type { Trust } from './trusted.ts'

/**
 * The hot columns of the store. A kind names the path that fills each column; other paths are read from JSON. Recall
 * weighs hits by `confidence` and `importance` (numbers from 0 to 1) and by `pinned` (a boolean).
 */
export const facetNames = [
  'happened_at',
  'domain',
  'actor',
  'action',
  'success',
  'subject',
  'confidence',
  'schema',
  'name',
  'importance',
  'pinned',
] as const
export type FacetName = (typeof facetNames)[number]

/** Hot columns whose value may name a record in token scopes: see `scopedBy`. */
export type ScopeFacet = Extract<FacetName, 'domain' | 'actor' | 'action' | 'subject' | 'schema' | 'name'>

/** Pseudo path in `text`: the words of the record's date, `2026-01-31 31 january 2026 saturday`. */
export const whenField = '@when'
/** Maximum of text fields of a kind: the full-text table has one column for each. */
export const textFieldLimit = 15

/**
 * Decides a conflict of two edits of one version; see C2 to C7 in sync/SPEC.md. `local_wins`: the arriving edit.
 * `remote_wins`: the mirror's record. `last_write_wins`: the later stamp. `merge`: the device merges both by field.
 * `manual`: the mirror's record stays, and a person decides about the edit.
 */
export type ConflictPolicy = 'local_wins' | 'remote_wins' | 'last_write_wins' | 'merge' | 'manual'

/**
 * Merges one path that both edits changed. `counter` adds the differences of numbers. `max` and `min` take the
 * greater or lesser number or time. `both` keeps both texts. `derived` takes the whole value of the later edit
 * without a conflict; `settle`, if the kind has it, may recompute the value.
 */
export type MergeRule = 'counter' | 'max' | 'min' | 'both' | 'derived'

/** A method, so that a kind of any body is a `Kind`. */
interface RecallRule<Body> {
  isRecallable(body: Body): boolean
}

export interface Kind<Name extends string = string, Body extends object = object> {
  readonly name: Name
  /** One sentence about the kind, for the manifest and the inspector. */
  readonly summary: string
  /** Ascends when the shape of the body changes. Each op contains it. */
  readonly version: number
  readonly schema: Schema<unknown, Body>
  /** Paths of the searchable text. Include dates, actors and categories: people search by them. */
  readonly text: readonly string[]
  /** Path of the value of each hot column. */
  readonly facets: Partial<Readonly<Record<FacetName, string>>>
  /**
   * Paths of names of the record's subject. Recall finds the record by a question that contains such a name in full.
   * Don't list names that many records share, such as the speaker.
   */
  readonly names?: readonly string[]
  /** Path of the one fact that a record states. Records of several kinds that state the same are one hit of a recall. */
  readonly fact?: string
  readonly policy: ConflictPolicy
  /**
   * Rules for single paths under policy `merge`; `*` matches every field of an object. By default, objects merge by
   * field and lists of scalars merge as sets.
   */
  readonly merge?: Readonly<Record<string, MergeRule>>
  /**
   * Recomputes derived fields after every write of a body: put, import, restore, merge. Pure and idempotent. Must
   * accept any JSON object, ignore unknown fields, and keep a valid body valid.
   */
  settle?(body: JsonObject): JsonObject
  /**
   * Fields that only count uses of a record, and fields derived from them. Of successive versions that differ only in
   * these fields, history keeps numbers 1, 2, 4, 8 and so on.
   */
  readonly counts?: readonly string[]
  /**
   * True: an edit made later than a forget, without knowledge of it, restores the record, and the conflict log has an
   * entry. Default: the forget wins. A purge always wins.
   */
  readonly laterEditRevives?: boolean
  /** Plural name in bundles and on the command line. Default: the name and an s. */
  readonly plural?: string
  /** True: records grant rights (control tokens). A bundle is written and read without them unless requested. */
  readonly grantsRights?: boolean
  /** True: definitions that other records need. A range of dates always includes them. */
  readonly timeless?: boolean
  /**
   * Hot column whose value names a record in token scopes: `trace:<domain>`. Absent: all records share the name of
   * the kind.
   */
  readonly scopedBy?: ScopeFacet
  /** Prefix of the scope name, if it differs from the kind's name: rules about facts share the scope of facts. */
  readonly scopedAs?: string
  /**
   * All scope names of a record, computed from its body; replaces `scopedBy`. Each begins with the kind's name or one
   * of `openPrefixes`. Pure; change it only with a new `version`. A record without names, or with more than
   * `scopeNameLimits` allows, is out of every reach.
   */
  scopeNames?(body: Body): readonly string[]
  /**
   * Access of guests. `none`: no token reaches these records, because they grant rights. `read`: rules that bind all
   * guests; a guest reads them within its scope and never changes them. `own`: no scope reaches them; each agent sees
   * its own records through the chapter's verbs (the `own` port), and the owner sees all.
   */
  readonly guests?: 'none' | 'read' | 'own'
  /**
   * True: policies, besides the token's reach, decide which records a guest may read. The kind needs `scopeNames`. A
   * guest's sync never includes this kind, nor a kind that may be made from it.
   */
  readonly byPolicy?: true
  /**
   * Paths that only the owner may see (earlier words). Reads, filters and orders of guests treat these fields as
   * absent.
   */
  readonly ownerPaths?: readonly string[]
  /** True: records are valid in this book only. No bundle contains them. */
  readonly bound?: boolean
  /** Prefix of ids that are derived from a name. Only the owner may use such an id for a record of another kind. */
  readonly idPrefix?: IdPrefix
  /** Derives the id from the name in a body, for kinds with one record per name. */
  idOf?(body: JsonObject): string
  /** Adds defaults to a body that another program wrote. Pure. */
  complete?(body: JsonObject): JsonObject
  /** Role of the speaker: a person, or an agent that answered. Undefined if the body doesn't say. Pure. */
  roleOf?(body: object): 'person' | 'agent' | undefined
  /** Highest trust of a record with this body, for every writer. Undefined: no limit. Pure. */
  trustOf?(body: object): Trust | undefined
  /**
   * `path`: path of the speaker; a guest may only name itself. Only the speaker writes the record; other
   * guests may change only `listenerFields`.
   */
  readonly speaker?: { readonly path: string; readonly listenerFields: readonly string[] }
  /**
   * Path of the agent that proposed the record; it may not decide about it. Default: the agent of the record's scope.
   */
  readonly proposedBy?: string
  /**
   * True for a state that only the owner may set (approved). No guest moves a record into or out of it, by call, sync
   * or import. A sealed body that can't be read counts as such a state.
   */
  ownerOnly?(body: Body): boolean
  /** Fields that only the owner may set, change or remove. */
  readonly ownerFields?: readonly string[]
  /** True: the record belongs to the program, not to an agent. Handles of every agent may change and forget it. */
  readonly shared?: true
  /** True: the records are rules, even if guests write some. Chapters read them without the caller's reach. */
  readonly ruling?: boolean
  /** Resets a body to its undecided state, for import from another person's book. */
  undecided?(body: JsonObject): JsonObject
  /** The least sensitivity of an undecided record from another person's book; that book may have named none. */
  undecidedSensitivity?(body: JsonObject): Sensitivity | undefined
  /** Default sensitivity of records. Without it: `standard`. */
  readonly sensitivity?: Sensitivity
  /** True: sync sends ops of this kind before others, and at once if there is a mirror. */
  readonly urgent?: boolean
  /**
   * Ids of the records that this record ended, for example one rejected after approval. Every copy with both records
   * forgets the ended one, whichever arrived first. The list only grows.
   */
  ends?(body: Body, id: string): readonly string[]
  /**
   * True if `after` removes words of `before` because their source ended or is gone. The store then removes earlier
   * versions. Pure.
   */
  takesBack?(before: JsonObject, after: JsonObject): boolean
  /** Id of the record that may have ended this record. */
  endedBy?(body: Body): string | undefined
  /**
   * Ids of the records that this record may have changed. Each change has its own id. Every copy with both records
   * undoes the change once its id is in `ends`.
   */
  changes?(body: Body): readonly string[]
  /**
   * Returns `body` without each change that record `by` made under id `as` if `isEnded(by, as)` is true. Returns the
   * same object if nothing changes. Pure.
   */
  withoutEnded?(body: JsonObject, isEnded: (by: string, as: string) => boolean): JsonObject
  /** Ids of the records that may be made from record `id` and repeat its words. Pure. */
  makes?(id: string): readonly string[]
  /**
   * Returns `body` without the words of gone source records. The order of calls doesn't matter, and the rest stays
   * valid. Returns the same object if nothing changes. Pure; must accept any JSON object.
   */
  withoutGone?(body: JsonObject, isGone: (id: string) => boolean): JsonObject
  /**
   * True for a state that only another final state, or a forget, replaces. Such a state wins every conflict. `other`:
   * the body that would replace it; the answer may depend on it.
   */
  isFinal?(body: Body, other?: Body): boolean
  /**
   * Path of the instant before which recall and default queries skip the record. Until then it supersedes nothing. With
   * it, recall as of a time dates the record by this instant, however late the book learned it.
   */
  readonly begins?: string
  /** Path of the instant after which recall and default queries skip the record. The store keeps it. */
  readonly expires?: string
  /**
   * Ids of records that contain the rest of a body too large for one record. One transaction forgets, purges or seals
   * them with this record. The writer must be allowed to write them.
   */
  parts?(body: Body): readonly string[]
  /**
   * Parts of another kind that several records with the same `subject` share. A part is removed with the last record
   * that names it, and gets the highest sensitivity of those records.
   */
  readonly sharedParts?: { readonly kind: string; readonly namedBy: readonly string[] }
  /**
   * Kind of a companion record with the same `subject`, `name` and `domain`. Both are removed together.
   */
  readonly followedBy?: string
  /**
   * Paths of ids of other records, single or in lists; `*` matches every field or item. A guest sees only ids of
   * records that it may see, and can't remove hidden ids by writing the record back. Don't list the owner of a record
   * (its persona, session, proposal): it is the address of the record, so every reader sees it.
   */
  readonly links?: readonly string[]
  /**
   * Citations of other records: the citing records can be found by the cited id, may supersede the cited
   * record, and lose the id in a cascading forget.
   */
  readonly cites?: readonly Citation<Body>[]
  /**
   * Paths, as in `links`, of records whose words this record may repeat without being made from them: its
   * predecessor, its proposal. It is at least as sensitive as they are, or were when forgotten, unless it sets
   * `standard` itself.
   */
  readonly guardedBy?: readonly string[]
  /** Set for records made from other records, which may quote them. */
  readonly madeFrom?: MadeFrom<Body>
  /** Keys under which earlier records wait for this record of `agent`. Pure. */
  awaitedAs?(body: Body, agent: string): readonly string[]
  /**
   * False excludes all records of the kind from recall; a function excludes those for which it returns false (unapproved).
   * Default: excludes none. Recall also skips expired and superseded records.
   */
  readonly recallable?: false | RecallRule<Body>['isRecallable']
  /**
   * Path of the id of the record that this record marks (see mark.ts). Calls return the marks with that record,
   * recall weighs them, and both are removed together. The id of the marks is derived from the id of the record.
   */
  readonly marks?: string
  /**
   * Votes and version of a record that other agents confirmed. Recall returns them with a hit; prompts quote such
   * records in a separate section.
   */
  confirmed?(body: Body): Confirmed
  /** False: no text of this kind goes to an embedder. */
  readonly embed?: boolean
  /** False: no text of this record goes to an embedder, and its vectors are removed. */
  embeds?(body: Body): boolean
}

/** Result of a vote of agents about a record. */
export interface Confirmed {
  readonly votes: { readonly yes: number; readonly no: number }
  readonly version: number
}

/** Returns the confirmation of `body`; undefined without one, or if `confirmed` throws. */
export function confirmedOf(kind: Kind | undefined, body: object): Confirmed | undefined {
  try {
    return kind?.confirmed?.(body)
  } catch {
    return undefined
  }
}

/** A path with the id of another record, or a list of ids. */
export interface Citation<Body extends object = object> {
  readonly path: string
  /** True: recall and default queries skip the cited record (of the same kind) while the citing record lives. */
  readonly supersedes?: true
  /** True if the body is void without an id at this path: a cascading forget then forgets the record. */
  rests?(body: Body): boolean
}

/**
 * How a record follows its sources. A guest reaches it only if it reaches every source. If a source is forgotten, or
 * becomes more sensitive than the record, the record is outdated: recall, default queries and prompts skip it at
 * once, and its earlier versions are removed, until it is rebuilt or forgotten. It is never less sensitive than its
 * sources. Change `sources` only with a new `version`.
 */
export interface MadeFrom<Body extends object = object> {
  /** Ids of the sources of `body`, the body of record `id`. */
  sources(body: Body, id: string): readonly string[]
  /**
   * Keys (`awaitedKey`) of sources that are not stored yet. `awaitedAs` of the source's kind returns the same key.
   * When both records are stored, the store replaces the key by the id, and the record follows its source.
   */
  awaits?(body: Body): readonly string[]
  /** Returns `body` with source `id` in place of `key`. Pure. */
  withSource?(body: Body, key: string, id: string): JsonObject
  /**
   * Essential sources: one transaction forgets and purges the record with any of them. Without `rebuildVerb`, every
   * source is essential.
   */
  goesWith?(body: Body, id: string): readonly string[]
  /**
   * Names of kinds that the sources may have. Absent: any kind. If policies decide about one of these kinds, no
   * guest's sync includes this kind, because sync selects whole kinds.
   */
  readonly of?: readonly string[]
  /** True for a record without quotes: only the reach and the sensitivity of its sources affect it. */
  readonly reachOnly?: true
  /**
   * True for a record that other books have in clear, so sealing would hide nothing. When a source is sealed, the
   * same transaction forgets this record.
   */
  readonly neverSealed?: true
  /**
   * Id of the capability that rebuilds the record from its remaining sources, or forgets it if no source is left. It
   * runs as a task with `{ id }` and must be idempotent. Absent: the transaction that changes a source forgets the
   * record. A copy that receives the end of a source by sync waits too: the next change may name other sources.
   */
  readonly rebuildVerb?: string
}

/** Ids of the sources of `body`, without repeats. Empty if `sources` throws. */
export function sourceIds({ madeFrom }: Kind, body: JsonObject, id: string): string[] {
  return madeFrom ? idsOf(() => madeFrom.sources(body, id)) : []
}

/** Ids of the sources whose end also ends `body`. */
export function goingIds({ madeFrom }: Kind, body: JsonObject, id: string): string[] {
  if (!madeFrom || madeFrom.reachOnly) return []
  const { rebuildVerb, goesWith, sources } = madeFrom
  return idsOf(() => (rebuildVerb === undefined ? sources(body, id) : (goesWith?.(body, id) ?? [])))
}

/** Returns the key of a source that is not stored yet. Such a key is never a valid record id. */
export function awaitedKey(...words: readonly string[]): string {
  return `!${nameHash(...words)}`
}

/** Keys of sources that `body` waits for. */
export function awaitedKeys({ madeFrom }: Kind, body: JsonObject): string[] {
  return idsOf(() => madeFrom?.awaits?.(body) ?? [])
}

/** Keys under which earlier records wait for the record `body` of `agent`. */
export function ownAwaitedKeys({ awaitedAs }: Kind, body: JsonObject, agent: string): string[] {
  return idsOf(() => awaitedAs?.(body, agent) ?? [])
}

function idsOf(list: () => readonly string[]): string[] {
  try {
    return [...new Set(list())].filter((id) => typeof id === 'string')
  } catch {
    return []
  }
}

/** Ids of the parts of `body`. Empty if `parts` throws. */
export function partIds(kind: Kind | undefined, body: JsonObject): readonly string[] {
  try {
    return kind?.parts?.(body) ?? []
  } catch {
    return []
  }
}

/** True if records of `kind` may be made, directly or through other kinds, from a kind that `isMeant` accepts. */
export function mayBeMadeFrom(
  kind: Kind,
  kinds: Kinds,
  isMeant: (kind: Kind) => boolean,
  seen: ReadonlySet<Kind> = new Set(),
): boolean {
  const { madeFrom } = kind
  if (!madeFrom || madeFrom.reachOnly || seen.has(kind)) return false
  const visited = new Set([...seen, kind])
  const from = madeFrom.of ? madeFrom.of.flatMap((name) => kinds.get(name) ?? []) : [...kinds.values()]
  return from.some((one) => isMeant(one) || mayBeMadeFrom(one, kinds, isMeant, visited))
}

/** True for kinds that a guest's sync never includes: policies decide about their records or their sources. */
export function isByPolicy(kind: Kind, kinds: Kinds): boolean {
  return kind.byPolicy === true || mayBeMadeFrom(kind, kinds, ({ byPolicy }) => byPolicy === true)
}

/** Returns the ids in `body` at `path`. */
export function citedIds(body: object, path: string): string[] {
  const value = readPath(body, path)
  return (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string')
}

/** Returns `body` with recomputed derived fields. */
export function settled(kind: Kind | undefined, body: JsonObject): JsonObject {
  return kind?.settle?.(body) ?? body
}

/** Returns `record`, or a body, without the paths that only the owner may see. */
export function withoutOwnerPaths<Body extends JsonObject>(kind: Kind | undefined, record: Body): Body {
  return (kind?.ownerPaths ?? []).reduce((rest, path) => withoutPath(rest, path.split('.')) as Body, record)
}

function withoutPath(value: JsonObject, [first = '', ...rest]: readonly string[]): JsonObject {
  const { [first]: found, ...otherFields } = value
  if (found === undefined) return value
  if (rest.length === 0) return otherFields
  return isJsonObject(found) ? { ...otherFields, [first]: withoutPath(found, rest) } : value
}

/** True if two bodies of a kind differ in nothing, or in counts of uses only. */
export function sameButCounts(
  { counts = [] }: Pick<Kind, 'counts'>,
  one: JsonObject,
  other: JsonObject,
): boolean {
  const rest = (body: JsonObject) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => !counts.includes(name)))
  return sameJson(rest(one), rest(other))
}

/** False if recall never returns a record of `kind` with this body. */
export function isRecallable({ recallable }: Kind, body: JsonObject): boolean {
  return recallable === undefined || (recallable !== false && recallable(body))
}

/** True if the text of a record may go to an embedder. Only this function decides that. */
export function isEmbeddable(kind: Kind, body: JsonObject): boolean {
  return kind.embed !== false && kind.embeds?.(body) !== false
}

/**
 * True if only the owner may replace `before` by `body`. An undefined `body`, or `before.body`, can't be read here.
 * An undefined `before` is a new record.
 */
export function isOwnersToDecide(
  kind: Kind | undefined,
  body: JsonObject | undefined,
  before: { readonly body?: JsonObject | undefined } | undefined,
): boolean {
  if (!kind?.ownerOnly) return false
  const isDecided = (one: JsonObject | undefined) => !one || kind.ownerOnly?.(one) === true
  return isDecided(body) || (before !== undefined && isDecided(before.body))
}

/**
 * True for kinds that every copy must read, so they are never sealed: rights and rules, which the mirror enforces, and
 * kinds with final states, which win conflicts at the mirror.
 */
export function isOpenKind({ guests, isFinal }: Kind): boolean {
  return (guests !== undefined && guests !== 'own') || isFinal !== undefined
}

/** True for kinds that a token's scope may reach. */
export function isScoped({ guests }: Pick<Kind, 'guests'>): boolean {
  return guests !== 'none' && guests !== 'own'
}

/** True if the record blocks its id for other kinds: a live record, or a tombstone with a name-derived id. */
export function holdsId(
  { id, kind, deleted }: { id: string; kind: string; deleted: number },
  kinds: Kinds,
): boolean {
  const prefix = kinds.get(kind)?.idPrefix
  return deleted === 0 || (prefix !== undefined && id.startsWith(prefix))
}

/** True if the id's prefix belongs to another kind. */
export function isForeignId(id: string, kind: string, kinds: Kinds): boolean {
  return [...kinds.values()].some((one) => {
    return one.name !== kind && one.idPrefix !== undefined && id.startsWith(one.idPrefix)
  })
}

/**
 * Returns the speaker's path if `agent` may not write `body` over `before`, because another agent speaks there.
 * Undefined if it may. Without `before`, the record is new.
 */
export function foreignWord(
  { speaker }: Kind,
  agent: string,
  body: JsonObject,
  before?: JsonObject,
): string | undefined {
  if (!speaker) return undefined
  const isOwn = readPath(before ?? body, speaker.path) === agent
  if (isOwn) return readPath(body, speaker.path) === agent ? undefined : speaker.path
  if (!before) return speaker.path
  // A listener may change only `listenerFields` of another's record.
  const speakerFields = (one: JsonObject) =>
    Object.fromEntries(Object.entries(one).filter(([field]) => !speaker.listenerFields.includes(field)))
  return sameJson(speakerFields(body), speakerFields(before)) ? undefined : speaker.path
}

/** First segments of scope names that every kind with `scopeNames` may use: categories of memories. */
export const openPrefixes: readonly string[] = ['a2p', 'ext']
/** Limits of the scope names of one record: number, and characters of each. */
export const scopeNameLimits = { count: 16, length: 512 } as const

/** Scope names that the kind computes for `body`, without repeats. Empty if one name is invalid. */
export function ownNames(kind: Kind, body: JsonObject): readonly string[] {
  const names = [...new Set(kind.scopeNames?.(body))]
  const first = new Set([scopePrefix(kind), ...openPrefixes])
  const isSound = (name: unknown) =>
    typeof name === 'string' &&
    name.length <= scopeNameLimits.length &&
    name.isWellFormed() &&
    // eslint-disable-next-line no-control-regex -- no pattern can match these characters
    !/[\u0000-\u001f]/.test(name) &&
    first.has(/^[^:.]*/.exec(name)?.[0] ?? '')
  return names.length <= scopeNameLimits.count && names.every(isSound) ? names : []
}

/** First segment of the scope names of a kind's records. */
export function scopePrefix(kind: Kind): string {
  return kind.scopedAs ?? kind.name
}

/** True for a valid name of a kind. */
export function isKindName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_.:-]{0,63}$/.test(name)
}

/** Prefix of the plural of unknown kinds in a bundle. */
export const unknownPlural = 'other:'

/**
 * Returns a placeholder for a kind that only a later Daybook knows. The book stores, lists, counts, exports and
 * imports its records unchanged; recall skips them.
 */
export function unknownKind(name: string): Kind {
  return {
    name,
    summary: 'A kind that this Daybook does not know.',
    plural: `${unknownPlural}${name}`,
    version: 0,
    schema: {
      '~standard': { version: 1, vendor: 'daybook', validate: (value) => ({ value: value as object }) },
    },
    text: [],
    facets: {},
    policy: 'last_write_wins',
    embed: false,
    recallable: false,
  }
}

/** The kinds of a book, by name. */
export type Kinds = ReadonlyMap<string, Kind>

/** Indexes kinds by name. Throws if two kinds share a name or a plural. */
export function createKinds(kinds: readonly Kind[]): Kinds {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]))
  if (byName.size !== kinds.length) throw new Error('Two kinds have the same name.')
  if (new Set(kinds.map(pluralOf)).size !== kinds.length) throw new Error('Two kinds have the same plural.')
  const twice = kinds.find(({ scopedBy, scopeNames }) => scopedBy !== undefined && scopeNames)
  if (twice) throw new Error(`The kind \`${twice.name}\` declares its scope names twice.`)
  return byName
}

/** Returns the plural name of a kind. */
export function pluralOf({ name, plural }: Pick<Kind, 'name' | 'plural'>): string {
  return plural ?? `${name}s`
}

/** Returns the kind with this singular or plural name: `trace` or `traces`. */
export function kindCalled(kinds: Kinds, name: string): Kind | undefined {
  const kind = kinds.get(name)
  if (kind) return kind
  for (const one of kinds.values()) if (pluralOf(one) === name) return one
  return undefined
}

/** Returns the kind's name for a singular or plural name; an unknown name unchanged. */
export function kindNameOf(kinds: Kinds, name: string): string {
  return kindCalled(kinds, name)?.name ?? name
}

/** Returns the text of `body` for a hot column; undefined unless it is well-formed text. */
export function facetOf(kind: Kind, facet: FacetName, body: JsonObject): string | undefined {
  const path = kind.facets[facet]
  const value = path === undefined ? undefined : readPath(body, path)
  // SQLite would replace a lone surrogate, so the column would differ from the record.
  return typeof value === 'string' && value.isWellFormed() ? value : undefined
}

/** Returns a string itself, or every string, number and key in an object or list. Appends to `into`. */
export function collectText(value: unknown, into: string[] = []): string[] {
  if (typeof value === 'string') into.push(value)
  else if (typeof value === 'number') into.push(String(value))
  else if (Array.isArray(value)) for (const item of value) collectText(item, into)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value as JsonObject)) {
      into.push(key)
      collectText(item, into)
    }
  }
  return into
}
