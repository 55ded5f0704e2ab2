// Stores a bundle in an archive store, and removes old archives. The archives of a book sort by time, because a key is
// `<prefix><book>/<exported_at>-<8 hex>.kstar`; the prefix is the store's.
// Invariant: old archives are removed only after the new one is stored; the new one is never removed; an object with
// another key is no archive of the book, and is neither read nor removed.
import type { AbortSignalLike } from '../core/abort.ts'
import type { ArchiveObject, ArchiveStore } from '../core/capability/port/archive-port.ts'
import { DaybookError, type ErrorCode, toDaybookError } from '../core/errors.ts'
import { parseTime } from '../core/time.ts'
import { dayMs } from '../core/zone.ts'

/** An archive: the parts of its name, its `key`, its size in `bytes`, and `modifiedAt` if the storage has it. */
export interface ArchiveInBook extends ArchiveName, ArchiveObject {}

/** Stores the text. Throws `conflict` if an archive of that name exists. */
export async function putArchive(
  store: ArchiveStore,
  name: ArchiveName,
  texts: AsyncIterable<string>,
  signal: AbortSignalLike,
): Promise<{ key: string; bytes: number }> {
  // Removes unfinished uploads. If this fails, the next archive tries it again.
  await store.tidy(archiveFolder(store.prefix, name.book), signal).catch(() => 0)
  const key = archiveKey(store.prefix, name)
  return { key, bytes: await store.put(key, texts, signal) }
}

/** The archives of a book, the newest first. */
export async function listArchives(
  store: ArchiveStore,
  book: string,
  signal: AbortSignalLike,
): Promise<ArchiveInBook[]> {
  const archives: ArchiveInBook[] = []
  for await (const object of store.list(archiveFolder(store.prefix, book), signal)) {
    const archiveName = parseArchiveKey(store.prefix, book, object.key)
    if (archiveName) archives.push({ ...object, ...archiveName })
  }
  return archives.toSorted((a, b) => (a.key < b.key ? 1 : -1))
}

/** The archives to keep: the newest `keep`, and those of the last `days` days. Without both: all. */
export interface Retention {
  readonly keep?: number | undefined
  readonly days?: number | undefined
}

/**
 * The keys of archives that neither rule keeps. `archives`: newest first. The newest archive and `newKey` (the new
 * one) always stay.
 */
export function expiredKeys(
  archives: readonly Pick<ArchiveInBook, 'key' | 'exportedAt'>[],
  { keep, days }: Retention,
  { newKey, now }: { readonly newKey: string; readonly now: string },
): string[] {
  if (keep === undefined && days === undefined) return []
  const sinceMs = (parseTime(now) ?? 0) - (days ?? 0) * dayMs
  return archives
    .filter(({ key, exportedAt }, index) => {
      const isRetained =
        // Without `keep`, the newest one stays.
        index < (keep ?? 1) || (days !== undefined && (parseTime(exportedAt) ?? Infinity) >= sinceMs)
      return !isRetained && key !== newKey
    })
    .map(({ key }) => key)
}

export interface Removal {
  readonly removed: number
  /** The error code of a failed removal. The new archive is stored anyway. */
  readonly failed?: ErrorCode
}

/** Removes expired archives, the oldest first. Stops at the first failure. */
export async function removeExpired(
  store: ArchiveStore,
  retention: Retention,
  context: {
    readonly book: string
    /** The key of the archive that was just stored. */
    readonly newKey: string
    readonly now: string
    readonly signal: AbortSignalLike
  },
): Promise<Removal> {
  let removed = 0
  try {
    const keys = expiredKeys(await listArchives(store, context.book, context.signal), retention, context)
    for (const key of keys.toReversed()) {
      await store.remove(key, context.signal)
      removed += 1
    }
    return { removed }
  } catch (error) {
    return { removed, failed: toDaybookError(error).code }
  }
}

/** Throws `not-found` for a key that is no archive of this book, even if the store has such an object. */
export function assertArchiveKey({ prefix }: ArchiveStore, book: string, key: string): void {
  if (parseArchiveKey(prefix, book, key)) return
  throw new DaybookError(
    'not-found',
    'This book has no archive with that key. List them with `archive:list`.',
    {
      details: { path: 'key' },
    },
  )
}

export interface ArchiveName {
  readonly book: string
  /** Canonical UTC text. */
  readonly exportedAt: string
  /** 8 hex digits, to keep two archives of the same millisecond apart. */
  readonly suffix: string
}

/** The common beginning of a book's archive keys. */
export const archiveFolder = (prefix: string, book: string): string => `${prefix}${book}/`

/** The key of an archive. Dashes replace colons, because some file systems don't allow colons. */
export function archiveKey(prefix: string, { book, exportedAt, suffix }: ArchiveName): string {
  return `${archiveFolder(prefix, book)}${exportedAt.replaceAll(':', '-')}-${suffix}.kstar`
}

const namePattern = /^(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2}\.\d{3}Z)-([0-9a-f]{8})\.kstar$/

/** Parses a key of this book; undefined for any other key. */
export function parseArchiveKey(prefix: string, book: string, key: string): ArchiveName | undefined {
  const folder = archiveFolder(prefix, book)
  const [, hour = '', minute = '', second = '', suffix = ''] = key.startsWith(folder)
    ? (namePattern.exec(key.slice(folder.length)) ?? [])
    : []
  const exportedAt = `${hour}:${minute}:${second}`
  return parseTime(exportedAt) === undefined ? undefined : { book, exportedAt, suffix }
}
