// The journal of a book in IndexedDB, one database for each book.
// Invariants: each change is one strict transaction that first compares the head with what this opening wrote last, so
// nobody writes behind another's back; a connection that is lost is made anew, and the head tells what had arrived.
import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB } from 'idb'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { databaseName } from './book-names.ts'
import {
  extentBytes,
  type Journal,
  type KeptPages,
  type PageChange,
  type Snapshot,
} from '../../../core/journal.ts'
import { inWords, isQuotaFault } from './browser-fault.ts'

interface Head {
  /** Counts the changes that were kept. */
  readonly serial: number
  /** Names the opening that may write. */
  readonly writer: string
  /** Of the snapshot. */
  readonly sizeBytes: number
}

interface JournalSchema extends DBSchema {
  head: { key: 'head'; value: Head }
  extents: { key: number; value: Uint8Array }
  changes: { key: number; value: PageChange }
}

type Connection = IDBPDatabase<JournalSchema>
type Change = IDBPTransaction<JournalSchema, ('head' | 'extents' | 'changes')[], 'readwrite'>

const version = 1
const nothing: KeptPages = { sizeBytes: 0, extents: [], changes: [] }
const stores: ('head' | 'extents' | 'changes')[] = ['head', 'extents', 'changes']
/** A connection that is lost in the middle is made anew this often for one change. */
const attempts = 3
/** Read at once: some browsers can't hand over everything in one piece. */
const extentsAtOnce = 64
const changesAtOnce = 512
/** Who has an earlier version of the database open is told to close it, and does so at once unless it hangs. */
const giveWayMs = 3000
/** Whoever is deleting the database may wait for such a one too, and nobody tells those who come behind. */
const openMs = 15_000

/** Opens the journal of `book`, making it when there is none, and takes it over from whoever had it. */
export async function openIndexedJournal(book: string): Promise<Journal> {
  let writer = crypto.randomUUID() as string
  let connection: Connection | undefined
  let isClosed = false
  const disconnect = () => {
    connection?.close()
    connection = undefined
  }
  const connect = async (mayMake: boolean): Promise<Connection> => {
    if (isClosed) throw new DaybookError('book-closed')
    connection ??= await openConnection(book, mayMake, disconnect, () => (connection = undefined))
    return connection
  }

  let serial = 0
  /** Runs `work` in a transaction that raises the head from `serial` by one, once, whatever becomes of the connection. */
  const write = async (sizeBytes: number | undefined, work: (change: Change) => Promise<unknown>[]) => {
    for (let attempt = 1; ; attempt++) {
      try {
        const change = (await connect(false)).transaction(stores, 'readwrite', { durability: 'strict' })
        const head = await change.objectStore('head').get('head')
        if (head?.writer !== writer) {
          change.abort()
          await change.done.catch(() => undefined)
          throw head
            ? new DaybookError('open-elsewhere', 'Another engine has taken this book over.')
            : new DaybookError('storage-failed', 'The book was taken out of IndexedDB.')
        }
        if (head.serial === serial + 1) {
          // What was sent before the connection was lost had arrived.
          serial += 1
          return await change.done
        }
        const next = { writer, serial: serial + 1, sizeBytes: sizeBytes ?? head.sizeBytes }
        const parts = [...work(change), change.objectStore('head').put(next, 'head')]
        // What becomes of the whole is said by `done`; a part may only know that it was aborted.
        for (const part of parts) part.catch(() => undefined)
        await change.done
        serial += 1
        return
      } catch (error) {
        if (isDaybookError(error)) throw error
        if (isQuotaFault(error)) throw full(error)
        disconnect()
        if (attempt === attempts) throw failedBy(error)
      }
    }
  }

  const {
    serial: last,
    writer: taken,
    ...kept
  } = await connect(true)
    .then((made) =>
      take(made, writer).catch((error: unknown) => {
        if (!isQuotaFault(error)) throw error
        // Not even a name finds space. The book can be read all the same, and what makes space comes in the name of its last
        // owner, who has freed the lock.
        return take(made)
      }),
    )
    .catch((error: unknown) => {
      disconnect()
      throw isDaybookError(error) ? error : isQuotaFault(error) ? full(error) : failedBy(error)
    })
  serial = last
  writer = taken
  let untaken: KeptPages | undefined = kept
  return {
    takeKept() {
      const taken = untaken ?? nothing
      untaken = undefined
      return taken
    },
    append: (page) => write(undefined, (change) => [change.objectStore('changes').put(page, serial + 1)]),
    snapshot: ({ sizeBytes, extents }: Snapshot) =>
      write(sizeBytes, (change) => {
        const end = Math.ceil(sizeBytes / extentBytes)
        return [
          ...extents.map(([index, bytes]) => change.objectStore('extents').put(bytes, index)),
          change.objectStore('extents').delete(IDBKeyRange.lowerBound(end)),
          change.objectStore('changes').clear(),
        ]
      }),
    close() {
      isClosed = true
      disconnect()
    },
  }
}

/** Whether something of `book` is kept in IndexedDB. Makes nothing. Rejects where there is something that can't be looked into. */
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
    if (isDaybookError(error, 'book-newer') || isDaybookError(error, 'open-elsewhere')) throw error
    // There is none, or none that can be read: then nothing was ever kept there in this browser.
    return false
  }
}

/** Reads everything, and makes `name` the one who may write, if one is given, in one transaction. */
async function take(
  connection: Connection,
  name?: string,
): Promise<KeptPages & Pick<Head, 'serial' | 'writer'>> {
  const change = connection.transaction(stores, 'readwrite', { durability: 'strict' })
  const known = await change.objectStore('head').get('head')
  const writer = name ?? known?.writer ?? ''
  const head = { serial: known?.serial ?? 0, sizeBytes: known?.sizeBytes ?? 0, writer }
  const extents: Uint8Array[] = []
  const changes: PageChange[] = []
  const end = Math.ceil(head.sizeBytes / extentBytes)
  const readExtents = change.objectStore('extents')
  while (extents.length < end) {
    const range = IDBKeyRange.lowerBound(extents.length)
    const some = await readExtents.getAll(range, extentsAtOnce)
    if (some.length === 0)
      throw new DaybookError('storage-failed', 'Parts of the book are missing in IndexedDB.')
    extents.push(...some)
  }
  const stray = await readExtents.count(IDBKeyRange.lowerBound(end))
  const readChanges = change.objectStore('changes')
  // A new book has neither; one without its head would be begun over what it had.
  if (stray > 0 || (!known && (await readChanges.count()) > 0))
    throw new DaybookError('storage-failed', 'Parts of the book are missing in IndexedDB.')
  for (let after = 0; ;) {
    const range = IDBKeyRange.lowerBound(after, true)
    const [keys, some] = await Promise.all([
      readChanges.getAllKeys(range, changesAtOnce),
      readChanges.getAll(range, changesAtOnce),
    ])
    changes.push(...some)
    if (some.length < changesAtOnce) break
    after = keys.at(-1) ?? 0
  }
  if (name !== undefined)
    change
      .objectStore('head')
      .put(head, 'head')
      .catch(() => undefined)
  await change.done
  return { ...head, extents, changes }
}

async function openConnection(
  book: string,
  mayMake: boolean,
  giveWay: () => void,
  lost: () => void,
): Promise<Connection> {
  const late = Promise.withResolvers<never>()
  let isLate = false
  const giveUp = () => {
    isLate = true
    late.reject(
      new DaybookError('open-elsewhere', "Something keeps this book's IndexedDB and does not close it."),
    )
  }
  let timer = setTimeout(giveUp, openMs)
  try {
    const opening = openDB<JournalSchema>(databaseName(book), version, {
      upgrade(fresh, _from, _to, change) {
        // Opening is the only way to ask whether it is there.
        if (!mayMake || isLate) {
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
      // A newer Daybook, or whoever clears this site's data, must not have to wait for this tab.
      blocking: giveWay,
      terminated: lost,
    })
    opening.then(
      (connection) => isLate && connection.close(),
      () => undefined,
    )
    return await Promise.race([opening, late.promise])
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    if (name === 'VersionError')
      throw new DaybookError('book-newer', 'A newer Daybook keeps this book in IndexedDB.', { cause: error })
    // There is no `indexedDB` at all, or this page may not have it. All else may be a book that can't be opened now.
    if (
      ['ReferenceError', 'TypeError', 'SecurityError', 'InvalidStateError', 'NotAllowedError'].includes(name)
    )
      throw new DaybookError('storage-unavailable', 'The browser gives no IndexedDB.', {
        cause: error,
        details: { medium: 'indexeddb', reason: String(error) },
      })
    throw error
  } finally {
    clearTimeout(timer)
  }
}

const full = (cause: unknown) => new DaybookError('storage-full', undefined, { cause })

function failedBy(error: unknown): DaybookError {
  const reason = inWords(error)
  return new DaybookError('storage-failed', `IndexedDB failed (${reason}).`, {
    details: { medium: 'indexeddb', reason },
    cause: error,
  })
}
