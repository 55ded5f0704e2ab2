// Records as a capability reads and changes them, and the questions that are asked of them.
// Invariant: what a caller may not see is in no answer; a guest's port is built from its reach.
import type { Succession } from '../../succession/succession.ts'
import type { Scalar } from '../../filter/filter.ts'
import type { JsonStep } from '../../json/json-path.ts'
import type { JsonObject } from '../../json/path.ts'
import type { PutRequest, RecordName } from '../../put-request.ts'
import type { MarkChange, Marks } from '../../mark/mark.ts'
import type { RecordVersion, Stored } from '../../record.ts'
import type { SealedBody, SealedOwner, Sensitivity } from '../../sealed.ts'
import type { RecordSnapshot, SnapshotQuery } from '../transfer.ts'

/** What a query leaves out unless it is asked for. */
export interface Include {
  /** Records past the instant at which they expire. */
  readonly expired?: boolean | undefined
  /** Records in whose place a newer one stands. */
  readonly superseded?: boolean | undefined
  /** Records that were made from one which is forgotten or more sensitive now, and wait to be told anew. */
  readonly outdated?: boolean | undefined
}

/** A place in a body (a JSONPath, see json-path.ts) that must have `value`; without one, it must be there. */
export interface Selection {
  readonly steps: readonly JsonStep[]
  readonly value?: Scalar | undefined
}

/** A question about records of one kind, or of all when `kind` is absent. */
export interface RecordQuery {
  readonly kind?: string | undefined
  readonly filters?: unknown | undefined
  readonly selection?: Selection | undefined
  readonly include?: Include | undefined
  /** Leaves out what a record of this kind was made from. */
  readonly notIn?: string | undefined
  /** Dotted paths, `-` before one for descending. Default `-happened_at` of the kind, else `-created_at`. */
  readonly orderBy?: string | readonly string[] | undefined
  /** 1 to 1000, default 100. */
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly cursor?: string | undefined
}

/** A full-text question: words of a user, phrases where they stand in quotes, never FTS syntax. */
export interface TextQuery {
  readonly text: string
  readonly kind?: string | undefined
  /** Restricts the search to these paths: text fields of the kind, what lies above some, or any path below one. */
  readonly fields?: readonly string[] | undefined
  readonly match?: 'any' | 'all' | undefined
  /** The last word may be the beginning of one. */
  readonly prefix?: boolean | undefined
  readonly filters?: unknown | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** How many records, in all and by period of when they happened. */
export interface CountQuery {
  readonly kind: string
  /** Counts only what these words find. */
  readonly search?: Pick<TextQuery, 'text' | 'match' | 'prefix'> | undefined
  readonly filters?: unknown | undefined
  readonly include?: Include | undefined
  /** `none`: only in all, with no buckets. */
  readonly by: 'hour' | 'day' | 'month' | 'none'
}

/** What sealed records an answer would have taken in, as far as their heads tell. */
export interface UnreadScope {
  readonly kinds?: readonly string[] | undefined
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly resource?: string | undefined
}

export interface Count {
  readonly total: number
  /** Oldest first. `at` is when the period begins in the book's zone; `failed` counts those whose success is false. */
  readonly buckets: { at: string; count: number; failed: number }[]
  readonly sealed?: number
}

export interface RecordPage {
  readonly records: Stored<JsonObject>[]
  /** Give it back as `cursor` for the next page; absent on the last. */
  readonly cursor?: string
  /** How many sealed records of the kind, within reach, can't be read here. Absent: none. */
  readonly sealed?: number
}

export interface TextHit {
  readonly record: Stored<JsonObject>
  /** BM25, higher is better. */
  readonly score: number
}

/** A record that names another one at `path` of its body. */
export interface Citing {
  readonly id: string
  readonly kind: string
  readonly path: string
}

/** The records of one kind; `earliest` and `latest` are canonical UTC text. */
export interface Extent {
  readonly count: number
  readonly earliest: string
  readonly latest: string
}

/** Which runs are asked for: all, that of one session, or those with records of one agent. */
export interface RunQuery {
  readonly session?: string | undefined
  readonly agent?: string | undefined
}

/** What was done and said in one session; times are canonical UTC text. */
export interface RunSpan {
  readonly session: string
  readonly steps: number
  readonly messages: number
  /** Steps whose success is false. */
  readonly failed: number
  readonly started_at: string
  readonly ended_at: string
}

/** How often a record was of use, and when last: canonical time. */
export interface RecordUse {
  readonly count: number
  readonly last_at: string
}

/** Which records there are for whoever asks: of `ids`, or all. */
export interface ReachQuery {
  readonly ids?: readonly string[] | undefined
  /** Also what was made from `ids`, however far. The owner's: what hidden records were made into tells of them. */
  readonly made?: boolean | undefined
  /** Only ids that come after this one. */
  readonly after?: string | undefined
  readonly limit: number
}

/** A record by its name alone. */
export interface ReachedRecord {
  readonly id: string
  readonly kind: string
}

/** Reading records. Every read sees all writes that were acknowledged before it. */
export interface RecordReader {
  get(id: string): Stored<JsonObject> | undefined
  /** What is known by this name, as far as the caller sees it. */
  find(name: RecordName): Stored<JsonObject> | undefined
  query(query: RecordQuery): RecordPage
  search(query: TextQuery): TextHit[]
  count(query: CountQuery): Count
  /** How many sealed records of that sort the caller may know of and nobody can read here. */
  unread(scope: UnreadScope): number
  /** All versions of a record, oldest first, the current one last; empty when it never existed. */
  history(id: string): RecordVersion[]
  /** How often live records of a kind were of use on this device, by id. A guest is told of none. */
  uses(kind: string): ReadonlyMap<string, RecordUse>
  /** Keys of what the record `id` was made from before that was a record, which was forgotten since. A guest is told of none. */
  goneKeys(id: string): string[]
  /** The sources of the record `id` that its body names by a key and not by id; empty for a guest. */
  found(id: string): readonly { readonly key: string; readonly id: string }[]
  /** What a sealed body says; undefined when it can't be opened here, and for a guest. */
  open(owner: SealedOwner, sealed: SealedBody): JsonObject | undefined
  /** The live records that cite `id`, and where. */
  citing(id: string): Citing[]
  /** How many live records of each kind there are, and when the first and the last of them happened. */
  extents(): Record<string, Extent>
  /** The traces and messages of each session, counted; in no order. */
  runs(query: RunQuery): RunSpan[]
  snapshot(query: SnapshotQuery): RecordSnapshot
  readonly rules: RuleReader
}

/** The rules of a book by id, whoever calls: for checking, never for answering. A guest is held by some it may not see. */
export interface RuleReader {
  get(id: string): Stored<JsonObject> | undefined
}

/** A body on its way into the book. */
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
  /** The id of such a record with this name; for a guest, of its own. */
  idOf(name: RecordName): string | undefined
}

export interface OpaqueVersion {
  readonly kind: string
  readonly agent: string
  readonly updated_at: string
  readonly sealed: SealedBody
}

/** Changing records, inside one transaction. */
export interface RecordWriter {
  get(id: string): Stored<JsonObject> | undefined
  find(name: RecordName): Stored<JsonObject> | undefined
  citing(id: string): Citing[]
  /** Where a record of `kind` stands among those that supersede each other. */
  succession(id: string, kind: string): Succession
  history(id: string): RecordVersion[]
  /** The live records that were made from `id` and will be told anew without it. */
  madeOf(id: string): string[]
  /** Keys of what the record `id` was made from before that was a record, which was forgotten since. A guest is told of none. */
  goneKeys(id: string): string[]
  /** The sources of the record `id` that its body names by a key and not by id; empty for a guest. */
  found(id: string): readonly { readonly key: string; readonly id: string }[]
  /** Checks the body against its kind, logs the op, applies it; answers the id. */
  put(request: PutRequest): string
  /** Changes what is said of a record that the caller sees; `not-found` when it sees none of that id. */
  mark(id: string, change: MarkChange): { readonly before: Marks; readonly now: Marks }
  /** Leaves a tombstone without content; false when there was nothing to forget. `alone`: its caller forgets its parts itself. */
  forget(id: string, how?: 'alone'): boolean
  /** Forgets, and then removes what a tombstone would leave behind: see store/purge.ts. False: nothing was ever there. */
  purge(id: string): boolean
  /** Lets go of every citation of `id`: who only pointed at it is changed, who rested on it alone is forgotten too. */
  release(id: string): { readonly changed: string[]; readonly forgotten: string[] }
  /** Counts that records were of use, on this device only; answers how many of them are there. */
  use(ids: readonly string[]): number
  /** True when there was such a record and it was forgotten. */
  wasForgotten(id: string): boolean
  /** The id of what was stored under this name and can't be found any more: it was forgotten, or lies elsewhere now. */
  lostId(name: RecordName): string | undefined
  /** What `put` would make of a body that holds secrets, and of its sensitivity: for what waits to be put. */
  guarded(given: GuardRequest): Pick<GuardRequest, 'body' | 'sensitivity'>
  readonly rules: RuleReader
  readonly sealed: OpaqueReader
}

/**
 * Records of the kinds that no guest reaches (tokens, keys), whoever calls. For the chapter of trust alone, which decides
 * itself what of them a guest may know; a test holds the others to it.
 */
export interface Ledger {
  get(id: string): Stored<JsonObject> | undefined
  query(query: RecordQuery & { readonly kind: string }): RecordPage
}

export interface LedgerWriter extends Pick<Ledger, 'get'> {
  /** True when the record was there and was forgotten. */
  wasForgotten(id: string): boolean
  put(request: PutRequest): string
}
