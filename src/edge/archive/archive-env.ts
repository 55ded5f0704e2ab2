// What a deployment says of archives: part of the environment of the edge.
import type { ArchiveBucket } from './archive-bucket.ts'

export interface ArchiveEnv {
  /** A bucket of R2 that archives of books go to: `archive:put`, `archive:list`, `archive:verify`. */
  readonly ARCHIVE?: ArchiveBucket
  /** How often each book is archived there: `daily`, `weekly`, or an hour and more as `12h`. Default: when it is called. */
  readonly DAYBOOK_ARCHIVE_EVERY?: string
  /** What keys of archives begin with, before the name of the book. Default nothing. */
  readonly DAYBOOK_ARCHIVE_PREFIX?: string
  /** Which archives stay: the newest so many, and those of the last days. Default all. */
  readonly DAYBOOK_ARCHIVE_KEEP?: string
  readonly DAYBOOK_ARCHIVE_DAYS?: string
}
