// The archive port: storage for whole books (S3, R2 or compatible). Each host implements this port.
import type { AbortSignalLike } from '../../abort.ts'

export interface ArchiveObject {
  readonly key: string
  readonly bytes: number
  /** Time of storing, from the storage; canonical UTC text. */
  readonly modifiedAt?: string | undefined
}

/**
 * Law: readers see a whole object or none. No object is overwritten: `put` under an existing key throws `conflict`. A
 * failed `put` leaves no visible object, and no partial upload unless the storage or this process is gone; `tidy`
 * removes those uploads. Memory contains at most two parts. Errors: `archive-denied`, `archive-clock`,
 * `archive-region`, `archive-bucket`, `archive-failed`, `offline`, or `aborted` with the caller's signal. No error
 * contains credentials.
 */
export interface ArchiveStore {
  /** Name for people: `s3://bucket/prefix`. */
  readonly name: string
  /** Prefix of all its keys: empty, or a path that ends with `/`. */
  readonly prefix: string
  /** Stores `texts` as UTF-8 and returns the number of bytes. No text may end inside a surrogate pair. */
  put(key: string, texts: AsyncIterable<string>, signal: AbortSignalLike): Promise<number>
  /** Returns the description of the object; undefined if it doesn't exist. */
  stat(key: string, signal: AbortSignalLike): Promise<ArchiveObject | undefined>
  /** Lists the objects whose keys begin with `prefix`, ordered by key. */
  list(prefix: string, signal: AbortSignalLike): AsyncIterable<ArchiveObject>
  /** Opens the whole object. Throws `not-found` if it doesn't exist, `invalid-file` if it is not UTF-8. */
  read(key: string, signal: AbortSignalLike): Promise<ArchiveReading>
  /** Removes an object. No error if it doesn't exist. */
  remove(key: string, signal: AbortSignalLike): Promise<void>
  /** Aborts uploads below `prefix` whose process ended. Returns their number. */
  tidy(prefix: string, signal: AbortSignalLike): Promise<number>
}

export interface ArchiveReading {
  readonly bytes: number
  readonly texts: AsyncIterable<string>
}

/** The archive storages of a host. */
export interface ArchivePlaces {
  /**
   * Opens the storage named `target`; without one, the default. Throws `archive-off` if the host has no storage,
   * `invalid-input` for an invalid target.
   */
  open(target?: string): ArchiveStore
}

/** Port of the archive verbs. */
export interface ArchivePort extends ArchivePlaces {
  /** Name of the book. */
  readonly book: string
}

/** A multipart upload, with all data needed to abort it. */
export interface UploadNote {
  /** Storage and bucket. */
  readonly place: string
  readonly key: string
  readonly upload: string
}

/**
 * Notes of uploads that survive their process. Law: `orphans` returns the notes that were added, were not removed,
 * and belong to an ended process.
 */
export interface UploadNotes {
  add(note: UploadNote): void | Promise<void>
  remove(note: UploadNote): void | Promise<void>
  orphans(): readonly UploadNote[] | Promise<readonly UploadNote[]>
}
