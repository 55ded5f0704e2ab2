// Bulk transfer: a snapshot of the book for export, and an upload that is stored apart until it is complete.
import type { JsonObject } from '../json/path.ts'
import type { ConflictEntry, ConflictSide, LoggedConflict } from '../op.ts'
import type { PutRequest, Scope, Stored } from '../record.ts'
import type { SealedBody, SealedOwner, Sensitivity } from '../sealed.ts'
import type { SecretCount } from '../secret/stored-secrets.ts'

/** Selects the records of a snapshot. */
export interface SnapshotQuery {
  readonly kinds: readonly string[]
  /** Time range of the records: `from` is inclusive, `before` exclusive. Kinds without times always match. */
  readonly from?: string | undefined
  readonly before?: string | undefined
  /** False excludes all sealed records, readable or not. Default: true. */
  readonly includeSealed?: boolean | undefined
  /** True includes unreadable records, each with its `sealed` body. Default: false. */
  readonly includeUnreadable?: boolean | undefined
  /** True includes every sealed record with its sealed body, readable ones too. Nothing is opened. */
  readonly keepSealed?: boolean | undefined
}

/** The records of a book at one instant. Later writes don't change it, but forgotten records disappear. */
export interface RecordSnapshot {
  /** Number of records of each kind. */
  readonly counts: ReadonlyMap<string, number>
  /**
   * Number of sealed records in the snapshot that are readable here; with `keepSealed`, of all sealed ones in
   * it.
   */
  readonly sealed: number
  /**
   * Number of the book's sealed records of these kinds that can't be read here, also outside the time range;
   * 0 for a guest. With `keepSealed`: as `sealed`.
   */
  readonly locked: number
  /**
   * Returns records of a kind, ordered by id, from index `from` until their bodies reach `length` characters; at
   * least one record. `next`: index of the next call, undefined at the end. Skips records that were forgotten since.
   */
  read(
    kind: string,
    from: number,
    length: number,
  ): { readonly records: Stored<JsonObject>[]; readonly next: number | undefined }
}

/** A record of an upload. The database stores it apart until the upload is complete. */
export interface StagedRecord {
  readonly id: string
  readonly kind: string
  /** The record as JSON; empty if this book purged the record before. */
  readonly text: string
  /** Sensitivity of the stored record. A sensitive record is already sealed here. */
  readonly sensitivity?: Sensitivity | undefined
  /** True if the upload contained a sealed body. */
  readonly isSealed?: boolean | undefined
  /** The place of the record in the file. */
  readonly path?: string | undefined
}

/** Uploads in progress. The end of their engine removes them. */
export interface Staging {
  /** Adds records to an upload, in a transaction. Throws `invalid-file` for an id that the upload already has. */
  add(upload: string, records: readonly StagedRecord[]): void
  /** Returns some records of an upload after number `after`, in order. Empty at the end. */
  read(upload: string, after: number): { readonly n: number; readonly record: StagedRecord }[]
  drop(upload: string): void
}

/** Stores the state of several calls of one caller. */
export interface TransferSessions {
  /**
   * Stores `value` and returns its secret name. `end` runs when the value is removed or abandoned. Throws
   * `rate-limited` if this caller, or all guests together, have too many unfinished sessions.
   */
  keep(value: object, end?: () => void): string
  /**
   * Returns the value that this caller stored under the name. Undefined: it is gone. Throws `owner-changed` if an
   * earlier engine stored it.
   */
  find(name: string): object | undefined
  /**
   * Marks a session as complete: it no longer counts, but `find` returns it for 30 seconds more, so that a caller can
   * repeat the last call.
   */
  finish(name: string): void
  drop(name: string): void
}

export interface SealedPut extends Required<Pick<PutRequest, 'kind' | 'id' | 'times'>> {
  readonly scope: Scope & { readonly sensitivity?: Sensitivity | undefined }
  readonly enc: SealedBody
}

/** One side of a conflict with a sealed body that can't be read here. */
export interface SealedSide {
  readonly by: string
  readonly op: 'put'
  readonly enc: SealedBody
}

/** Writes records from a file, in one transaction. */
export interface TransferWriter {
  /** True if the record was purged. Don't store it again. */
  wasPurged(id: string): boolean
  /** Logs a losing edit as a conflict. Logs equal edits once. */
  lose(entry: Omit<LoggedConflict, 'id' | 'at'>): void
  /** Returns the secrets found so far in this transaction. */
  secrets(): SecretCount[]
  /** Ids after `after` of live records of these kinds that the upload does not contain, in order. */
  unstaged(upload: string, kinds: readonly string[], after: string, limit: number): string[]
  /** Opens a sealed body. Undefined if this copy can't. */
  open(owner: SealedOwner, sealed: SealedBody): JsonObject | undefined
  /** Stores a sealed body unchanged. */
  putSealed(request: SealedPut): void
  /** Logs a sealed edit that lost as a conflict. Logs equal edits once. */
  loseSealed(
    entry: Pick<ConflictEntry, 'record' | 'kind' | 'policy'> & {
      loser: SealedSide
      winner: SealedSide | ConflictSide
    },
  ): void
}
