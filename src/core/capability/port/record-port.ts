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
  /** Outdated records: made from a record that is now forgotten or more sensitive, and waiting to be rebuilt. */
  readonly outdated?: boolean | undefined
}

/** A place in a body (a JSONPath, see json-path.ts) that must have `value`, or without `value` must exist. */
export interface Selection {
  readonly steps: readonly JsonStep[]
  readonly value?: Scalar | undefined
}

/** A query for records of one kind, or of all kinds. */
export interface RecordQuery {
  readonly kind?: string | undefined
  readonly filters?: unknown | undefined
  readonly selection?: Selection | undefined
  readonly include?: Include | undefined
  /** Excludes the sources of records of this kind. */
  readonly notIn?: string | undefined
  /** Dotted paths, `-` before one for descending. Default `-happened_at` if the kind has it, else `-created_at`. */
  readonly orderBy?: string | readonly string[] | undefined
  /** 1 to 1000, default 100. */
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly cursor?: string | undefined
}

/** A full-text query: a user's words, phrases in quotes, never FTS syntax. */
export interface TextQuery {
  readonly text: string
  readonly kind?: string | undefined
  /** Limits the search to these paths: text fields, parents of text fields, or any path below one. */
  readonly fields?: readonly string[] | undefined
  readonly match?: 'any' | 'all' | undefined
  /** True: the last word may be the beginning of a word. */
  readonly prefix?: boolean | undefined
  readonly filters?: unknown | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** Counts records, in total and by period. */
export interface CountQuery {
  readonly kind: string
  /** Counts only hits of this search. */
  readonly search?: Pick<TextQuery, 'text' | 'match' | 'prefix'> | undefined
  readonly filters?: unknown | undefined
  readonly include?: Include | undefined
  /** `none`: only the total, no buckets. */
  readonly by: 'hour' | 'day' | 'month' | 'none'
}

/** Selects unreadable sealed records by their heads. */
export interface UnreadScope {
  readonly kinds?: readonly string[] | undefined
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly resource?: string | undefined
}

export interface PeriodCount {
  readonly total: number
  /** Oldest first. `at` is the start of the period in the book's zone; `failed` counts records with `success: false`. */
  readonly buckets: { at: string; count: number; failed: number }[]
  readonly sealed?: number
}

export interface RecordPage {
  readonly records: Stored<JsonObject>[]
  /** Pass it as `cursor` for the next page; absent on the last one. */
  readonly cursor?: string
  /** Sealed records within reach that can't be read here. Absent: none. */
  readonly sealed?: number
}

export interface TextHit {
  readonly record: Stored<JsonObject>
  /** BM25, higher is better. */
  readonly score: number
}

/** A record that cites another one at `path` of its body. */
export interface Citing {
  readonly id: string
  readonly kind: string
  readonly path: string
}

/** Extent of one kind; `earliest` and `latest` are canonical UTC text. */
export interface Extent {
  readonly count: number
  readonly earliest: string
  readonly latest: string
}

/** Selects runs: all, that of one session, or those with records of one agent. */
export interface RunQuery {
  readonly session?: string | undefined
  readonly agent?: string | undefined
}

/** Traces and messages of one session; times are canonical UTC text. */
export interface RunSpan {
  readonly session: string
  readonly steps: number
  readonly messages: number
  /** Steps with `success: false`. */
  readonly failed: number
  readonly startedAt: string
  readonly endedAt: string
}

/** How often a record was used, and when last: canonical time. */
export interface RecordUse {
  readonly count: number
  readonly lastAt: string
}

/** Lists records that the caller may read: those of `ids`, or all. */
export interface ReachQuery {
  readonly ids?: readonly string[] | undefined
  /** Also records made from `ids`, directly or not. For the owner only: derived records reveal hidden sources. */
  readonly made?: boolean | undefined
  /** Only ids after this one. */
  readonly after?: string | undefined
  readonly limit: number
}

/** Id and kind of a record. */
export interface ReachedRecord {
  readonly id: string
  readonly kind: string
}

/** Reads records. Every read sees all writes acknowledged before it. */
export interface RecordReader {
  get(id: string): Stored<JsonObject> | undefined
  /** Record with this name, if the caller sees it. */
  find(name: RecordName): Stored<JsonObject> | undefined
  query(query: RecordQuery): RecordPage
  search(query: TextQuery): TextHit[]
  count(query: CountQuery): PeriodCount
  /** Number of unreadable sealed records in this selection that the caller may know of. */
  unread(scope: UnreadScope): number
  /** All versions of a record, oldest first, the current one last; empty if it never existed. */
  history(id: string): RecordVersion[]
  /** Uses of live records of a kind on this device, by id. Empty for guests. */
  uses(kind: string): ReadonlyMap<string, RecordUse>
  /** Keys of sources of record `id` that were awaited, arrived, and are forgotten since. Empty for guests. */
  goneKeys(id: string): string[]
  /** Sources of record `id` that its body names by key, with their ids; empty for guests. */
  found(id: string): readonly { readonly key: string; readonly id: string }[]
  /** Content of a sealed body; undefined if it can't be opened here, and for guests. */
  open(owner: SealedOwner, sealed: SealedBody): JsonObject | undefined
  /** Live records that cite `id`, with the path. */
  citing(id: string): Citing[]
  /** Number of live records of each kind, and the time of the first and the last. */
  extents(): Record<string, Extent>
  /** Traces and messages of each session, counted; unordered. */
  runs(query: RunQuery): RunSpan[]
  snapshot(query: SnapshotQuery): RecordSnapshot
  readonly rules: RuleReader
}

/**
 * Rules of a book by id, for every caller: for checks, never for answers. Rules bind a guest even if it can't see them.
 */
export interface RuleReader {
  get(id: string): Stored<JsonObject> | undefined
}

/** A body to be stored. */
export interface GuardRequest {
  readonly kind: string
  readonly id: string
  readonly body: JsonObject
  readonly sensitivity?: Sensitivity | undefined
}

/** Sealed records that can't be read here, inside one transaction. */
export interface OpaqueReader {
  /** The live record of this id, if it is sealed and can't be read here. */
  find(id: string): OpaqueVersion | undefined
  /** Id of such a record by its name; for a guest, of its own record. */
  idOf(name: RecordName): string | undefined
}

export interface OpaqueVersion {
  readonly kind: string
  readonly agent: string
  readonly updated_at: string
  readonly sealed: SealedBody
}

/** Changes records, inside one transaction. */
export interface RecordWriter {
  get(id: string): Stored<JsonObject> | undefined
  find(name: RecordName): Stored<JsonObject> | undefined
  citing(id: string): Citing[]
  /** Place of a record of `kind` in its chain of succession. */
  succession(id: string, kind: string): SuccessionPlace
  history(id: string): RecordVersion[]
  /** Live records made from `id` that will be rebuilt without it. */
  madeOf(id: string): string[]
  /** See `RecordReader.goneKeys`. */
  goneKeys(id: string): string[]
  /** See `RecordReader.found`. */
  found(id: string): readonly { readonly key: string; readonly id: string }[]
  /** Checks the body against its kind, logs the op and applies it; returns the id. */
  put(request: PutRequest): string
  /** Changes the marks of a record; `not-found` if the caller can't see it. */
  mark(id: string, change: MarkChange): { readonly before: Marks; readonly now: Marks }
  /**
   * Leaves a tombstone without content; false if there was nothing to forget. `alone`: the caller forgets the parts
   * itself.
   */
  forget(id: string, how?: 'alone'): boolean
  /**
   * Forgets, and removes everything that a tombstone leaves behind: see store/purge.ts. False if there never was
   * anything.
   */
  purge(id: string): boolean
  /**
   * Removes every citation of `id`. Records that only cited it are changed; records that rested on it alone are
   * forgotten.
   */
  release(id: string): { readonly changed: string[]; readonly forgotten: string[] }
  /** Counts a use of these records, on this device only; returns how many exist. */
  use(ids: readonly string[]): number
  /** True if the record existed and was forgotten. */
  wasForgotten(id: string): boolean
  /** Former id of a record with this name that is forgotten, or has moved. */
  lostId(name: RecordName): string | undefined
  /** Body and sensitivity that `put` would give to a body with secrets; for bodies that wait to be stored. */
  guarded(body: GuardRequest): Pick<GuardRequest, 'body' | 'sensitivity'>
  readonly rules: RuleReader
  readonly sealed: OpaqueReader
}

/**
 * Records of kinds that no guest reaches (tokens, keys), for every caller. For the chapter of trust only, which itself
 * decides what a guest may learn; a test enforces it.
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
 * Records outside of all scopes (`guests: 'own'` of a kind). Invariant: a guest reads and changes only its own, whatever
 * its token says; the owner has all.
 */
export interface OwnReader {
  get(id: string): Stored<JsonObject> | undefined
  query(query: OwnQuery): RecordPage
  /** True if the caller may read all sources of `record`, which may quote them. */
  isOpen(record: Stored<JsonObject>): boolean
  /** True if the caller may know that a field of record `id` had this value: the owner, and others while it has it. */
  mayKnow(id: string, field: string, value: string): boolean
  /** Number of records that match these filters. */
  count(kind: string, filters: object): number
  /** Number of the caller's sealed records that can't be read here. */
  unread(kind: string): number
}

/** Counts records by their heads, sealed ones included. */
export interface OwnCount {
  readonly kind: string
  /** Created by this agent or a delegate of it. */
  readonly agent?: string | undefined
  /** Created at this instant or later. */
  readonly since?: string | undefined
}

export interface OwnWriter extends OwnReader {
  /** Creates or changes one, for a guest under its own name. `forbidden` if the record of this id is another's. */
  put(request: PutRequest & { readonly id: string }): string
  /** A new random id. */
  newId(): string
  /** True if the id is not in use and never was. */
  isFree(id: string): boolean
  /** Number of records by any agent: for limits, never for answers. */
  countMade(count: OwnCount): number
  /** Number of matching records, plus those that can't be read here: for limits, never for answers. */
  countWhere(kind: string, filters: object): number
}
