// A kind: the declaration that lets store, recall, sync, bundle and inspector handle records they know nothing about.
import { isJsonObject, type JsonObject, readPath } from './json/path.ts'
import { sameJson } from './json/same-json.ts'
import type { Schema } from './schema.ts'
import { nameHash } from './text/murmur.ts'
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

/** Stands among a kind's text fields for the words of the day it happened: `2026-01-31 31 january 2026 saturday`. */
export const whenField = '@when'
/** How many text fields a kind may have. */
export const textFieldLimit = 15

export type ConflictPolicy = 'local_wins' | 'remote_wins' | 'last_write_wins' | 'merge' | 'manual'

/**
 * How one path is merged when two edits of one version both changed it: numbers by their difference (`counter`); of numbers
 * and of times the greater one (`max`) or the lesser (`min`); text by keeping both (`both`); `derived` for what `settle`
 * tells from the rest: no two of it clash.
 */
export type MergeRule = 'counter' | 'max' | 'min' | 'both' | 'derived'

export interface Kind<Name extends string = string, Body extends object = object> {
  readonly name: Name
  /** What this kind is, in one sentence; shown in the manifest and the inspector. */
  readonly summary: string
  /** Grows when the body's shape changes; travels with each op. */
  readonly version: number
  readonly schema: Schema<unknown, Body>
  /** Paths of the searchable text. Dates, actors and categories belong here too: they make a record findable. */
  readonly text: readonly string[]
  readonly facets: Partial<Readonly<Record<FacetName, string>>>
  /**
   * Paths of texts that are names of what the record is about: a question that has one whole asks for this record. Not for
   * names that a great many records share, such as who said it.
   */
  readonly names?: readonly string[]
  readonly policy: ConflictPolicy
  /**
   * For policy `merge`: rules for single paths, where `*` stands for each field of an object. All others merge by field, and
   * lists of plain values as sets.
   */
  readonly merge?: Readonly<Record<string, MergeRule>>
  /**
   * Tells what in a body follows from the rest of it, after everything that writes one: a put, an import, a restore, a merge.
   * Pure, and total over JSON objects: what it does not know it leaves alone. `settle(settle(body))` is `settle(body)`, and
   * a body that fits the kind still does.
   */
  settle?(body: JsonObject): JsonObject
  /**
   * Fields that only count what was done with a record, and what follows from that: of versions that differ in nothing else
   * the history has those numbered 1, 2, 4, 8 and so on, which show how it went.
   */
  readonly counts?: readonly string[]
  /**
   * True when an edit that did not know that its record was forgotten, and is later, has the record live again; the conflict
   * log says so. Otherwise no such edit does. A purge is final in either case.
   */
  readonly laterEditRevives?: boolean
  /** What several are called, in bundles and on the command line; default the name and an s. */
  readonly plural?: string
  /** Leaves the book in a bundle only when that is asked for (authority, secrets). */
  readonly guarded?: boolean
  /** A definition that other records rest on: it belongs to every range of dates. */
  readonly timeless?: boolean
  /**
   * The hot column whose value names a record in the scopes of tokens: `trace:<domain>`. Without one, all records of
   * the kind have the name of the kind.
   */
  readonly scopedBy?: ScopeFacet
  /** Another kind's name to stand before that value: a rule about facts is reached with the facts. */
  readonly scopedAs?: string
  /**
   * All names of a record in scopes that its body decides, for a kind whose records have several: in place of `scopedBy`. Each
   * begins with the name of the kind or one of `openPrefixes`. Pure; a change of it comes with a new `version`. A record of
   * which it says none, too many or too long ones (`scopeNameLimits`) is in nobody's reach.
   */
  scopeNames?(body: Body): readonly string[]
  /**
   * `none`: no token reaches records of this kind, because they say who may do what. `read`: they are rules, which guests
   * may read in their scope and never change, and which hold guests everywhere. `own`: no scope reaches them; each agent
   * has those that it made, by the verbs of their chapter (`own` of a capability's ports), and the owner has all.
   */
  readonly guests?: 'none' | 'read' | 'own'
  /**
   * The policies of the book decide which of its records a guest may read, besides what its token reaches. Such a kind says
   * its names (`scopeNames`), and no sync of a guest carries it, nor what may be made from it.
   */
  readonly byPolicy?: true
  /**
   * Paths of a body of which nobody but the owner is told: what it said before. A guest reads, filters and orders as if nothing
   * stood there.
   */
  readonly ownerPaths?: readonly string[]
  /** It speaks for this book alone: it is in no bundle, and no bundle brings it in. */
  readonly bound?: boolean
  /** What ids of its records begin with that follow from a name. Nobody but the owner gives such an id to another kind. */
  readonly idPrefix?: string
  /** The id that follows from the name in a body, for kinds whose records are known by one. */
  idOf?(body: JsonObject): string
  /** A body that another program wrote, with the defaults of this kind for what it left out. Pure. */
  complete?(body: JsonObject): JsonObject
  /** Who said what stands in it: a person, or an agent that answered. Undefined where it says neither. Pure. */
  saidBy?(body: object): 'person' | 'agent' | undefined
  /** Where a record says who speaks, and which fields listeners may change all the same. A guest speaks for itself alone. */
  readonly speaker?: { readonly path: string; readonly listenerFields: readonly string[] }
  /** The path where a record says which agent has proposed it, for those who decide about it. Default: whose record it is. */
  readonly proposedBy?: string
  /**
   * True for a state that the owner alone brings about (approved). A guest puts no record into such a state and changes none
   * that is in it, by a call, a sync or an import. Where a body is sealed, so that it can't be told, neither.
   */
  ownerOnly?(body: Body): boolean
  /** Fields of a body that the owner alone sets, changes and takes away. */
  readonly ownerFields?: readonly string[]
  /** True: it belongs to no agent, but to the program whose it is. Handles of all agents change and forget it. */
  readonly shared?: true
  /** Its records hold rules, though guests write some of them: chapters read them for whoever calls. Default false. */
  readonly ruling?: boolean
  /** A body in such a state as it stands before anybody has decided: so does it come in from somebody else's book. */
  undecided?(body: JsonObject): JsonObject
  /** How sensitive records of this kind are that do not say so themselves. Default `standard`. */
  readonly sensitivity?: Sensitivity
  /** Ops of this kind are sent ahead of all others, and at once where a mirror is configured. */
  readonly urgent?: boolean
  /**
   * The ids of records that this one, of this id and as it stands, has brought to an end: what was approved and is rejected
   * now. They are forgotten at every copy that has both, however they came there. It only ever grows, so that the order does
   * not matter.
   */
  ends?(body: Body, id: string): readonly string[]
  /** True where `after` says no more what `before` did because that has ended or is gone: then no earlier version keeps it. Pure. */
  takesBack?(before: JsonObject, after: JsonObject): boolean
  /** The id of the record that may have brought this one to an end. */
  endedBy?(body: Body): string | undefined
  /**
   * The ids of records that this one may have changed. Such a change has an id of its own, and is taken back at every copy that
   * has both as soon as that id is among those that this one has brought to an end.
   */
  changes?(body: Body): readonly string[]
  /**
   * `body` without the changes for which `isEnded` holds: made by the record `by`, under the id `as`. The same object where there
   * is none. Pure.
   */
  withoutEnded?(body: JsonObject, isEnded: (by: string, as: string) => boolean): JsonObject
  /** The ids that a record may have which was made of the record `id`, and says again what that says. Pure. */
  makes?(id: string): readonly string[]
  /**
   * `body` without the words of the records of which it was made and that are gone, at every copy that has both, in whatever order
   * they came: it stands without them. The same object where it has none. Pure, and total over JSON objects.
   */
  withoutGone?(body: JsonObject, isGone: (id: string) => boolean): JsonObject
  /** True for a state that only another of its sort, or forgetting, may replace: it wins every conflict. */
  isFinal?(body: Body): boolean
  /** The path of an instant after which a record is out of recall and default queries, though still there. */
  readonly expires?: string
  /**
   * The ids of the records that hold the rest of a body that is too large for one. They are forgotten, purged and sealed with
   * it, in the same transaction. It names only records that whoever writes this one may write.
   */
  parts?(body: Body): readonly string[]
  /**
   * For parts of another kind that several records name, all of the same `subject`. A part goes with the last record that names
   * it, and is as sensitive as the most sensitive of them.
   */
  readonly sharedParts?: { readonly kind: string; readonly namedBy: readonly string[] }
  /** The kind of what is said beside a record, with the same `subject`, `name` and `domain`: it goes with the record. */
  readonly followedBy?: string
  /**
   * Paths of the ids of other records in a body, one id or a list of them; `*` stands for each field of an object or item of a
   * list. A guest is shown the ids of records that it may see, and takes none away by writing a record back. What a record
   * belongs to (its persona, session, proposal) is its address, and no link.
   */
  readonly links?: readonly string[]
  /** Where a body names other records. */
  readonly cites?: readonly Citation<Body>[]
  /**
   * Paths, as in `links`, of the ids of records whose words it may say again without being made from them: the one in whose place it
   * stands, the proposal that it came of. It is no less sensitive than they are, or were when they were forgotten, unless it
   * says `standard` itself. It follows them in nothing else.
   */
  readonly guardedBy?: readonly string[]
  /** For what is made from other records and may quote them. */
  readonly madeFrom?: MadeFrom<Body>
  /** The keys by which what was made before it was stored knows a record of `agent`. Pure. */
  awaitedAs?(body: Body, agent: string): readonly string[]
  /** False keeps a record out of recall (unapproved). What is expired or superseded is kept out by itself. */
  recallable?(body: Body): boolean
  /**
   * The path of the id of another record, of which this one says something: its marks (see mark/mark.ts). They are
   * shown with that record, weigh it in recall, and go with it; the record of a mark has the id that follows from its own.
   */
  readonly marks?: string
  /**
   * For what others than this book vouch for: how they voted, and which version it is. Recall says so of a hit, and prompts
   * quote it in a lane of its own.
   */
  confirmed?(body: Body): Confirmed
  /** False: texts of this kind never go to an embedder. */
  readonly embed?: boolean
  /** False keeps the text of this record from any embedder, and removes what was made from it. */
  embeds?(body: Body): boolean
}

/** What the agents of a group have confirmed by vote. */
export interface Confirmed {
  readonly votes: { readonly yes: number; readonly no: number }
  readonly version: number
}

/** What others have confirmed of `body`; undefined where they say nothing of it, or this code can't read it. */
export function confirmedOf(kind: Kind | undefined, body: object): Confirmed | undefined {
  try {
    return kind?.confirmed?.(body)
  } catch {
    return undefined
  }
}

/** A path that holds the id of another record, or a list of ids. */
export interface Citation<Body extends object = object> {
  readonly path: string
  /** The cited record, of the same kind, is out of recall and default queries while the citing one lives. */
  readonly supersedes?: true
  /** True for a body that has nothing to stand on when no id is left at this path: a cascade forgets it too. */
  rests?(body: Body): boolean
}

/**
 * How a record follows its sources. For a guest it is out of reach where one of them is, however it asks. When one of them is
 * forgotten, or becomes more sensitive than it, it is outdated: at once out of recall, default queries and prompt context,
 * its earlier versions gone, until it is told anew or goes. It is never less sensitive than its sources. A change of
 * `sources` comes with a new `version` of the kind.
 */
export interface MadeFrom<Body extends object = object> {
  /** The ids of the records that `body`, of the record `id`, was made from. */
  sources(body: Body, id: string): readonly string[]
  /**
   * Keys (`awaitedKey`) of what it was made from that was no record then, by which such a record is known when it comes
   * (`awaitedAs` of its kind). The record follows it from the moment on in which both are here, whichever came first. Who
   * stores it puts it in the place of its key.
   */
  awaits?(body: Body): readonly string[]
  /** `body` with the record `id` among its sources in the place of `key`. Pure. */
  withSource?(body: Body, key: string, id: string): JsonObject
  /**
   * Those of them without which it is nothing: it is forgotten and purged with each of them, in the same transaction. Of a kind
   * without `anew` these are all of them.
   */
  goesWith?(body: Body, id: string): readonly string[]
  /**
   * The names of the kinds that it may be made from. Left out: any. A kind that may be made from what policies decide about
   * is in no sync of a guest, because a sync carries whole kinds.
   */
  readonly of?: readonly string[]
  /** True for what quotes nothing: it follows its sources out of reach and is as sensitive as they are, and follows in nothing else. */
  readonly reachOnly?: true
  /**
   * True for what others have in clear, so that sealing it here would hide it from nobody: when a source is sealed it is
   * forgotten, in the same transaction.
   */
  readonly neverSealed?: true
  /**
   * The capability that tells a record anew from what is left of its sources, or forgets it when nothing is. It runs as a
   * task with `{ id }`, may be called twice, and may find nothing to do. Without one the record is forgotten in the
   * transaction in which any of its sources changes. A copy that only hears of the end of a source waits for it too: what it
   * hears next may say that the record was not made from that.
   */
  readonly anew?: string
}

/** The ids of the records that `body`, of the record `id`, was made from, each once; none for a body that this code can't read. */
export function sourceIds({ madeFrom }: Kind, body: JsonObject, id: string): string[] {
  return madeFrom ? idsSaid(() => madeFrom.sources(body, id)) : []
}

/** The ids of the records with which `body`, of the record `id`, is forgotten and purged. */
export function goingIds({ madeFrom }: Kind, body: JsonObject, id: string): string[] {
  if (!madeFrom || madeFrom.reachOnly) return []
  const { anew, goesWith, sources } = madeFrom
  return idsSaid(() => (anew === undefined ? sources(body, id) : (goesWith?.(body, id) ?? [])))
}

/** The key of what is no record yet. No id of a record begins so. */
export function awaitedKey(...words: readonly string[]): string {
  return `!${nameHash(...words)}`
}

/** The keys of what `body` was made from that was no record then. */
export function awaitedKeys({ madeFrom }: Kind, body: JsonObject): string[] {
  return idsSaid(() => madeFrom?.awaits?.(body) ?? [])
}

/** The keys by which what was made before it knows the record of `agent` that says `body`. */
export function ownAwaitedKeys({ awaitedAs }: Kind, body: JsonObject, agent: string): string[] {
  return idsSaid(() => awaitedAs?.(body, agent) ?? [])
}

function idsSaid(say: () => readonly string[]): string[] {
  try {
    return [...new Set(say())].filter((id) => typeof id === 'string')
  } catch {
    return []
  }
}

/** The ids of the parts of `body`; none for a body that this code can't read. */
export function partIds(kind: Kind | undefined, body: JsonObject): readonly string[] {
  try {
    return kind?.parts?.(body) ?? []
  } catch {
    return []
  }
}

/** True when a record of `kind` may have been made, also over others, from one of a kind for which `isMeant` holds. */
export function mayBeMadeFrom(
  kind: Kind,
  kinds: Kinds,
  isMeant: (kind: Kind) => boolean,
  passed: ReadonlySet<Kind> = new Set(),
): boolean {
  const { madeFrom } = kind
  if (!madeFrom || madeFrom.reachOnly || passed.has(kind)) return false
  const known = new Set([...passed, kind])
  const from = madeFrom.of ? madeFrom.of.flatMap((name) => kinds.get(name) ?? []) : [...kinds.values()]
  return from.some((one) => isMeant(one) || mayBeMadeFrom(one, kinds, isMeant, known))
}

/** True for kinds of which a guest's sync carries nothing: policies decide about their records, or about their sources. */
export function isByPolicy(kind: Kind, kinds: Kinds): boolean {
  return kind.byPolicy === true || mayBeMadeFrom(kind, kinds, ({ byPolicy }) => byPolicy === true)
}

/** The ids that `body` has at `path`. */
export function citedIds(body: object, path: string): string[] {
  const value = readPath(body, path)
  return (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string')
}

/** `body` with what follows from the rest of it told anew. */
export function settled(kind: Kind | undefined, body: JsonObject): JsonObject {
  return kind?.settle?.(body) ?? body
}

/** `record`, or its body, as others than the owner are told of it. */
export function withoutOwnerPaths<Told extends JsonObject>(kind: Kind | undefined, record: Told): Told {
  return (kind?.ownerPaths ?? []).reduce((told, path) => withoutPath(told, path.split('.')) as Told, record)
}

function withoutPath(value: JsonObject, [first = '', ...rest]: readonly string[]): JsonObject {
  const { [first]: found, ...others } = value
  if (found === undefined) return value
  if (rest.length === 0) return others
  return isJsonObject(found) ? { ...others, [first]: withoutPath(found, rest) } : value
}

/** The one place that decides whether the text of a record may be given to an embedder. */
export function isEmbeddable(kind: Kind, body: JsonObject): boolean {
  return kind.embed !== false && kind.embeds?.(body) !== false
}

/** True when a guest may not put `body`, or what nobody here can read, in the place of `before`, where a record stands. */
export function isOwnersToDecide(
  kind: Kind | undefined,
  body: JsonObject | undefined,
  before: { readonly body?: JsonObject | undefined } | undefined,
): boolean {
  if (!kind?.ownerOnly) return false
  const isDecided = (one: JsonObject | undefined) => !one || kind.ownerOnly?.(one) === true
  return isDecided(body) || (before !== undefined && isDecided(before.body))
}

/** True for kinds that every copy must be able to read: authority and rules, which the mirror holds others to. */
export function isOpenKind({ guests, isFinal }: Kind): boolean {
  return (guests !== undefined && guests !== 'own') || isFinal !== undefined
}

/** True for kinds that the scope of a token may reach. */
export function isScoped({ guests }: Pick<Kind, 'guests'>): boolean {
  return guests !== 'none' && guests !== 'own'
}

/** True when a live record, or a tombstone whose id follows from a name of its kind, keeps its id from other kinds. */
export function holdsId(
  { id, kind, deleted }: { id: string; kind: string; deleted: number },
  kinds: Kinds,
): boolean {
  const prefix = kinds.get(kind)?.idPrefix
  return deleted === 0 || (prefix !== undefined && id.startsWith(prefix))
}

/** True for an id that only records of another kind than `kind` have. */
export function isForeignId(id: string, kind: string, kinds: Kinds): boolean {
  return [...kinds.values()].some((one) => {
    return one.name !== kind && one.idPrefix !== undefined && id.startsWith(one.idPrefix)
  })
}

/**
 * Where `body`, which is to stand in the place of `before` if anything does, speaks in another name than `agent`;
 * undefined when it does not.
 */
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
  const said = (one: JsonObject) =>
    Object.fromEntries(Object.entries(one).filter(([field]) => !speaker.listenerFields.includes(field)))
  return sameJson(said(body), said(before)) ? undefined : speaker.path
}

/** First segments of names in scopes that any kind with `scopeNames` may use: categories of memories. */
export const openPrefixes: readonly string[] = ['a2p', 'ext']
/** How many names a record may have by its body, and how long each may be. */
export const scopeNameLimits = { count: 16, length: 512 } as const

/** What a kind with `scopeNames` says of `body`, each name once; empty when it can't be relied on. */
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

/** The first segment of the names of a kind's records in scopes. */
export function scopePrefix(kind: Kind): string {
  return kind.scopedAs ?? kind.name
}

/** True for what can be the name of a kind. */
export function isKindName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_.:-]{0,63}$/.test(name)
}

/** Lists of kinds that a book does not know are called so in a bundle, before their own name. */
export const unknownPlural = 'other:'

/**
 * Stands for a kind that only a later Daybook knows: its records are kept, listed, counted, exported and imported as they
 * are, and are nothing that an agent remembers.
 */
export function unknownKind(name: string): Kind {
  return {
    name,
    summary: 'Of a kind that this Daybook does not know.',
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

/** Puts kinds under their names; two of one name are a programming error. */
export function createKinds(kinds: readonly Kind[]): Kinds {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]))
  if (byName.size !== kinds.length) throw new Error('Two kinds have the same name.')
  if (new Set(kinds.map(pluralOf)).size !== kinds.length) throw new Error('Two kinds have the same plural.')
  const twice = kinds.find(({ scopedBy, scopeNames }) => scopedBy !== undefined && scopeNames)
  if (twice) throw new Error(`The kind \`${twice.name}\` says its names in scopes twice.`)
  return byName
}

/** What several records of a kind are called. */
export function pluralOf({ name, plural }: Pick<Kind, 'name' | 'plural'>): string {
  return plural ?? `${name}s`
}

/** The kind called so, of one record or of several: `trace` or `traces`. */
export function kindCalled(kinds: Kinds, name: string): Kind | undefined {
  const kind = kinds.get(name)
  if (kind) return kind
  for (const one of kinds.values()) if (pluralOf(one) === name) return one
  return undefined
}

/** The name of the kind called so; a name that no kind has stays what it is. */
export function kindNameOf(kinds: Kinds, name: string): string {
  return kindCalled(kinds, name)?.name ?? name
}

/** What a hot column of text holds of `body`: undefined for anything but well-formed text. */
export function facetOf(kind: Kind, facet: FacetName, body: JsonObject): string | undefined {
  const path = kind.facets[facet]
  const value = path === undefined ? undefined : readPath(body, path)
  // Binding would replace half a character, and the column would say what the record does not.
  return typeof value === 'string' && value.isWellFormed() ? value : undefined
}

/** The texts found at `path`: a string itself, or every string, number and key below an object or array. */
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
