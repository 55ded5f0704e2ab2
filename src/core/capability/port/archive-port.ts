// Where whole books are put away: S3, R2, or what speaks like them. A port with its law; each host has its own.
import type { AbortSignalLike } from '../../abort.ts'

export interface ArchiveObject {
  readonly key: string
  readonly bytes: number
  /** When it was put there, as the storage says; canonical UTC text, absent where it says nothing. */
  readonly modified_at?: string | undefined
}

/**
 * Law: an object is there whole or not at all, and is never written twice: `put` under a key that is taken is `conflict`,
 * and what fails, in the texts too, leaves nothing to be seen and nothing of what was uploaded, unless the storage or this
 * process is gone; that much `tidy` finds. Memory holds two parts at most. What fails is a `DaybookError`: `archive-denied`,
 * `archive-clock`, `archive-region`, `archive-bucket`, `archive-failed`, `offline`, or `aborted` with the caller's signal.
 * No credential stands in an error.
 */
export interface ArchiveStore {
  /** What people call it: `s3://bucket/prefix`. */
  readonly name: string
  /** What the keys of all its objects begin with: nothing, or a path that ends with `/`. */
  readonly prefix: string
  /** Puts `texts`, in UTF-8; none of them ends inside a surrogate pair. Answers how many bytes that was. */
  put(key: string, texts: AsyncIterable<string>, signal: AbortSignalLike): Promise<number>
  /** The object, or undefined. */
  stat(key: string, signal: AbortSignalLike): Promise<ArchiveObject | undefined>
  /** All whose keys begin with `prefix`, by key. */
  list(prefix: string, signal: AbortSignalLike): AsyncIterable<ArchiveObject>
  /** What an object says: all of it, or an error. `not-found` where there is none, `invalid-file` for what is no UTF-8. */
  read(key: string, signal: AbortSignalLike): Promise<ArchiveReading>
  /** Nothing happens where there is none. */
  remove(key: string, signal: AbortSignalLike): Promise<void>
  /** Gives up the uploads below `prefix` whose process ended in the middle; answers how many there were. */
  tidy(prefix: string, signal: AbortSignalLike): Promise<number>
}

export interface ArchiveReading {
  readonly bytes: number
  readonly texts: AsyncIterable<string>
}

/** The places that a host has for archives. */
export interface ArchivePlaces {
  /** The place of that name, or the usual one. Throws `archive-off` where there is none, `invalid-input` for what is none. */
  open(target?: string): ArchiveStore
}

/** What the verbs of archives work with. */
export interface ArchivePort extends ArchivePlaces {
  /** The name of the book. */
  readonly book: string
}

/** An upload in parts, as whoever finds it can give it up. */
export interface UploadNote {
  /** Which bucket of which storage. */
  readonly place: string
  readonly key: string
  readonly upload: string
}

/**
 * Notes of uploads that outlive whoever makes them. Law: `left` answers those that were added and not removed and whose
 * uploader has ended.
 */
export interface UploadNotes {
  add(note: UploadNote): void | Promise<void>
  remove(note: UploadNote): void | Promise<void>
  left(): readonly UploadNote[] | Promise<readonly UploadNote[]>
}
