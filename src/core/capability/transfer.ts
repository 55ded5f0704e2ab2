// Bulk transfer: a snapshot of the book on its way out, and an upload that is held back until it is complete.
import type { JsonObject } from '../json/path.ts'
import type { ConflictEntry } from '../op.ts'
import type { PutRequest, Scope, Stored } from '../record.ts'
import type { SealedBody, SealedOwner, Sensitivity } from '../sealed.ts'
import type { SecretCount } from '../secret/stored-secrets.ts'

/** Selection of the records of a snapshot. */
export interface SnapshotQuery {
  readonly kinds: readonly string[]
  /**
   * When the records happened: from this instant (inclusive) to that one (exclusive). Kinds without times always match.
   */
  readonly from?: string | undefined
  readonly before?: string | undefined
  /** False excludes sealed records. */
  readonly sealed?: boolean | undefined
  /** True includes unreadable records with their `sealed` body. */
  readonly unread?: boolean | undefined
  /** True includes all sealed records with their sealed body, readable ones too; nothing is opened. */
  readonly asSealed?: boolean | undefined
}

/** The records of a book at one instant; later writes don't change it. */
export interface RecordSnapshot {
  /** Number of records of each kind. */
  readonly counts: ReadonlyMap<string, number>
  /** Number of records sealed in the book, and of records of these kinds that can't be read without their key. */
  readonly sealed: number
  readonly locked: number
  /**
   * Reads records of a kind, ordered by id, from index `from` until their bodies have `length` characters together; at
   * least one. `next` is the next index, undefined at the end. Skips records forgotten since, because forgetting doesn't
   * wait for readers.
   */
  read(
    kind: string,
    from: number,
    length: number,
  ): { readonly records: Stored<JsonObject>[]; readonly next: number | undefined }
}

/** A record of an upload, stored in the database until the whole upload is known to be complete. */
export interface StagedRecord {
  readonly id: string
  readonly kind: string
  /** JSON. */
  readonly text: string
  /** Sensitivity it will have; a sensitive one waits sealed. */
  readonly sensitivity?: Sensitivity | undefined
  /** True if its body arrived sealed. */
  readonly isSealed?: boolean | undefined
}

/** Uploads in progress. They end with their engine. */
export interface Staging {
  /** Adds records to an upload, inside a transaction; throws `conflict` for an id that it has already. */
  add(upload: string, records: readonly StagedRecord[]): void
  /** Some records of an upload after number `after`, in their order; none at the end. */
  read(upload: string, after: number): { readonly n: number; readonly record: StagedRecord }[]
  drop(upload: string): void
}

/** State that a call stores for the next call of the same caller. */
export interface TransferSessions {
  /**
   * Stores `value` and returns its secret name. `end` runs when the value is dropped or abandoned. Throws `rate-limited`
   * while this caller, or its guests together, have too many unfinished sessions.
   */
  keep(value: object, end?: () => void): string
  /**
   * The value that this caller stored under the name; undefined if it is gone, `owner-changed` if an earlier engine had
   * it.
   */
  find(name: string): object | undefined
  /**
   * Marks a session as complete: it no longer counts, and can be found for half a minute more, in case the last answer
   * got lost.
   */
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
    entry: Pick<ConflictEntry, 'record' | 'kind' | 'policy'> & { loser: SealedSide; winner: SealedSide },
  ): void
}
