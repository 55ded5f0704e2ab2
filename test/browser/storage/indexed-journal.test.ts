// The journal on real IndexedDB, with connections that are lost.
import { afterEach, expect, it, vi } from 'vitest'
import { pageBytes, type PageChange } from '../../../src/core/journal.ts'
import { hasIndexedJournal, openIndexedJournal } from '../../../src/hosts/browser/storage/indexed-journal.ts'
import { failure } from '../../contract/book-case.ts'
import { journalContract } from '../../contract/port/journal.ts'

const run = crypto.randomUUID().slice(0, 8)
let serial = 0
const newBook = () => `lost-${run}-${++serial}`

journalContract('IndexedDB, Chromium', (book) => openIndexedJournal(`${book}-${run}`))

const connections: IDBDatabase[] = []
const { open } = IDBFactory.prototype
/** What every opening asks for, and hears that it has to wait. */
let later: { readonly version: number; blocked(): void } | undefined
IDBFactory.prototype.open = function (name, version) {
  const request = open.call(this, name, later?.version ?? version)
  request.addEventListener('success', () => connections.push(request.result))
  if (later) request.addEventListener('blocked', later.blocked)
  return request
}
const { addEventListener } = IDBTransaction.prototype
afterEach(() => {
  IDBTransaction.prototype.addEventListener = addEventListener
  later = undefined
  vi.useRealTimers()
})

const change = (number: number): PageChange => ({
  sizeBytes: (number + 1) * pageBytes,
  numbers: [number],
  bytes: new Uint8Array(pageBytes).fill(number),
})

async function numbersOf(book: string): Promise<(number | undefined)[]> {
  const journal = await openIndexedJournal(book)
  journal.close()
  return journal.takeStored().changes.map(({ numbers }) => numbers[0])
}

it('makes a connection anew that was closed behind its back', async () => {
  const book = newBook()
  const journal = await openIndexedJournal(book)
  await journal.append(change(0))
  connections.at(-1)?.close()
  await journal.append(change(1))
  connections.at(-1)?.close()
  await journal.snapshot({ sizeBytes: pageBytes, extents: [[0, change(7).bytes]] })
  await journal.append(change(2))
  journal.close()
  expect(await numbersOf(book)).toEqual([2])
})

/** The next transaction arrives, and its maker is told that it was aborted. */
function loseNextAnswer(): void {
  const lost = new Set<IDBTransaction>()
  IDBTransaction.prototype.addEventListener = function (
    this: IDBTransaction,
    type: string,
    ...rest: [EventListener]
  ) {
    if (lost.size === 0) lost.add(this)
    const told = !lost.has(this) || type === 'error' ? type : type === 'abort' ? 'complete' : 'never'
    addEventListener.call(this, told, ...rest)
  }
}

it('knows what had arrived when the answer was lost, and keeps it once', async () => {
  const book = newBook()
  const journal = await openIndexedJournal(book)
  await journal.append(change(0))
  loseNextAnswer()
  await journal.append(change(1))
  await journal.append(change(2))
  journal.close()
  expect(await numbersOf(book)).toEqual([0, 1, 2])
})

it('makes way for who takes the database out, and does not begin a new one in its place', async () => {
  const book = newBook()
  const journal = await openIndexedJournal(book)
  await journal.append(change(0))
  await remove(book, () => undefined)
  expect((await failure(journal.append(change(1)))).code).toBe('storage-failed')
  expect(await hasIndexedJournal(book)).toBe(false)
})

it('does not open what a newer Daybook keeps there', async () => {
  const book = newBook()
  await new Promise((resolve, reject) => {
    const request = indexedDB.open(`daybook-book-${book}`, 99)
    request.onsuccess = () => resolve(request.result.close())
    request.onerror = reject
  })
  expect((await failure(openIndexedJournal(book))).code).toBe('book-newer')
  // Or a new one would be begun in OPFS.
  expect((await failure(hasIndexedJournal(book))).code).toBe('book-newer')
})

/** Opens the book's database as something does that never gives way, and answers how to end that. */
async function hold(book: string): Promise<() => void> {
  const request = open.call(indexedDB, `daybook-book-${book}`, 1)
  await new Promise((resolve, reject) => {
    request.onsuccess = resolve
    request.onerror = reject
  })
  return () => request.result.close()
}

/** Deletes the book's database; `blocked` is called when that has to wait. */
function remove(book: string, blocked: () => void): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(`daybook-book-${book}`)
    request.onblocked = blocked
    request.onsuccess = resolve
    request.onerror = reject
  })
}

/** What becomes of `work` within so many milliseconds, told by a clock that the test turns. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<string> {
  let code = 'waits'
  void work.then(
    () => (code = 'done'),
    (error: { code: string }) => (code = error.code),
  )
  await vi.advanceTimersByTimeAsync(milliseconds)
  return code
}

it('does not wait for ever for an earlier Daybook that keeps the database open', async () => {
  const book = newBook()
  const release = await hold(book)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const blocked = new Promise<void>((resolve) => (later = { version: 2, blocked: resolve }))
  const opening = openIndexedJournal(book)
  await blocked
  expect(await within(2999, opening)).toBe('waits')
  expect(await within(1, opening)).toBe('open-elsewhere')
  release()
  const journal = await openIndexedJournal(book)
  await journal.append(change(0))
  journal.close()
  expect(await numbersOf(book)).toEqual([0])
})

it('does not wait for ever behind a deletion that has to wait, and takes nothing for a new book meanwhile', async () => {
  const book = newBook()
  const journal = await openIndexedJournal(book)
  await journal.append(change(0))
  journal.close()
  const release = await hold(book)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let removed: Promise<unknown> | undefined
  await new Promise<void>((resolve) => (removed = remove(book, resolve)))
  const opening = openIndexedJournal(book)
  const looking = hasIndexedJournal(book)
  expect(await within(14_999, Promise.race([opening, looking]))).toBe('waits')
  expect(await within(1, opening)).toBe('open-elsewhere')
  expect(await within(0, looking)).toBe('open-elsewhere')
  release()
  await removed
  expect(await numbersOf(book)).toEqual([])
})

it('lets go of a connection that came too late', async () => {
  const book = newBook()
  const journal = await openIndexedJournal(book)
  journal.close()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const opening = failure(openIndexedJournal(book))
  vi.advanceTimersByTime(15_000)
  expect((await opening).code).toBe('open-elsewhere')
  const outcome = await new Promise((resolve) => {
    remove(book, () => resolve('has to wait')).then(() => resolve('removed'), resolve)
  })
  expect(outcome).toBe('removed')
})

it('is found only where something is kept', async () => {
  const book = newBook()
  expect(await hasIndexedJournal(book)).toBe(false)
  const journal = await openIndexedJournal(book)
  expect(await hasIndexedJournal(book)).toBe(false)
  await journal.append(change(0))
  expect(await hasIndexedJournal(book)).toBe(true)
  journal.close()
})

it.each(['snapshot', 'append'] as const)(
  'begins no book over one whose head is gone, after its first %s, and leaves what there is',
  async (how) => {
    const book = newBook()
    const journal = await openIndexedJournal(book)
    if (how === 'append') await journal.append(change(0))
    else await journal.snapshot({ sizeBytes: pageBytes, extents: [[0, change(7).bytes]] })
    const removed = Promise.withResolvers<void>()
    const work = connections.at(-1)?.transaction('head', 'readwrite')
    work?.objectStore('head').clear()
    work?.addEventListener('complete', () => removed.resolve())
    await removed.promise
    journal.close()
    for (let i = 0; i < 2; i++)
      expect(await failure(openIndexedJournal(book))).toMatchObject({
        code: 'storage-failed',
        message: expect.stringContaining('Parts of the book are missing'),
      })
  },
)
