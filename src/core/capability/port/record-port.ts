// The record ports: how capabilities read, query and change records.
// Invariant: no answer contains anything outside the caller's reach; a guest's port is built from its reach.
import type { SuccessionPlace } from '../../succession.ts'
import type { Scalar } from '../../filter/filter.ts'
import type { JsonStep } from '../../json/json-path.ts'
import type { PutRequest, RecordName, RecordVersion, Stored } from '../../record.ts'
import type { MarkChange, Marks } from '../../mark.ts'
import type { SealedBody, SealedOwner, Sensitivity } from '../../sealed.ts'
import type { RecordSnapshot, SnapshotQuery } from '../transfer.ts'
import type { JsonObject } from '../../json/path.ts'

/** Records that a query includes only on request. */
export interface Include {
  /** Expired records. */
  readonly expired?: boolean | undefined
  /** Superseded records. */
  readonly superseded?: boolean | undefined
  /** Outdated records: a source is forgotten or became more sensitive, and the record waits to be rebuilt. */
  readonly outdated?: boolean | undefined
}

/** A place in a body (JSONPath, see json-path.ts) that must contain `value`; without `value`, must exist. */
export interface Selection {
  readonly steps: readonly JsonStep[]
  readonly value?: Scalar | undefined
}

/**
 * A query for records of one kind, or of all kinds. `filters`: see core/filter/filter.ts; the store checks
 * them.
 */
export interface RecordQuery {
  readonly kind?: string | undefined
  readonly filters?: unknown | undefined
  readonly selection?: Selection | undefined
  readonly include?: Include | undefined
  /** Excludes records that are sources of a record of this kind. */
  readonly notIn?: string | undefined
  /** True: only records with the sensitivity `sensitive` or `restricted`. */
  readonly sensitive?: boolean | undefined
  /** Dotted paths; `-` before a path: descending. Default: `-happened_at` if the kind has it, else `-created_at`. */
  readonly orderBy?: string | readonly string[] | undefined
  /** Default 100. A verb passes at most 1000 from its input; a chapter may read more at once. */
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  /** Continues after the page that returned this cursor. */
  readonly cursor?: string | undefined
}

/** A full-text query in a user's words. Double quotes make a phrase; FTS syntax has no effect. */
export interface TextQuery {
  readonly text: string
  readonly kind?: string | undefined
  /** Searches only these paths: text fields, parents of text fields, or paths below them. */
  readonly fields?: readonly string[] | undefined
  /** The record needs any word (default), or all words. */
  readonly match?: 'any' | 'all' | undefined
  /** True: the last word also matches longer words that begin with it. */
  readonly prefix?: boolean | undefined
  readonly filters?: unknown | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** Selects the records to count. */
export interface CountQuery {
  readonly kind: string
  /** Counts only hits of this search. */
  readonly search?: Pick<TextQuery, 'text' | 'match' | 'prefix'> | undefined
  readonly filters?: unknown | undefined
  readonly include?: Include | undefined
  /**
   * Length of a bucket; `none`: only the total. `subject`: a bucket for each value of the facet `subject`, which is its
   * `at`; the buckets are sorted by it.
   */
  readonly by: 'hour' | 'day' | 'month' | 'subject' | 'none'
}

/** Selects unreadable sealed records by fields of their heads. */
export interface UnreadScope {
  readonly kinds?: readonly string[] | undefined
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly resource?: string | undefined
  /**
   * Canonical time. Leaves out records of a kind, agent, session and resource of which none was created at this time
   * or later.
   */
  readonly since?: string | undefined
}

export interface PeriodCount {
  readonly total: number
  /** Oldest first. `at`: start of the period in the book's time zone. `failed`: records with `success: false`. */
  readonly buckets: { at: string; count: number; failed: number }[]
  /** See `RecordPage`. These records are not counted. */
  readonly sealed?: number
}

export interface RecordPage {
  readonly records: Stored<JsonObject>[]
  /** Cursor of the next page; absent on the last page. */
  readonly cursor?: string
  /** Number of sealed records within reach that can't be read here. Absent: none. */
  readonly sealed?: number
}

export interface TextHit {
  readonly record: Stored<JsonObject>
  /** BM25, higher is better. */
  readonly score: number
}

/** A record that contains the id of another record at `path` of its body. */
export interface Citing {
  readonly id: string
  readonly kind: string
  readonly path: string
}

/** Number and time range of the records of one kind, in canonical UTC text. */
export interface Extent {
  readonly count: number
  readonly earliest: string
  readonly latest: string
}

/** Selects runs: by session, or by an agent with records in the run. Empty: all runs. */
export interface RunQuery {
  readonly session?: string | undefined
  readonly agent?: string | undefined
}

/** Counts the traces (`steps`) and messages of one session. Times are canonical UTC text. */
export interface RunSpan {
  readonly session: string
  readonly steps: number
  readonly messages: number
  /** Steps with `success: false`. */
  readonly failed: number
  readonly startedAt: string
  readonly endedAt: string
}

/** How often a record was used, and the canonical time of its last use. */
export interface RecordUse {
  readonly count: number
  readonly lastAt: string
}

/** Lists records that the caller may read: those of `ids`; without `ids`, all. */
export interface ReachQuery {
  readonly ids?: readonly string[] | undefined
  /** Also records made from `ids`, directly or not. Only for the owner: derived records reveal hidden sources. */
  readonly made?: boolean | undefined
  /** Cursor: only greater ids. */
  readonly after?: string | undefined
  readonly limit: number
}

/** Id and kind of a record. */
export interface ReachedRecord {
  readonly id: string
  readonly kind: string
}

/** Reads records. Every read sees all writes that were acknowledged before it. */
export interface RecordReader {
  get(id: string): Stored<JsonObject> | undefined
  /** Returns the record with this name; undefined if the caller may not see it. */
  find(name: RecordName): Stored<JsonObject> | undefined
  query(query: RecordQuery): RecordPage
  search(query: TextQuery): TextHit[]
  /** Returns the texts and numbers that a record states, without dates, labels and sources. */
  textsOf(record: Stored<JsonObject>): string[]
  count(query: CountQuery): PeriodCount
  /** Number of unreadable sealed records in this selection, as far as the caller may know. */
  unread(scope: UnreadScope): number
  /** Returns all versions of a record, oldest first, the current version included. Empty if it never existed. */
  history(id: string): RecordVersion[]
  /** Uses of live records of a kind on this device, by record id. Empty for guests. */
  uses(kind: string): ReadonlyMap<string, RecordUse>
  /** Keys of awaited sources of record `id` that arrived and were then forgotten. Empty for guests. */
  forgottenKeys(id: string): string[]
  /** Arrived sources that the body of record `id` names by key, each with its id. Empty for guests. */
  found(id: string): readonly { readonly key: string; readonly id: string }[]
  /** Returns the content of a sealed body. Undefined for guests, or if this copy can't open it. */
  open(owner: SealedOwner, sealed: SealedBody): JsonObject | undefined
  /** Returns live records that cite `id`. */
  citing(id: string): Citing[]
  /**
   * Returns `value` with a mark in place of each secret; `value` itself without secrets, and under `warn` and `off`.
   * Texts made from `value` then contain no secret.
   */
  masked<Value>(value: Value): Value
  /** Returns number and time range of live records, by kind. */
  extents(): Record<string, Extent>
  /** Returns counts for each session, unordered. */
  runs(query: RunQuery): RunSpan[]
  snapshot(query: SnapshotQuery): RecordSnapshot
  readonly rules: RuleReader
}

/**
 * Rules of a book, unfiltered: they bind a guest even if it can't see them. Use them for checks, never in answers;
 * except the user's standing rules, which are for every caller that they apply to.
 */
export interface RuleReader {
  get(id: string): Stored<JsonObject> | undefined
  query(query: RecordQuery & { readonly kind: string }): RecordPage
  /** All standing rules, also paused and ended ones, the oldest first. They are shared: copy what you hand out. */
  standing(): readonly Stored<JsonObject>[]
}

/** A body before it is stored. */
export interface GuardRequest {
  readonly kind: string
  readonly id: string
  readonly body: JsonObject
  readonly sensitivity?: Sensitivity | undefined
}

/** Sealed records that can't be read here, inside one transaction. */
export interface OpaqueReader {
  /** Returns the live record of this id if it is sealed and can't be read here. */
  find(id: string): OpaqueVersion | undefined
  /** Returns the id of such a record by its name; for a guest, only of its own record. */
  idOf(name: RecordName): string | undefined
}

export interface OpaqueVersion {
  readonly kind: string
  readonly agent: string
  readonly updated_at: string
  readonly sealed: SealedBody
}

/**
 * `alone`: the parts of the record stay, and the caller forgets them. `upkeep`: maintenance of the book, as in
 * `PutRequest`.
 */
export type ForgetHow = 'alone' | 'upkeep'

/** Changes records, inside one transaction. */
export interface RecordWriter {
  get(id: string): Stored<JsonObject> | undefined
  find(name: RecordName): Stored<JsonObject> | undefined
  /** Finds also records that this transaction has changed. */
  query(query: RecordQuery): RecordPage
  citing(id: string): Citing[]
  /** Returns the place of a record of `kind` in its chain of succession. */
  succession(id: string, kind: string): SuccessionPlace
  history(id: string): RecordVersion[]
  /** Ids of live records made from `id` that will be rebuilt without it. */
  madeOf(id: string): string[]
  /** See `RecordReader.forgottenKeys`. */
  forgottenKeys(id: string): string[]
  /** See `RecordReader.found`. */
  found(id: string): readonly { readonly key: string; readonly id: string }[]
  /** Checks the body against its kind, logs the op and applies it. Returns the id. */
  put(request: PutRequest): string
  /** Changes the marks of a record. Throws `not-found` if the caller may not see the record. */
  mark(id: string, change: MarkChange): { readonly before: Marks; readonly now: Marks }
  /** Replaces a record by a tombstone without content. False: there was no live record. */
  forget(id: string, how?: ForgetHow): boolean
  /**
   * Forgets a record and removes all data that a tombstone keeps: see store/purge.ts. False: the record never
   * existed.
   */
  purge(id: string): boolean
  /**
   * Removes every citation of `id`. `changed`: records that lost a citation. `forgotten`: records that cited nothing
   * else and were forgotten.
   */
  release(id: string): { readonly changed: string[]; readonly forgotten: string[] }
  /** Counts one use of each record, on this device only. Returns how many of the records exist. */
  use(ids: readonly string[]): number
  /** True if the record existed and was forgotten. */
  wasForgotten(id: string): boolean
  /** Former id of a record with this name that was forgotten or moved. */
  lostId(name: RecordName): string | undefined
  /** Returns body and sensitivity as `put` would store them, with secrets masked or sealed. */
  guarded(body: GuardRequest): Pick<GuardRequest, 'body' | 'sensitivity'>
  readonly rules: Pick<RuleReader, 'get'>
  readonly sealed: OpaqueReader
}

/**
 * Records of kinds that no guest reaches (`guests: 'none'`), unfiltered. Only the chapters of trust (tokens,
 * keys) and of consent (policies, receipts, access requests) may use it, and must themselves decide what a
 * guest may see.
 */
export interface Ledger {
  get(id: string): Stored<JsonObject> | undefined
  query(query: RecordQuery & { readonly kind: string }): RecordPage
}

export interface LedgerWriter extends Pick<Ledger, 'get'> {
  /** True if the record existed and was forgotten. */
  wasForgotten(id: string): boolean
  put(request: PutRequest): string
}

export type OwnQuery = Omit<RecordQuery, 'kind'> & { readonly kind: string }

/**
 * Records of kinds that no scope reaches (`guests: 'own'`).
 *
 * Invariant: a guest reads and changes only its own records, whatever its token permits; the owner reads all.
 */
export interface OwnReader {
  get(id: string): Stored<JsonObject> | undefined
  query(query: OwnQuery): RecordPage
  /** True if the caller may read all sources of `record`; the record may quote them. */
  isOpen(record: Stored<JsonObject>): boolean
  /** True if the caller may know this value of a field: the owner always, a guest while the record has the value. */
  mayKnow(id: string, field: string, value: string): boolean
  /** Number of records that match `filters`. */
  count(kind: string, filters: object): number
  /** Number of the caller's sealed records that can't be read here. */
  unread(kind: string): number
}

/** Selects records to count by fields of their heads, sealed records included. */
export interface OwnCount {
  readonly kind: string
  /** Created by this agent or one of its delegates. */
  readonly agent?: string | undefined
  /** Created at this time or later. */
  readonly since?: string | undefined
}

export interface OwnWriter extends OwnReader {
  /**
   * Creates or changes a record; a guest writes its own. Throws `forbidden` if the record of this id is another's.
   */
  put(request: PutRequest & { readonly id: string }): string
  /** Returns a new random id. */
  newId(): string
  /** True if the id is not in use and never was. */
  isFree(id: string): boolean
  /** Number of records of all agents. Use it for limits, never in answers. */
  countMade(count: OwnCount): number
  /** Number of matching records of all agents, plus unreadable ones. Use it for limits, never in answers. */
  countWhere(kind: string, filters: object): number
}
