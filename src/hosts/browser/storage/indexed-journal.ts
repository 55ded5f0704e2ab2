// Implements `Journal` with IndexedDB: a database for each book.
// Invariants: each change is one strict transaction, which first checks in the head that this opening is
// still the writer, so that two writers can't overlap. After a lost connection, the head shows whether the
// last change was stored.
import { type DBSchema, type IDBPDatabase, type IDBPObjectStore, type IDBPTransaction, openDB } from 'idb'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { databaseName } from './book-names.ts'
import {
  extentBytes,
  type Journal,
  type StoredPages,
  type PageChange,
  type PageSnapshot,
} from '../../../core/journal.ts'
import { inWords, isQuotaFault } from './browser-fault.ts'

interface Head {
  /** Number of stored changes. */
  readonly serial: number
  /** Id of the opening that may write. */
  readonly writer: string
  /** Size of the database in the snapshot. */
  readonly sizeBytes: number
}

/** The types of values: core/journal.ts. */
interface JournalSchema extends DBSchema {
  head: { key: 'head'; value: Head }
  /** The snapshot, by index of the extent from 0. */
  extents: { key: number; value: Uint8Array }
  /** Changes after the snapshot, by `serial` of the head after the change. */
  changes: { key: number; value: PageChange }
}

type Connection = IDBPDatabase<JournalSchema>
type Change = IDBPTransaction<JournalSchema, ('head' | 'extents' | 'changes')[], 'readwrite'>

const version = 1
const nothing: StoredPages = { sizeBytes: 0, extents: [], changes: [] }
const stores: ('head' | 'extents' | 'changes')[] = ['head', 'extents', 'changes']
/** Most attempts to store one change when connections are lost. */
const attempts = 3
/** Most rows in one read, because some browsers can't return all rows at once. */
const extentsAtOnce = 64
const changesAtOnce = 512
/** Longest wait until another connection closes after the browser has requested it. */
const giveWayMs = 3000
/**
 * Longest wait until the database is open: a pending deletion of the database may block the opening, and
 * browsers don't report that.
 */
const openMs = 15_000

/**
 * Opens or creates the journal of `book`, and becomes its writer. Rejects with `storage-unavailable`,
 * `storage-full`, `storage-failed`, `open-elsewhere` or `book-newer`.
 */
export async function openIndexedJournal(book: string): Promise<Journal> {
  const journal = new IndexedJournal(book)
  await journal.takeOver()
  return journal
}

class IndexedJournal implements Journal {
  readonly #book: string
  /** Id of this opening, which the head names as the writer. */
  #writer: string = crypto.randomUUID()
  /** Number of stored changes that this opening knows. */
  #serial = 0
  /** The pages that were stored at the opening, until `takeStored`. */
  #stored: StoredPages | undefined
  #connection: Connection | undefined
  #isClosed = false

  constructor(book: string) {
    this.#book = book
  }

  /** Reads the journal and becomes its writer. */
  async takeOver(): Promise<void> {
    try {
      const connection = await this.#connect(true)
      const { serial, writer, ...stored } = await take(connection, this.#writer).catch((error: unknown) => {
        if (!isQuotaFault(error)) throw error
        // There is no space even for the new writer's id. Keep the id of the last writer, whose tab has
        // released the owner lock: the book can be read, and changes that free space can be stored.
        return take(connection)
      })
      this.#serial = serial
      this.#writer = writer
      this.#stored = stored
    } catch (error) {
      this.#disconnect()
      throw faultOf(error)
    }
  }

  takeStored(): StoredPages {
    const stored = this.#stored ?? nothing
    this.#stored = undefined
    return stored
  }

  append(page: PageChange): Promise<void> {
    return this.#write(undefined, (change) => [change.objectStore('changes').put(page, this.#serial + 1)])
  }

  snapshot({ sizeBytes, extents }: PageSnapshot): Promise<void> {
    return this.#write(sizeBytes, (change) => {
      const end = Math.ceil(sizeBytes / extentBytes)
      return [
        ...extents.map(([index, bytes]) => change.objectStore('extents').put(bytes, index)),
        change.objectStore('extents').delete(IDBKeyRange.lowerBound(end)),
        change.objectStore('changes').clear(),
      ]
    })
  }

  close(): void {
    this.#isClosed = true
    this.#disconnect()
  }

  #disconnect(): void {
    this.#connection?.close()
    this.#connection = undefined
  }

  async #connect(mayMake: boolean): Promise<Connection> {
    if (this.#isClosed) throw new DaybookError('book-closed')
    this.#connection ??= await openConnection(
      this.#book,
      mayMake,
      () => this.#disconnect(),
      () => (this.#connection = undefined),
    )
    return this.#connection
  }

  /**
   * Runs `work` in a transaction that raises `serial` by one. The change is stored exactly once, even if the
   * connection is lost. `sizeBytes`: the size of a new snapshot; undefined leaves the size.
   */
  async #write(sizeBytes: number | undefined, work: (change: Change) => Promise<unknown>[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const connection = await this.#connect(false)
        const change = connection.transaction(stores, 'readwrite', { durability: 'strict' })
        const head = await change.objectStore('head').get('head')
        if (head?.writer !== this.#writer) {
          change.abort()
          await change.done.catch(() => undefined)
          throw head
            ? new DaybookError('open-elsewhere', 'Another tab has taken over this book: reload the page.')
            : new DaybookError('storage-failed', 'The book was deleted from IndexedDB.')
        }
        // Only this opening writes, so a higher serial is that of an earlier attempt.
        if (head.serial === this.#serial + 1) {
          // The change was stored before the connection was lost.
          this.#serial += 1
          return await change.done
        }
        const serial = this.#serial + 1
        const next = { writer: this.#writer, serial, sizeBytes: sizeBytes ?? head.sizeBytes }
        const parts = [...work(change), change.objectStore('head').put(next, 'head')]
        // `done` rejects with the cause of the failure; a request only reports that it was aborted.
        for (const part of parts) part.catch(() => undefined)
        await change.done
        this.#serial = serial
        return
      } catch (error) {
        if (isDaybookError(error)) throw error
        if (isQuotaFault(error)) throw full(error)
        this.#disconnect()
        if (attempt === attempts) throw failedBy(error)
      }
    }
  }
}

/**
 * Whether IndexedDB has data of `book`. Creates nothing. False without IndexedDB. Rejects with `book-newer`,
 * `open-elsewhere`, or `storage-failed` if the data can't be read: the book must not be created elsewhere then.
 */
export async function hasIndexedJournal(book: string): Promise<boolean> {
  try {
    const connection = await openConnection(
      book,
      false,
      () => undefined,
      () => undefined,
    )
    try {
      const [head, one] = await Promise.all([connection.get('head', 'head'), connection.count('changes')])
      return (head?.sizeBytes ?? 0) > 0 || one > 0
    } finally {
      connection.close()
    }
  } catch (error) {
    if (error instanceof NoDatabase || isDaybookError(error, 'storage-unavailable')) return false
    throw isDaybookError(error) ? error : failedBy(error, unreadable)
  }
}

/**
 * Reads the whole journal, and stores `name` as the writer, in one transaction. Without `name` the writer
 * stays.
 */
async function take(
  connection: Connection,
  name?: string,
): Promise<StoredPages & Pick<Head, 'serial' | 'writer'>> {
  const change = connection.transaction(stores, 'readwrite', { durability: 'strict' })
  const stored = await change.objectStore('head').get('head')
  const writer = name ?? stored?.writer ?? ''
  const head = { serial: stored?.serial ?? 0, sizeBytes: stored?.sizeBytes ?? 0, writer }
  const extents = await rowsOf(change.objectStore('extents'), extentsAtOnce)
  const changes = await rowsOf(change.objectStore('changes'), changesAtOnce)
  // Each snapshot stores the last extent. Extents behind the end, or changes without a head, mean that the head
  // is lost: a new writer would overwrite the book.
  const last = Math.ceil(head.sizeBytes / extentBytes) - 1
  if ((extents.at(-1)?.[0] ?? -1) !== last || (!stored && changes.length > 0))
    throw new DaybookError(
      'storage-failed',
      `Parts of the book are missing in IndexedDB. To begin anew, delete its database \`${connection.name}\`.`,
    )
  if (name !== undefined)
    change
      .objectStore('head')
      .put(head, 'head')
      .catch(() => undefined)
  await change.done
  return { ...head, extents, changes: changes.map(([, page]) => page) }
}

/** The rows of a store with their keys, in order; reads at most `atOnce` rows in one request. */
async function rowsOf<Name extends 'extents' | 'changes'>(
  store: IDBPObjectStore<JournalSchema, typeof stores, Name, 'readwrite'>,
  atOnce: number,
): Promise<[number, JournalSchema[Name]['value']][]> {
  const rows: [number, JournalSchema[Name]['value']][] = []
  for (;;) {
    const range = IDBKeyRange.lowerBound(rows.at(-1)?.[0] ?? -1, true)
    const [keys, values] = await Promise.all([store.getAllKeys(range, atOnce), store.getAll(range, atOnce)])
    values.forEach((value, i) => rows.push([keys[i] ?? 0, value]))
    if (values.length < atOnce) return rows
  }
}

/** The database doesn't exist, and was not created. */
class NoDatabase extends Error {}

const unreadable =
  ' The book may be in it, so none is created elsewhere: reload the page, or restart the browser.'

/**
 * Opens the database of `book`. `mayMake`: creates it if it doesn't exist; otherwise throws `NoDatabase`. `giveWay` is
 * called when another tab needs the database closed, `lost` when the browser closed the connection.
 */
async function openConnection(
  book: string,
  mayMake: boolean,
  giveWay: () => void,
  lost: () => void,
): Promise<Connection> {
  const late = Promise.withResolvers<never>()
  let isLate = false
  let isMissing = false
  const giveUp = () => {
    isLate = true
    late.reject(
      new DaybookError(
        'open-elsewhere',
        "Another page has this book's IndexedDB open and does not close it: close it or reload.",
      ),
    )
  }
  let timer = setTimeout(giveUp, openMs)
  try {
    const opening = openDB<JournalSchema>(databaseName(book), version, {
      upgrade(fresh, _from, _to, change) {
        // This runs only if the database doesn't exist: abort, because the caller must not create it.
        if (!mayMake || isLate) {
          isMissing = true
          change.done.catch(() => undefined)
          return change.abort()
        }
        fresh.createObjectStore('head')
        fresh.createObjectStore('extents')
        fresh.createObjectStore('changes')
      },
      blocked() {
        clearTimeout(timer)
        if (!isLate) timer = setTimeout(giveUp, giveWayMs)
      },
      // Another tab upgrades or deletes the database: close this connection at once.
      blocking: giveWay,
      terminated: lost,
    })
    opening.then(
      (connection) => isLate && connection.close(),
      () => undefined,
    )
    return await Promise.race([opening, late.promise])
  } catch (error) {
    if (isMissing && !isDaybookError(error)) throw new NoDatabase('The book was deleted.', { cause: error })
    const name = error instanceof Error ? error.name : ''
    if (name === 'VersionError')
      throw new DaybookError('book-newer', 'A newer Daybook wrote this book in IndexedDB: reload the page.', {
        cause: error,
      })
    // These errors mean that the page has no IndexedDB. Any other error may hide a book that can't be opened
    // now.
    if (
      ['ReferenceError', 'TypeError', 'SecurityError', 'InvalidStateError', 'NotAllowedError'].includes(name)
    )
      throw new DaybookError('storage-unavailable', 'The browser offers no IndexedDB.', {
        cause: error,
        details: { medium: 'indexeddb', reason: String(error) },
      })
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** The error of a call of IndexedDB as `storage-full` or `storage-failed`. */
export const faultOf = (error: unknown): DaybookError =>
  isDaybookError(error) ? error : isQuotaFault(error) ? full(error) : failedBy(error)

const full = (cause: unknown) => new DaybookError('storage-full', undefined, { cause })

function failedBy(error: unknown, more = ''): DaybookError {
  const reason = inWords(error)
  return new DaybookError('storage-failed', `IndexedDB failed (${reason}).${more}`, {
    details: { medium: 'indexeddb', reason },
    cause: error,
  })
}
