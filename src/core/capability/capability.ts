// A capability: one verb of the system, defined once by the room that owns it. Every door is derived from the table.
// Invariant: a `write` runs synchronously inside one transaction, together with the record of its requestId.
import type { AbortSignalLike } from '../abort.ts'
import type { OutboxEntry, OutboxQuery } from './outbox-entry.ts'
import type { ConflictEntry, ConflictQuery } from '../conflict.ts'
import type { Scalar } from '../filter/filter.ts'
import type { GrantedKinds } from '../access/grant.ts'
import type { JsonStep } from '../json/json-path.ts'
import type { JsonObject } from '../json/path.ts'
import type { Progress } from './progress.ts'
import type { RefusedOp } from './refused-op.ts'
import type { Room } from './room-port.ts'
import type { Kinds } from '../kind.ts'
import type { Right } from '../access/permission.ts'
import type { Cipher, Digest, Keyring, Llm, Random } from '../ports.ts'
import type { PutRequest, RecordName } from '../put-request.ts'
import type { Reach } from '../access/reach.ts'
import type { Durability, RecordVersion, Scope, Stored } from '../record.ts'
import type { Holdings, RecordSnapshot, SnapshotQuery, Staging } from './transfer.ts'
import type { InputOf, OutputOf, Schema } from '../schema.ts'
import type { SealDesk } from './sealing-port.ts'
import type { EmbedStatus, Status, SyncResult } from './status.ts'

export type { EmbedStatus, Status, SyncResult, SyncState } from './status.ts'
import type { TaskReader, TaskWriter } from './task.ts'

/** Who calls. The owner may do everything; anyone else only what a control token grants. */
export type Caller = { readonly role: 'owner' } | Guest

/** Somebody with a control token: what it sees and may do follows from the token alone. */
export interface Guest {
  readonly role: 'guest'
  /** The id of the token. */
  readonly token: string
  /** Whom the token was granted to: the agent in whose name the guest writes. */
  readonly agent: string
  readonly reach: Reach
  readonly permissions: readonly string[]
  /** By what it is known, when not by a control token; then `token` is the id of the access key, or names the claims. */
  readonly by?: 'key' | 'claims'
  /** In a sync: kinds that it may send and fetch, where that is bounded. */
  readonly granted?: GrantedKinds
}

/** What a query leaves out unless it is asked for. */
export interface Include {
  /** Records past the instant at which they expire. */
  readonly expired?: boolean | undefined
  /** Records in whose place a newer one stands. */
  readonly superseded?: boolean | undefined
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
  /** Dotted paths, `-` before one for descending. Default `-happened_at` of the kind, else `-created_at`. */
  readonly orderBy?: string | readonly string[] | undefined
  /** 1 to 1000, default 100. */
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  readonly cursor?: string | undefined
}

/** A full-text question: words of a user, never FTS syntax. */
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
  readonly filters?: unknown | undefined
  readonly include?: Include | undefined
  readonly by: 'hour' | 'day' | 'month'
}

export interface Count {
  readonly total: number
  /** Oldest first; `failed` counts those whose success is false. */
  readonly buckets: { at: string; count: number; failed: number }[]
}

export interface RecordPage {
  readonly records: Stored<JsonObject>[]
  /** Give it back as `cursor` for the next page; absent on the last. */
  readonly cursor?: string
}

export interface TextHit {
  readonly record: Stored<JsonObject>
  /** BM25, higher is better. */
  readonly score: number
}

/** Reading records. Every read sees all writes that were acknowledged before it. */
export interface RecordReader {
  get(id: string): Stored<JsonObject> | undefined
  /** What is known by this name, as far as the caller sees it. */
  find(name: RecordName): Stored<JsonObject> | undefined
  query(query: RecordQuery): RecordPage
  search(query: TextQuery): TextHit[]
  count(query: CountQuery): Count
  /** All versions of a record, oldest first, the current one last; empty when it never existed. */
  history(id: string): RecordVersion[]
  /** The live records that cite `id`, and where. */
  citing(id: string): Citing[]
  /** How many live records of each kind there are, and when the first and the last of them happened. */
  extents(): Record<string, Extent>
  snapshot(query: SnapshotQuery): RecordSnapshot
  conflicts(query: ConflictQuery): ConflictEntry[]
  /** Changes that the mirror refused for good, oldest first, after number `after`. */
  refused(limit: number, after?: number): RefusedOp[]
  /** What the mirror has not acknowledged. The owner's: a guest gets nothing. */
  outbox(query: OutboxQuery): OutboxEntry[]
}

/** The rules of a book by id, whoever calls: for checking, never for answering. A guest is held by some it may not see. */
export interface RuleReader {
  get(id: string): Stored<JsonObject> | undefined
}

/** A vector of length 1, or shorter, and the space it is of: `provider|model|dimensions|normalised`. */
export interface SpaceVector {
  readonly space: string
  readonly vector: Float32Array
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

/** Changing records, inside one transaction. */
export interface RecordWriter {
  get(id: string): Stored<JsonObject> | undefined
  find(name: RecordName): Stored<JsonObject> | undefined
  citing(id: string): Citing[]
  history(id: string): RecordVersion[]
  /** Checks the body against its kind, logs the op, applies it; answers the id. */
  put(request: PutRequest): string
  /** Leaves a tombstone without content; false when there was nothing to forget. */
  forget(id: string): boolean
  /** Forgets, and then removes what a tombstone would leave behind: see store/purge.ts. False: nothing was ever there. */
  purge(id: string): boolean
  /** Lets go of every citation of `id`: who only pointed at it is changed, who rested on it alone is forgotten too. */
  release(id: string): { readonly changed: string[]; readonly forgotten: string[] }
  /** Counts that records were of use, on this device only; answers how many of them are there. */
  use(ids: readonly string[]): number
  conflict(id: number): ConflictEntry | undefined
  /** Notes that somebody has decided a conflict. */
  decideConflict(id: number): void
  /** Refused changes go out again with the next sync: those of these records, or all. Answers the records. */
  retryRefused(records?: readonly string[]): string[]
  /** True when there was such a record and it was forgotten. */
  wasForgotten(id: string): boolean
  /** The id of what was stored under this name and can't be found any more: it was forgotten, or lies elsewhere now. */
  lostId(name: RecordName): string | undefined
  /** Keeps an edit that lost in the conflict log, once. */
  lose(entry: Omit<ConflictEntry, 'id' | 'at'>): void
  /** Ids after `after` of the live records of these kinds that an upload does not name, in order. */
  unstaged(upload: string, kinds: readonly string[], after: string, limit: number): string[]
}

export interface RecallQuery {
  readonly text: string
  readonly kinds?: readonly string[] | undefined
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly resource?: string | undefined
  readonly filters?: unknown | undefined
  readonly limit?: number | undefined
  /** Recall as of this instant: what happened later is not seen, and what is recent is recent by then. */
  readonly at?: string | undefined
  /** Of records that say nearly the same, only the best is returned. Default true. */
  readonly distinct?: boolean | undefined
  /** How much hits should differ from each other, 0 (default) to 1: maximal marginal relevance. */
  readonly diversity?: number | undefined
  /** Hits scoring below this (0 to 1) are left out. */
  readonly minScore?: number | undefined
}

/**
 * What each leg of recall has to say about a hit, by the leg's name: its rank there, counted from 1, and what it
 * ranked by. Absent where the leg did not bring it. A new leg adds its own entry.
 */
export interface LegReasons {
  /** Vectors. `similarity`: cosine to the question, −1 to 1. */
  readonly vector?: { readonly rank: number; readonly similarity: number } | undefined
  /** Full text. `coverage`: the weight of the question's words that it has, of the weight of all, 0 to 1. */
  readonly text?:
    | { readonly rank: number; readonly bm25: number; readonly coverage: number; readonly words: string[] }
    | undefined
  /** Full text of the record together with those right before and after it in its session. */
  readonly window?: { readonly rank: number; readonly bm25: number; readonly coverage: number } | undefined
  /** Its session as a whole: for each word the best of its records. Records of one session share a rank. */
  readonly session?: { readonly rank: number; readonly score: number } | undefined
}

/** What weighs a hit beside its ranks, each 0 to 1. docs/find.md has the formulas. */
export interface Factors {
  /** 1 now, 0.5 after 30 days. */
  readonly recency: number
  /** As the record says; 0.5 when it says nothing. */
  readonly importance: number
  /** As the record says; 1 when it says nothing. */
  readonly confidence: number
  /** 0 when it was never used on this device, 0.5 after five times. */
  readonly use: number
  /** 1 when the record is pinned, else 0. */
  readonly pin: number
}

/** Why a hit is where it is: its rank in each leg, and what weighed it. */
export interface Because extends LegReasons, Factors {}

/** For quoting a record. */
export interface Saying {
  /** Its kind's texts, in their order. */
  readonly said: string
  /** When it happened, canonical UTC text. */
  readonly happenedAt: string
}

export interface RecallHit {
  readonly record: Stored<JsonObject>
  /** 0 to 1, higher is better. */
  readonly score: number
  readonly because: Because
}

export interface RecallResult {
  readonly hits: RecallHit[]
  /** How many candidates each leg brought, so that a dead leg is seen. */
  readonly legs: Readonly<Record<string, number>>
  /** What could not be used, in words; empty when recall is whole. */
  readonly degraded: string[]
  /** Milliseconds in the engine. */
  readonly took: number
}

/**
 * Records of the kinds that no guest reaches (tokens, keys), whoever calls. For the room of trust alone, which decides
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

export interface CallContext {
  readonly caller: Caller
  readonly rules: RuleReader
  /** Default scope of what is stored: the book's, as given when it was opened. */
  readonly scope: Scope
  /** The instant of this call, canonical UTC text. */
  readonly now: string
  readonly durability: Durability
}

export interface WriteContext extends CallContext {
  readonly ledger: LedgerWriter
  readonly records: RecordWriter
  /** The queue of tasks: what is added here is there exactly if this write is. */
  readonly tasks: TaskWriter
}

export interface ReadContext extends CallContext {
  readonly ledger: Ledger
  /** Ed25519: anyone's signatures can be verified; only where the book's key is kept can be signed. */
  readonly keys: Keyring
  readonly digest: Digest
  readonly records: RecordReader
  readonly tasks: TaskReader
  readonly signal: AbortSignalLike
  recall(query: RecallQuery): Promise<RecallResult>
  /** What a record says, as its kind declares it. */
  saying(record: Stored<JsonObject>): Saying
  /** How far the vectors are. */
  embedStatus(): EmbedStatus
  /** The vector of a question, in time for an answer; undefined for guests, without an embedder, and when it is late. */
  questionVector(text: string): Promise<SpaceVector | undefined>
  /** Vectors of texts by the embedder of this book; `embedder-off` when there is none. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>
  status(): Promise<Status>
  /** The keys that seal sensitive records. */
  readonly seal: SealDesk
  readonly room: Room
}

export interface TaskContext extends ReadContext {
  /** Runs `work` in one transaction, shared with other writes that wait. */
  write<Result>(work: (at: WriteContext) => Result): Promise<Result>
  progress(step: Progress): void
  /** Takes what was purged out of the files for good. */
  scrub(): void
  readonly kinds: Kinds
  readonly holdings: Holdings
  readonly staging: Staging
  readonly cipher: Cipher
  readonly random: Random
  sync(): Promise<SyncResult>
  /** Where there is a mirror to ask, asks it for `who`: see engine-mirror-call.ts. */
  atMirror?(id: string, who: string, input: JsonObject): Promise<unknown>
  /** The language model that the book was opened with, if any. */
  readonly llm: Llm | undefined
  /** In the task queue: which try this is, from 1. What fails before the last one is tried again later. */
  readonly attempt?: { readonly number: number; readonly isLast: boolean }
}

/** Reads answer from what is there; writes are one transaction; tasks may take long and wait for others. */
export type CapabilityEffect = 'read' | 'write' | 'task'

interface Verb<Id extends string, Methods extends readonly string[], I extends Schema, O extends Schema> {
  /** Stable on every transport: `kstar:store_trace`. */
  readonly id: Id
  /** Where it hangs on a book: `traces.store`, or a bare name for a verb of the book itself. */
  readonly methods: Methods
  /** What it does, in one sentence. */
  readonly summary: string
  /** The right a guest's token must carry. Without one, only the owner may call. */
  readonly permission?: Right
  readonly input: I
  readonly output: O
  /** Of a task: it may run again from its start. Its writes, in order, are then done once and give what they gave, JSON. */
  readonly repeatable?: boolean
}

export type Capability<
  Id extends string = string,
  Methods extends readonly string[] = readonly string[],
  I extends Schema = Schema,
  O extends Schema = Schema,
> = Verb<Id, Methods, I, O> &
  (
    | { readonly effect: 'write'; readonly run: (input: OutputOf<I>, at: WriteContext) => InputOf<O> }
    | {
        readonly effect: 'read'
        readonly run: (input: OutputOf<I>, at: ReadContext) => InputOf<O> | Promise<InputOf<O>>
      }
    | { readonly effect: 'task'; readonly run: (input: OutputOf<I>, at: TaskContext) => Promise<InputOf<O>> }
  )

/** A capability without its types, as the one door handles it. */
export type AnyCapability = Verb<string, readonly string[], Schema, Schema> & {
  readonly effect: CapabilityEffect
  readonly run: (input: never, at: never) => unknown
}

/** Declares a capability and keeps its types. */
export function defineCapability<
  const Id extends string,
  const Methods extends readonly string[],
  I extends Schema,
  O extends Schema,
>(capability: Capability<Id, Methods, I, O>): Capability<Id, Methods, I, O> {
  return capability
}
