// Stores requests that wait for the service worker (a spill): one entry for each book in IndexedDB, separate
// from the book.
// Invariant: an answer is stored only in the entry of its request; a new entry has no answers.
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { SpillPlace } from '../../../core/ports.ts'

export interface SpillEntry {
  readonly book: string
  /** Unique id of this entry; a later entry of the book has another id. */
  readonly name: string
  /** URL for the requests. */
  readonly url: string
  /** The key for these requests; absent if the service worker fetches a key. */
  readonly key?: string
  /** Time of the entry, in milliseconds since 1970 UTC. */
  readonly at: number
  readonly requests: readonly string[]
  /** Answers to the first requests, in their order: the other requests are not sent yet. */
  readonly answers: readonly string[]
}

interface SpillSchema extends DBSchema {
  entries: { key: string; value: SpillEntry }
}

export type SpillDatabase = IDBPDatabase<SpillSchema>

/** Longest age of an entry; older entries are deleted, not sent. */
const maxAgeMs = 7 * 86_400_000

/** Runs `work` with the open database, which has the entries of all books of this origin. */
export async function withSpills<Result>(work: (db: SpillDatabase) => Promise<Result>): Promise<Result> {
  const db = await openDB<SpillSchema>('daybook-spill', 1, {
    upgrade: (fresh) => void fresh.createObjectStore('entries', { keyPath: 'book' }),
  })
  try {
    return await work(db)
  } finally {
    db.close()
  }
}

/** All entries to send. Deletes entries that are too old. */
export async function readSpills(db: SpillDatabase): Promise<SpillEntry[]> {
  const entries = await db.getAll('entries')
  // The clock may have been set back: an entry from far in the future counts as old too.
  const isOld = ({ at }: SpillEntry) => Math.abs(Date.now() - at) > maxAgeMs
  for (const { book } of entries.filter(isOld)) await db.delete('entries', book)
  return entries.filter((entry) => !isOld(entry))
}

/** Whether the entry is stored and not replaced by a later entry of its book. */
export async function isCurrent(db: SpillDatabase, { book, name }: SpillEntry): Promise<boolean> {
  return (await db.get('entries', book))?.name === name
}

/**
 * Replaces the entry by the result of `change`; undefined deletes the entry. Does nothing if a later entry
 * has replaced it.
 */
export async function changeSpill(
  db: SpillDatabase,
  { book, name }: SpillEntry,
  change: (entry: SpillEntry) => SpillEntry | undefined,
): Promise<void> {
  const transaction = db.transaction('entries', 'readwrite', { durability: 'strict' })
  const current = await transaction.store.get(book)
  if (current?.name === name) {
    const next = change(current)
    if (next) await transaction.store.put(next)
    else await transaction.store.delete(book)
  }
  await transaction.done
}

export interface SpillTarget {
  readonly book: string
  readonly url: string
  readonly key?: string | undefined
}

/** The place for the requests of one book. */
export function openSpillPlace({ book, url, key }: SpillTarget): SpillPlace {
  return {
    put: (requests) =>
      withSpills(async (db) => {
        const entry = { book, name: crypto.randomUUID(), url, at: Date.now(), requests, answers: [] }
        await db.put('entries', key === undefined ? entry : { ...entry, key })
      }),
    // A request without an `answer` was not sent yet.
    read: () =>
      withSpills(async (db) => {
        const entry = (await readSpills(db)).find((one) => one.book === book)
        return entry?.requests.map((request, i) => ({ request, answer: entry.answers[i] })) ?? []
      }),
    clear: () => withSpills((db) => db.delete('entries', book)),
  }
}
