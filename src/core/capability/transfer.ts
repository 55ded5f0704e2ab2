// How much goes out of a book or comes in: read as it stood at one instant, held back until it is whole.
import type { ConflictEntry } from '../conflict.ts'
import type { JsonObject } from '../json/path.ts'
import type { PutRequest } from '../put-request.ts'
import type { Scope, Stored } from '../record.ts'
import type { SealedBody, SealedOwner, Sensitivity } from '../sealed.ts'
import type { SecretCount } from '../secret/stored-secrets.ts'

/** Which records a snapshot holds. */
export interface SnapshotQuery {
  readonly kinds: readonly string[]
  /** When they happened: from this instant, and before that one. Kinds without times of their own are never left out. */
  readonly from?: string | undefined
  readonly before?: string | undefined
  /** False leaves out what is sealed here. */
  readonly sealed?: boolean | undefined
  /** True takes in, sealed as it lies, what can't be read here: `sealed` in place of its body. */
  readonly unread?: boolean | undefined
  /** True takes in all that is sealed here as it lies, what can be read included: nothing of it is opened. */
  readonly asSealed?: boolean | undefined
}

/** The records of a book as they stood at one instant, whatever is written afterwards. */
export interface RecordSnapshot {
  /** How many there are of each kind. */
  readonly counts: ReadonlyMap<string, number>
  /** How many of them are sealed in the book; and how many of these kinds can't be read for want of a key. */
  readonly sealed: number
  readonly locked: number
  /**
   * The records of a kind in the order of their ids, from number `from` on, until their bodies have `length`
   * characters together; at least one. `next` is where to go on, undefined at the end. What was forgotten since
   * is left out: forgetting does not wait for a reader.
   */
  read(
    kind: string,
    from: number,
    length: number,
  ): { readonly records: Stored<JsonObject>[]; readonly next: number | undefined }
}

/** A record on its way into the book, held in the database until all that came with it is known to be whole. */
export interface StagedRecord {
  readonly id: string
  readonly kind: string
  /** JSON. */
  readonly text: string
  /** What it will be in the book; a sensitive one waits sealed. */
  readonly sensitivity?: Sensitivity | undefined
  /** Its body is sealed already, as it came. */
  readonly isSealed?: boolean | undefined
}

/** Uploads in progress. Those of an engine that ended are gone with it. */
export interface Staging {
  /** Adds records to an upload; an id that it has already is `conflict`. Inside a transaction. */
  add(upload: string, records: readonly StagedRecord[]): void
  /** The records of an upload in the order they came, after number `after`; some, and none at the end. */
  read(upload: string, after: number): { readonly n: number; readonly record: StagedRecord }[]
  drop(upload: string): void
}

/** What a call leaves behind for the next one of the same caller, while calls keep coming. */
export interface TransferSessions {
  /**
   * Keeps `value` and answers its name, which nobody can guess. `end` runs when it is dropped or nobody came for it. Throws
   * `rate-limited` while too many of this caller, or of its guests together, are unfinished.
   */
  keep(value: object, end?: () => void): string
  /**
   * What was kept under this name by this caller; undefined when there is no such thing (any more), `owner-changed` when
   * it went with an engine before this one.
   */
  find(name: string): object | undefined
  /** Everything was sent: it counts no more, and can be found for half a minute, in case the last answer got lost. */
  finish(name: string): void
  drop(name: string): void
}

export interface SealedPut extends Required<Pick<PutRequest, 'kind' | 'id' | 'times'>> {
  readonly scope: Scope & { readonly sensitivity?: Sensitivity | undefined }
  readonly enc: SealedBody
}

/** One side of a conflict, sealed, if it can't be read here. */
export interface SealedSide {
  readonly by: string
  readonly op: 'put'
  readonly enc: SealedBody
}

/** Records that come from a file, inside one transaction. */
export interface TransferWriter {
  /** True of a purged record: nothing brings it back. */
  wasPurged(id: string): boolean
  /** Logs an edit that lost as a conflict, once. */
  lose(entry: Omit<ConflictEntry, 'id' | 'at'>): void
  /** The secrets found so far in the puts of this transaction. */
  secrets(): SecretCount[]
  /** Ids after `after` of the live records of these kinds that an upload does not name, in order. */
  unstaged(upload: string, kinds: readonly string[], after: string, limit: number): string[]
  /** Opens a sealed body; undefined if that can't be done here. */
  open(owner: SealedOwner, sealed: SealedBody): JsonObject | undefined
  /** Stores a record as it was sealed. */
  putSealed(request: SealedPut): void
  /** Logs a sealed edit that lost as a conflict. */
  loseSealed(
    entry: Pick<ConflictEntry, 'record' | 'kind' | 'policy'> & { lost: SealedSide; kept: SealedSide },
  ): void
}
