// A kind declares one sort of record. Store, recall, sync, bundle and inspector handle records by this declaration alone.
import { type JsonObject, isJsonObject, readPath, sameJson } from './json/path.ts'
import type { Schema } from './schema.ts'
import { nameHash } from './text/text-key.ts'
import type { Sensitivity } from './sealed.ts'

/**
 * The hot columns of the store. A kind names the path that fills each; all other paths go through JSON.
 * `confidence` and `importance` are numbers from 0 to 1, `pinned` is a boolean: recall weighs hits by them.
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

export type ScopeFacet = Extract<FacetName, 'domain' | 'actor' | 'action' | 'subject' | 'schema' | 'name'>

/** Pseudo path in `text` for the words of the record's date: `2026-01-31 31 january 2026 saturday`. */
export const whenField = '@when'
/** Most text fields of a kind. */
export const textFieldLimit = 15

export type ConflictPolicy = 'local_wins' | 'remote_wins' | 'last_write_wins' | 'merge' | 'manual'

/**
 * Rule for one path that both edits of a merge changed. `counter` adds the differences of numbers; `max` and `min` take
 * the greater or lesser number or time; `both` keeps both texts; `derived` is recomputed by `settle` and never conflicts.
 */
export type MergeRule = 'counter' | 'max' | 'min' | 'both' | 'derived'

export interface Kind<Name extends string = string, Body extends object = object> {
  readonly name: Name
  /** One sentence about the kind, for the manifest and the inspector. */
  readonly summary: string
  /** Grows when the body's shape changes; travels with each op. */
  readonly version: number
  readonly schema: Schema<unknown, Body>
  /** Paths of the searchable text. Dates, actors and categories belong here too: they make a record findable. */
  readonly text: readonly string[]
  readonly facets: Partial<Readonly<Record<FacetName, string>>>
  /**
   * Paths of names of the record's subject. A question that contains such a name in full asks for this record. Not for
   * names that many records share, such as the speaker.
   */
  readonly names?: readonly string[]
  readonly policy: ConflictPolicy
  /**
   * Rules for single paths under policy `merge`; `*` matches every field of an object. Other paths merge by field, and
   * lists of plain values merge as sets.
   */
  readonly merge?: Readonly<Record<string, MergeRule>>
  /**
   * Recomputes derived fields after every write of a body: put, import, restore, merge. Pure and idempotent. Total over
   * JSON objects: it ignores what it doesn't know, and a valid body stays valid.
   */
  settle?(body: JsonObject): JsonObject
  /**
   * Fields that only count uses of a record, and fields derived from them. Of versions that differ in nothing else,
   * history keeps those numbered 1, 2, 4, 8 and so on.
   */
  readonly counts?: readonly string[]
  /**
   * True: a later edit that didn't know of a forget revives the record, and the conflict log says so. Default: it
   * doesn't. A purge is always final.
   */
  readonly laterEditRevives?: boolean
  /** Plural name in bundles and on the command line. Default: the name and an s. */
  readonly plural?: string
  /** True: a bundle contains it only on request (authority, secrets). */
  readonly guarded?: boolean
  /** True for a definition that other records depend on: it belongs to every range of dates. */
  readonly timeless?: boolean
  /**
   * Hot column whose value names a record in token scopes: `trace:<domain>`. Without it, all records share the kind's
   * name.
   */
  readonly scopedBy?: ScopeFacet
  /** Prefix of that name, if it isn't the kind's own: rules about facts share the scope of facts. */
  readonly scopedAs?: string
  /**
   * All scope names of a record, computed from its body; replaces `scopedBy`. Each begins with the kind's name or one of
   * `openPrefixes`. Pure; change it only with a new `version`. A record with no name, or beyond `scopeNameLimits`, is out
   * of everyone's reach.
   */
  scopeNames?(body: Body): readonly string[]
  /**
   * Access of guests. `none`: no token reaches these records, because they grant rights. `read`: rules that guests may
   * read within their scope but never change, and that bind guests everywhere. `own`: no scope reaches them; each agent
   * sees its own through the chapter's verbs (`own` of a capability's ports), the owner sees all.
   */
  readonly guests?: 'none' | 'read' | 'own'
  /**
   * True: besides the token's reach, policies decide which records a guest may read. The kind needs `scopeNames`. A
   * guest's sync never carries it, nor anything that may be made from it.
   */
  readonly byPolicy?: true
  /**
   * Paths that only the owner may see (earlier words). For guests, reads, filters and orders behave as if the field were
   * absent.
   */
  readonly ownerPaths?: readonly string[]
  /** True: valid in this book only. No bundle contains it. */
  readonly bound?: boolean
  /** Prefix of ids that are derived from a name. Only the owner may give such an id to a record of another kind. */
  readonly idPrefix?: string
  /** Id derived from the name in a body, for kinds whose records are identified by name. */
  idOf?(body: JsonObject): string
  /** Fills in defaults for a body that another program wrote. Pure. */
  complete?(body: JsonObject): JsonObject
  /** Role of the speaker: a person, or an agent that answered. Undefined if the body doesn't say. Pure. */
  roleOf?(body: object): 'person' | 'agent' | undefined
  /** Path of the speaker, and the fields that listeners may still change. A guest speaks only for itself. */
  readonly speaker?: { readonly path: string; readonly listenerFields: readonly string[] }
  /** Path of the agent that proposed the record, for its deciders. Default: the agent of the record's scope. */
  readonly proposedBy?: string
  /**
   * True for a state that only the owner may set (approved). No guest moves a record into or out of it by call, sync or
   * import; the same goes for sealed bodies, where nobody can tell.
   */
  ownerOnly?(body: Body): boolean
  /** Fields that only the owner may set, change and remove. */
  readonly ownerFields?: readonly string[]
  /** True: the record belongs to the program, not to an agent. Handles of all agents may change and forget it. */
  readonly shared?: true
  /** True: the records are rules, although guests write some. Chapters read them for every caller. Default false. */
  readonly ruling?: boolean
  /** Resets a body to its undecided state, for records from another person's book. */
  undecided?(body: JsonObject): JsonObject
  /** Sensitivity of records that set none. Default `standard`. */
  readonly sensitivity?: Sensitivity
  /** True: ops of this kind are sent before all others, and at once if there is a mirror. */
  readonly urgent?: boolean
  /**
   * Ids of the records that this one ended, for example rejected after approval. Every copy that has both forgets them,
   * in any order of arrival. The list only grows.
   */
  ends?(body: Body, id: string): readonly string[]
  /**
   * True if `after` drops words of `before` because their source ended or is gone: earlier versions are then removed.
   * Pure.
   */
  takesBack?(before: JsonObject, after: JsonObject): boolean
  /** Id of the record that may have ended this one. */
  endedBy?(body: Body): string | undefined
  /**
   * Ids of the records that this one may have changed. Each change has an id of its own and is undone, at every copy that
   * has both, once that id is among `ends`.
   */
  changes?(body: Body): readonly string[]
  /**
   * `body` without the changes for which `isEnded(by, as)` is true: made by record `by` under id `as`. Returns the same
   * object if nothing changes. Pure.
   */
  withoutEnded?(body: JsonObject, isEnded: (by: string, as: string) => boolean): JsonObject
  /** Ids of the records that may be made from record `id` and repeat its words. Pure. */
  makes?(id: string): readonly string[]
  /**
   * `body` without the words of gone source records, in any order of arrival; the rest stays valid. Returns the same
   * object if nothing changes. Pure, total over JSON objects.
   */
  withoutGone?(body: JsonObject, isGone: (id: string) => boolean): JsonObject
  /** True for a state that only another final state, or a forget, may replace: it wins every conflict. */
  isFinal?(body: Body): boolean
  /** Path of an instant after which recall and default queries skip the record. It stays stored. */
  readonly expires?: string
  /**
   * Ids of the records with the rest of a body too large for one record. They are forgotten, purged and sealed with it in
   * one transaction. The writer of this record must be allowed to write them.
   */
  parts?(body: Body): readonly string[]
  /**
   * For parts of another kind that several records share, all with the same `subject`. A part is removed with the last
   * record that names it, and is as sensitive as the most sensitive of them.
   */
  readonly sharedParts?: { readonly kind: string; readonly namedBy: readonly string[] }
  /** Kind of a companion record with the same `subject`, `name` and `domain`, removed together with this one. */
  readonly followedBy?: string
  /**
   * Paths of ids of other records, single or in lists; `*` matches every field or item. Guests see only ids of records
   * they may see, and can't drop the hidden ones by writing the record back. The owner of a record (its persona, session,
   * proposal) is its address, not a link.
   */
  readonly links?: readonly string[]
  /** Citations of other records. */
  readonly cites?: readonly Citation<Body>[]
  /**
   * Paths, as in `links`, of records whose words this one may repeat without being made from them: its predecessor, its
   * proposal. It is at least as sensitive as they are, or were when forgotten, unless it sets `standard` itself.
   */
  readonly guardedBy?: readonly string[]
  /** For records made from others, which may quote them. */
  readonly madeFrom?: MadeFrom<Body>
  /** Keys under which earlier records await this record of `agent`. Pure. */
  awaitedAs?(body: Body, agent: string): readonly string[]
  /** False keeps a record out of recall (unapproved). Expired and superseded records are skipped anyway. */
  recallable?(body: Body): boolean
  /**
   * Path of the id of the record that this one marks (see mark.ts). Marks are shown with that record, weigh it in recall
   * and are removed with it. The id of the marks follows from the id of the record.
   */
  readonly marks?: string
  /**
   * Votes and version of a record that other agents confirmed. Recall reports them with a hit; prompts quote such records
   * in a separate section.
   */
  confirmed?(body: Body): Confirmed
  /** False: texts of this kind never go to an embedder. */
  readonly embed?: boolean
  /** False keeps this record's text from every embedder and removes its vectors. */
  embeds?(body: Body): boolean
}

/** Confirmation by the vote of a group of agents. */
export interface Confirmed {
  readonly votes: { readonly yes: number; readonly no: number }
  readonly version: number
}

/** Confirmation of `body`; undefined without one, or if the body can't be read. */
export function confirmedOf(kind: Kind | undefined, body: object): Confirmed | undefined {
  try {
    return kind?.confirmed?.(body)
  } catch {
    return undefined
  }
}

/** Path of the id of another record, or of a list of ids. */
export interface Citation<Body extends object = object> {
  readonly path: string
  /** True: recall and default queries skip the cited record (of the same kind) while this one lives. */
  readonly supersedes?: true
  /** True for a body that is void when no id is left at this path: a cascading forget removes it too. */
  rests?(body: Body): boolean
}

/**
 * How a record follows its sources. Guests can't reach it unless they reach every source. When a source is forgotten, or
 * becomes more sensitive than the record, the record is outdated: recall, default queries and prompts skip it at once,
 * and earlier versions are removed, until it is rebuilt or forgotten. It is never less sensitive than its sources. Change
 * `sources` only with a new `version`.
 */
export interface MadeFrom<Body extends object = object> {
  /** Ids of the records that `body`, of record `id`, was made from. */
  sources(body: Body, id: string): readonly string[]
  /**
   * Keys (`awaitedKey`) of sources that are not stored yet. `awaitedAs` of their kind gives the same key. Once both are
   * here, in any order, the store replaces the key by the id, and the record follows its source.
   */
  awaits?(body: Body): readonly string[]
  /** `body` with source `id` in place of `key`. Pure. */
  withSource?(body: Body, key: string, id: string): JsonObject
  /**
   * Essential sources: the record is forgotten and purged with each of them, in one transaction. Without `rebuildVerb`
   * every source is essential.
   */
  goesWith?(body: Body, id: string): readonly string[]
  /**
   * Names of the kinds it may be made from. Default: any. If policies decide about one of them, no guest's sync carries
   * this kind, because a sync carries whole kinds.
   */
  readonly of?: readonly string[]
  /** True for a record without quotes: it follows the reach and the sensitivity of its sources, and nothing else. */
  readonly reachOnly?: true
  /**
   * True for a record that others have in clear, so sealing it here hides nothing: it is forgotten when a source is
   * sealed, in the same transaction.
   */
  readonly neverSealed?: true
  /**
   * Id of the capability that rebuilds the record from its remaining sources, or forgets it if none is left. It runs as a
   * task with `{ id }` and must be idempotent. Without it, the record is forgotten in the transaction that changes a
   * source. A copy that learns of the end of a source by sync also waits for it: the next change may name other sources.
   */
  readonly rebuildVerb?: string
}

/** Ids of the sources of `body` of record `id`, each once; empty if the body can't be read. */
export function sourceIds({ madeFrom }: Kind, body: JsonObject, id: string): string[] {
  return madeFrom ? idsOf(() => madeFrom.sources(body, id)) : []
}

/** Ids of the records with which `body` of record `id` is forgotten and purged. */
export function goingIds({ madeFrom }: Kind, body: JsonObject, id: string): string[] {
  if (!madeFrom || madeFrom.reachOnly) return []
  const { rebuildVerb, goesWith, sources } = madeFrom
  return idsOf(() => (rebuildVerb === undefined ? sources(body, id) : (goesWith?.(body, id) ?? [])))
}

/** Key of a source that is not stored yet. Never a valid record id. */
export function awaitedKey(...words: readonly string[]): string {
  return `!${nameHash(...words)}`
}

/** Keys of the sources that `body` still waits for. */
export function awaitedKeys({ madeFrom }: Kind, body: JsonObject): string[] {
  return idsOf(() => madeFrom?.awaits?.(body) ?? [])
}

/** Keys under which earlier records await the record `body` of `agent`. */
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

/** Ids of the parts of `body`; empty if the body can't be read. */
export function partIds(kind: Kind | undefined, body: JsonObject): readonly string[] {
  try {
    return kind?.parts?.(body) ?? []
  } catch {
    return []
  }
}

/** True if a record of `kind` may be made, directly or over others, from a kind for which `isMeant` is true. */
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

/** True for kinds that a guest's sync never carries: policies decide about their records or about their sources. */
export function isByPolicy(kind: Kind, kinds: Kinds): boolean {
  return kind.byPolicy === true || mayBeMadeFrom(kind, kinds, ({ byPolicy }) => byPolicy === true)
}

/** Ids in `body` at `path`. */
export function citedIds(body: object, path: string): string[] {
  const value = readPath(body, path)
  return (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string')
}

/** `body` with its derived fields recomputed. */
export function settled(kind: Kind | undefined, body: JsonObject): JsonObject {
  return kind?.settle?.(body) ?? body
}

/** `record`, or its body, without the paths that only the owner may see. */
export function withoutOwnerPaths<Body extends JsonObject>(kind: Kind | undefined, record: Body): Body {
  return (kind?.ownerPaths ?? []).reduce((rest, path) => withoutPath(rest, path.split('.')) as Body, record)
}

function withoutPath(value: JsonObject, [first = '', ...rest]: readonly string[]): JsonObject {
  const { [first]: found, ...others } = value
  if (found === undefined) return value
  if (rest.length === 0) return others
  return isJsonObject(found) ? { ...others, [first]: withoutPath(found, rest) } : value
}

/** True if the text of a record may be sent to an embedder. No other code decides this. */
export function isEmbeddable(kind: Kind, body: JsonObject): boolean {
  return kind.embed !== false && kind.embeds?.(body) !== false
}

/**
 * True if a guest may not replace `before` by `body`. An undefined body is one that nobody here can read; an undefined
 * `before` means a new record.
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

/** True for kinds that every copy must be able to read: authority and rules, which the mirror enforces. */
export function isOpenKind({ guests, isFinal }: Kind): boolean {
  return (guests !== undefined && guests !== 'own') || isFinal !== undefined
}

/** True for kinds that a token's scope may reach. */
export function isScoped({ guests }: Pick<Kind, 'guests'>): boolean {
  return guests !== 'none' && guests !== 'own'
}

/** True if a live record, or a tombstone with a name-derived id, reserves its id against other kinds. */
export function holdsId(
  { id, kind, deleted }: { id: string; kind: string; deleted: number },
  kinds: Kinds,
): boolean {
  const prefix = kinds.get(kind)?.idPrefix
  return deleted === 0 || (prefix !== undefined && id.startsWith(prefix))
}

/** True for an id that only records of another kind may have. */
export function isForeignId(id: string, kind: string, kinds: Kinds): boolean {
  return [...kinds.values()].some((one) => {
    return one.name !== kind && one.idPrefix !== undefined && id.startsWith(one.idPrefix)
  })
}

/** Path at which `body` (replacing `before`, if any) speaks for another agent than `agent`; undefined if it doesn't. */
export function foreignWord(
  { speaker }: Kind,
  agent: string,
  body: JsonObject,
  before?: JsonObject,
): string | undefined {
  if (!speaker || readPath(before ?? body, speaker.path) === agent) {
    return speaker && readPath(body, speaker.path) !== agent ? speaker.path : undefined
  }
  if (!before) return speaker.path
  const guarded = (one: JsonObject) =>
    Object.fromEntries(Object.entries(one).filter(([field]) => !speaker.listenerFields.includes(field)))
  return sameJson(guarded(body), guarded(before)) ? undefined : speaker.path
}

/** First segments of scope names that any kind with `scopeNames` may use: categories of memories. */
export const openPrefixes: readonly string[] = ['a2p', 'ext']
/** Most scope names that a body may give a record, and their longest length. */
export const scopeNameLimits = { count: 16, length: 512 } as const

/** Scope names that the kind computes for `body`, each once; empty if one is invalid. */
export function ownNames(kind: Kind, body: JsonObject): readonly string[] {
  const names = [...new Set(kind.scopeNames?.(body))]
  const first = new Set([scopePrefix(kind), ...openPrefixes])
  const isSound = (name: unknown) =>
    typeof name === 'string' &&
    name.length <= scopeNameLimits.length &&
    name.isWellFormed() &&
    // eslint-disable-next-line no-control-regex -- what no pattern can have is in no name
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

/** Prefix of the plural, in a bundle, of kinds that the book doesn't know. */
export const unknownPlural = 'other:'

/**
 * Placeholder for a kind that only a later Daybook knows. Its records are stored, listed, counted, exported and imported
 * unchanged, and never recalled.
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
    recallable: () => false,
  }
}

/** The kinds of a book, by name. */
export type Kinds = ReadonlyMap<string, Kind>

/** Indexes kinds by name. Two of the same name are a programming error. */
export function createKinds(kinds: readonly Kind[]): Kinds {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]))
  if (byName.size !== kinds.length) throw new Error('Two kinds have the same name.')
  if (new Set(kinds.map(pluralOf)).size !== kinds.length) throw new Error('Two kinds have the same plural.')
  const twice = kinds.find(({ scopedBy, scopeNames }) => scopedBy !== undefined && scopeNames)
  if (twice) throw new Error(`The kind \`${twice.name}\` declares its scope names twice.`)
  return byName
}

/** Plural name of a kind. */
export function pluralOf({ name, plural }: Pick<Kind, 'name' | 'plural'>): string {
  return plural ?? `${name}s`
}

/** The kind with this singular or plural name: `trace` or `traces`. */
export function kindCalled(kinds: Kinds, name: string): Kind | undefined {
  const kind = kinds.get(name)
  if (kind) return kind
  for (const one of kinds.values()) if (pluralOf(one) === name) return one
  return undefined
}

/** Resolves a singular or plural name to the name of its kind; an unknown name is returned unchanged. */
export function kindNameOf(kinds: Kinds, name: string): string {
  return kindCalled(kinds, name)?.name ?? name
}

/** Value of a text hot column for `body`; undefined unless it is well-formed text. */
export function facetOf(kind: Kind, facet: FacetName, body: JsonObject): string | undefined {
  const path = kind.facets[facet]
  const value = path === undefined ? undefined : readPath(body, path)
  // Binding a lone surrogate would store another text than the record's.
  return typeof value === 'string' && value.isWellFormed() ? value : undefined
}

/** Texts at `path`: a string itself, or every string, number and key below an object or list. */
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
