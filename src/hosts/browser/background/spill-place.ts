// Where requests wait in this browser for the service worker: one entry a book in IndexedDB, apart from the book.
// Invariant: an answer is only ever kept beside the request that it answers; a new entry begins without answers.
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { SpillPlace } from '../../../core/ports.ts'

export interface SpillEntry {
  readonly book: string
  /** Names this entry: the next one of the same book has another. */
  readonly name: string
  /** Where the requests go. */
  readonly url: string
  /** The key that was given for this, if one was. */
  readonly key?: string
  /** Milliseconds since 1970 UTC. */
  readonly at: number
  readonly requests: readonly string[]
  /** As many as there are requests, from the first on, or fewer. */
  readonly answers: readonly string[]
}

interface SpillSchema extends DBSchema {
  entries: { key: string; value: SpillEntry }
}

export type SpillDatabase = IDBPDatabase<SpillSchema>

/** Nothing is kept or sent for longer. */
const keptMs = 7 * 86_400_000

/** Runs `work` on the entries of all books of this origin. */
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

/** The entries that may be sent; those that are too old are taken away. */
export async function readSpills(db: SpillDatabase): Promise<SpillEntry[]> {
  const entries = await db.getAll('entries')
  const isOld = ({ at }: SpillEntry) => Math.abs(Date.now() - at) > keptMs
  for (const { book } of entries.filter(isOld)) await db.delete('entries', book)
  return entries.filter((entry) => !isOld(entry))
}

/** True while the entry is there and no other has taken its place. */
export async function isCurrent(db: SpillDatabase, { book, name }: SpillEntry): Promise<boolean> {
  return (await db.get('entries', book))?.name === name
}

/** Puts `change` in place of the entry, unless another has taken its place; undefined takes the entry away. */
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

/** The place of one book. */
export function openSpillPlace({ book, url, key }: SpillTarget): SpillPlace {
  return {
    put: (requests) =>
      withSpills(async (db) => {
        const entry = { book, name: crypto.randomUUID(), url, at: Date.now(), requests, answers: [] }
        await db.put('entries', key === undefined ? entry : { ...entry, key })
      }),
    read: () =>
      withSpills(async (db) => {
        const entry = (await readSpills(db)).find((one) => one.book === book)
        return entry?.requests.map((request, i) => ({ request, answer: entry.answers[i] })) ?? []
      }),
    clear: () => withSpills((db) => db.delete('entries', book)),
  }
}
