// The keys of archives: `<prefix><book>/<exported_at>-<8 hex>.kstar`, so that those of one book lie together in the order in
// which they were made. Invariant: what is no such key is no archive of the book, and is neither read nor removed for it.
import { parseTime } from '../../core/time.ts'

export interface ArchiveName {
  readonly book: string
  /** Canonical UTC text. */
  readonly exportedAt: string
  /** 8 hex digits, so that two that are made in the same millisecond are two. */
  readonly suffix: string
}

/** What the keys of all archives of a book begin with. */
export const folderOf = (prefix: string, book: string): string => `${prefix}${book}/`

/** Colons are dashes in it: a name with colons can't be a file everywhere. */
export function archiveKey(prefix: string, { book, exportedAt, suffix }: ArchiveName): string {
  return `${folderOf(prefix, book)}${exportedAt.replaceAll(':', '-')}-${suffix}.kstar`
}

const name = /^(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2}\.\d{3}Z)-([0-9a-f]{8})\.kstar$/

/** What a key of this book says; undefined for another's, and for what is none. */
export function readArchiveKey(prefix: string, book: string, key: string): ArchiveName | undefined {
  const folder = folderOf(prefix, book)
  const [, hour = '', minute = '', second = '', suffix = ''] = key.startsWith(folder)
    ? (name.exec(key.slice(folder.length)) ?? [])
    : []
  const exportedAt = `${hour}:${minute}:${second}`
  return parseTime(exportedAt) === undefined ? undefined : { book, exportedAt, suffix }
}
