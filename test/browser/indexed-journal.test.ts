// The journal on real IndexedDB, with connections that are lost.
import { afterEach, expect, it } from 'vitest'
import { pageBytes, type PageChange } from '../../src/core/journal.ts'
import { hasIndexedJournal, openIndexedJournal } from '../../src/hosts/browser/indexed-journal.ts'
import { failure } from '../contract/book-case.ts'
import { journalContract } from '../contract/journal.ts'

const run = crypto.randomUUID().slice(0, 8)
let serial = 0
const newBook = () => `lost-${run}-${++serial}`

journalContract('IndexedDB, Chromium', (book) => openIndexedJournal(`${book}-${run}`))

const connections: IDBDatabase[] = []
const { open } = IDBFactory.prototype
IDBFactory.prototype.open = function (...args) {
  const request = open.apply(this, args)
  request.addEventListener('success', () => connections.push(request.result))
  return request
}
const { addEventListener } = IDBTransaction.prototype
afterEach(() => {
  IDBTransaction.prototype.addEventListener = addEventListener
})

const change = (number: number): PageChange => ({
  sizeBytes: (number + 1) * pageBytes,
  numbers: [number],
  bytes: new Uint8Array(pageBytes).fill(number),
})

async function numbersOf(book: string): Promise<(number | undefined)[]> {
  const journal = await openIndexedJournal(book)
  journal.close()
  return journal.takeKept().changes.map(({ numbers }) => numbers[0])
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
  await new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(`daybook-book-${book}`)
    request.onsuccess = resolve
    request.onerror = reject
  })
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
