// Puts a bundle away under a key of its own, and takes out the archives that are not to be kept any longer.
// Invariant: none is taken out before the new one is there, and the new one never is.
import type { AbortSignalLike } from '../../core/abort.ts'
import type { ArchiveObject, ArchiveStore } from '../../core/capability/port/archive-port.ts'
import { DaybookError, type ErrorCode, toDaybookError } from '../../core/errors.ts'
import { parseTime } from '../../core/time.ts'
import { type ArchiveName, archiveKey, folderOf, readArchiveKey } from './archive-key.ts'

export interface ArchiveInBook extends ArchiveName, ArchiveObject {}

/** Puts the text away; `conflict` when there is an archive of that name. */
export async function putArchive(
  store: ArchiveStore,
  name: ArchiveName,
  texts: AsyncIterable<string>,
  signal: AbortSignalLike,
): Promise<{ key: string; bytes: number }> {
  // What can't be found or given up now is tried with the next archive.
  await store.tidy(folderOf(store.prefix, name.book), signal).catch(() => 0)
  const key = archiveKey(store.prefix, name)
  return { key, bytes: await store.put(key, texts, signal) }
}

/** The archives of a book, the newest first. */
export async function archivesOf(
  store: ArchiveStore,
  book: string,
  signal: AbortSignalLike,
): Promise<ArchiveInBook[]> {
  const found: ArchiveInBook[] = []
  for await (const object of store.list(folderOf(store.prefix, book), signal)) {
    const name = readArchiveKey(store.prefix, book, object.key)
    if (name) found.push({ ...object, ...name })
  }
  return found.toSorted((one, other) => (one.key < other.key ? 1 : -1))
}

/** Which archives stay: the newest `keep` and those of the last `days`. Without either, all do. */
export interface Retention {
  readonly keep?: number | undefined
  readonly days?: number | undefined
}

const dayMs = 86_400_000

/** The keys of those that neither rule keeps. `newest` is first; `own`, the one just made, and the newest always stay. */
export function expired(
  archives: readonly Pick<ArchiveInBook, 'key' | 'exportedAt'>[],
  { keep, days }: Retention,
  { own, now }: { readonly own: string; readonly now: string },
): string[] {
  if (keep === undefined && days === undefined) return []
  const since = (parseTime(now) ?? 0) - (days ?? 0) * dayMs
  return archives
    .filter(({ key, exportedAt }, place) => {
      const isKept =
        place < (keep ?? 1) || (days !== undefined && (parseTime(exportedAt) ?? Infinity) >= since)
      return !isKept && key !== own
    })
    .map(({ key }) => key)
}

export interface Removal {
  readonly removed: number
  /** Some could not be taken out: the archive is there all the same. */
  readonly failed?: ErrorCode
}

/** Takes out what is expired, the oldest first. */
export async function keepArchives(
  store: ArchiveStore,
  retention: Retention,
  at: { readonly book: string; readonly own: string; readonly now: string; readonly signal: AbortSignalLike },
): Promise<Removal> {
  let removed = 0
  try {
    const keys = expired(await archivesOf(store, at.book, at.signal), retention, at)
    for (const key of keys.toReversed()) {
      await store.remove(key, at.signal)
      removed += 1
    }
    return { removed }
  } catch (error) {
    return { removed, failed: toDaybookError(error).code }
  }
}

/** Throws `not-found` for what is no archive of this book: those of others in the same bucket are none of its business. */
export function checkArchiveKey({ prefix }: ArchiveStore, book: string, key: string): void {
  if (readArchiveKey(prefix, book, key)) return
  throw new DaybookError('not-found', 'There is no archive of this book of that key.', {
    details: { path: 'key' },
  })
}
