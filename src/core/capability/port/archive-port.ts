// The archive port: storage for whole books (S3, R2 or compatible). Each host implements it.
import type { AbortSignalLike } from '../../abort.ts'

export interface ArchiveObject {
  readonly key: string
  readonly bytes: number
  /** When it was stored, as the storage says; canonical UTC text. */
  readonly modifiedAt?: string | undefined
}

/**
 * Law: an object is there as a whole or not at all, and is never overwritten: `put` under an existing key is `conflict`.
 * A failed `put` leaves no visible object and no partial upload, unless the storage or this process is gone; `tidy` finds
 * those. Memory holds at most two parts. Errors are `archive-denied`, `archive-clock`, `archive-region`,
 * `archive-bucket`, `archive-failed`, `offline`, or `aborted` with the caller's signal, and never contain credentials.
 */
export interface ArchiveStore {
  /** Name for people: `s3://bucket/prefix`. */
  readonly name: string
  /** Prefix of all its keys: empty, or a path that ends with `/`. */
  readonly prefix: string
  /** Stores `texts` as UTF-8 and returns the number of bytes. No text may end inside a surrogate pair. */
  put(key: string, texts: AsyncIterable<string>, signal: AbortSignalLike): Promise<number>
  /** Returns the object, or undefined. */
  stat(key: string, signal: AbortSignalLike): Promise<ArchiveObject | undefined>
  /** Lists the objects whose keys begin with `prefix`, by key. */
  list(prefix: string, signal: AbortSignalLike): AsyncIterable<ArchiveObject>
  /** Reads a whole object, or fails. `not-found` if it doesn't exist, `invalid-file` if it is not UTF-8. */
  read(key: string, signal: AbortSignalLike): Promise<ArchiveReading>
  /** Removes an object, if it exists. */
  remove(key: string, signal: AbortSignalLike): Promise<void>
  /** Aborts uploads below `prefix` whose process ended; returns their number. */
  tidy(prefix: string, signal: AbortSignalLike): Promise<number>
}

export interface ArchiveReading {
  readonly bytes: number
  readonly texts: AsyncIterable<string>
}

/** The archive places of a host. */
export interface ArchivePlaces {
  /**
   * Opens the place of that name, or the default one. Throws `archive-off` without any place, `invalid-input` for an
   * invalid target.
   */
  open(target?: string): ArchiveStore
}

/** Port of the archive verbs. */
export interface ArchivePort extends ArchivePlaces {
  /** Name of the book. */
  readonly book: string
}

/** An upload in parts, with all that is needed to abort it. */
export interface UploadNote {
  /** Storage and bucket. */
  readonly place: string
  readonly key: string
  readonly upload: string
}

/**
 * Notes of uploads that survive their process. Law: `orphans` returns the notes that were added and not removed, and
 * whose process ended.
 */
export interface UploadNotes {
  add(note: UploadNote): void | Promise<void>
  remove(note: UploadNote): void | Promise<void>
  orphans(): readonly UploadNote[] | Promise<readonly UploadNote[]>
}
