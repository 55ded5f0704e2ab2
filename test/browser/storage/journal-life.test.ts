// A book where the browser gives no OPFS: where it is kept, and what it outlives.
import { afterEach, expect, it } from 'vitest'
import { openDaybook, type OpenOptions } from '../../../src/index.ts'
import type { Daybook } from '../../../src/book/daybook.ts'
import { failure } from '../../contract/book-case.ts'
import { makeTrace } from '../../support/trace.ts'
import { type Lack, takeAway } from './take-away.ts'

const books: Daybook[] = []
let started = takeAway('opfs')
afterEach(async () => {
  for (const book of books.splice(0)) await book.close()
  started.giveBack()
  started = takeAway('opfs')
})
const now = (...lacks: Lack[]) => {
  started.giveBack()
  started = takeAway(...lacks)
}
const newName = () => `kept-${crypto.randomUUID()}`
const open = async (options: Partial<OpenOptions> = {}) => {
  const book = await openDaybook({ name: newName(), ...options })
  books.push(book)
  return book
}

it('is kept in IndexedDB, and says so and why', async () => {
  const book = await open({ require: 'durable' })
  const { id, durability } = await book.traces.store(makeTrace())
  expect(durability).toBe('indexeddb')
  const status = await book.status()
  expect(status).toMatchObject({ durability: 'indexeddb', owner: true })
  expect(status.degraded).toEqual([expect.stringContaining('SecurityError')])
  expect(await book.traces.get({ id })).not.toBeNull()
})

it.each(['handles', 'files'] as const)(
  'also where the browser has a file system without %s',
  async (lack) => {
    now(lack)
    const book = await open()
    expect((await book.traces.store(makeTrace())).durability).toBe('indexeddb')
  },
)

it('stays in IndexedDB when OPFS can be had later, and says so', async () => {
  const name = newName()
  const first = await open({ name })
  const { id } = await first.traces.store(makeTrace())
  await first.close()
  now()
  const again = await open({ name })
  expect(await again.traces.get({ id })).not.toBeNull()
  expect((await again.status()).degraded).toEqual([expect.stringContaining('was created in IndexedDB')])
})

it.each(['is closed', 'dies'] as const)(
  'does not begin a book anew that is in OPFS while that is gone, however soon its tab %s',
  async (end) => {
    now()
    const name = newName()
    const first = await openDaybook({ name })
    const stored = first.traces.store(makeTrace())
    if (end === 'dies') started.workers.at(-1)?.terminate()
    const acknowledged = await stored.then(
      ({ id }) => id,
      () => undefined,
    )
    await first.close()
    now('opfs')
    const error = await failure(open({ name }))
    expect(error).toMatchObject({
      code: 'storage-unavailable',
      message: expect.stringContaining('This book is in it'),
    })
    const draft = await open({ name, onUnavailable: 'memory' })
    expect((await draft.status()).degraded).toEqual([expect.stringContaining('This book is in it')])
    await draft.close()
    now()
    const { records } = await (await open({ name })).traces.query({})
    expect(records.map(({ id }) => id)).toEqual(acknowledged === undefined ? [] : [acknowledged])
  },
)

it('begins nothing elsewhere when only the files of this book cannot be opened', async () => {
  now()
  const name = newName()
  const first = await open({ name })
  const { id } = await first.traces.store(makeTrace())
  await first.close()
  now('pool')
  for (const options of [{ name }, { name: newName() }, { name, onUnavailable: 'memory' }] as const) {
    const error = await failure(open(options))
    expect(error).toMatchObject({ code: 'storage-failed', message: expect.stringContaining('Not this one') })
  }
  const databases = await indexedDB.databases()
  expect(databases.map((one) => one.name)).not.toContain(`daybook-book-${name}`)
  now()
  expect(await (await open({ name })).traces.get({ id })).not.toBeNull()
})

it('does not begin a book in OPFS that a newer Daybook keeps in IndexedDB', async () => {
  now()
  const name = newName()
  await new Promise((resolve, reject) => {
    const request = indexedDB.open(`daybook-book-${name}`, 99)
    request.onsuccess = () => resolve(request.result.close())
    request.onerror = reject
  })
  expect((await failure(open({ name }))).code).toBe('book-newer')
})

it('begins none in OPFS while IndexedDB, where it may be, cannot be read; one in OPFS needs no IndexedDB', async () => {
  const name = newName()
  const first = await open({ name })
  const { id } = await first.traces.store(makeTrace())
  await first.close()
  now('journal')
  for (const options of [{ name }, { name, onUnavailable: 'memory' }] as const)
    expect(await failure(open(options))).toMatchObject({
      code: 'storage-failed',
      message: expect.stringMatching(/UnknownError.*reload/),
    })
  now()
  const again = await open({ name })
  expect(await again.traces.get({ id })).not.toBeNull()
  const inFiles = newName()
  const second = await open({ name: inFiles })
  const stored = await second.traces.store(makeTrace())
  expect(stored.durability).not.toBe('indexeddb')
  await second.close()
  now('journal')
  expect(await (await open({ name: inFiles })).traces.get({ id: stored.id })).not.toBeNull()
})

it('says that a write was not kept when its data was cleared meanwhile, and that the book was there before', async () => {
  const name = newName()
  const book = await open({ name })
  await book.traces.store(makeTrace())
  await new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(`daybook-book-${name}`)
    request.onsuccess = resolve
    request.onerror = reject
  })
  expect((await failure(book.traces.store(makeTrace()))).code).toBe('storage-failed')
  const { id } = await book.traces.store(makeTrace())
  expect((await book.status()).degraded.join()).toContain('evicted')
  await book.close()
  const { records } = await (await open({ name })).traces.query({})
  expect(records.map((record) => record.id)).toEqual([id])
})

it('rejects where there is no IndexedDB either, or goes on in memory when that was agreed to', async () => {
  now('opfs', 'indexeddb')
  const error = await failure(open())
  expect(error).toMatchObject({ code: 'storage-unavailable' })
  expect(error.details).toMatchObject({ opfs: expect.stringContaining('SecurityError') })
  const book = await open({ onUnavailable: 'memory' })
  expect((await book.traces.store(makeTrace())).durability).toBe('memory')
  expect((await book.status()).degraded).toEqual([expect.stringMatching(/^memory: .*SecurityError/)])
})

it('serves a second opener, and hands the book over to it', async () => {
  const name = newName()
  const first = await open({ name, agent: 'first' })
  const mine = await first.traces.store(makeTrace())
  const second = await open({ name, agent: 'second' })
  const theirs = await second.traces.store(makeTrace())
  expect((await first.traces.get({ id: theirs.id }))?.agent).toBe('second')
  expect(await second.status()).toMatchObject({ owner: false, durability: 'indexeddb' })
  const told = new Promise<unknown>((resolve) => second.on('status', (now) => now.owner && resolve(now)))
  const last = Promise.allSettled(Array.from({ length: 20 }, () => first.traces.store(makeTrace())))
  await first.close()
  expect(await told).toMatchObject({ owner: true, durability: 'indexeddb' })
  const acknowledged = (await last).flatMap((one) => (one.status === 'fulfilled' ? [one.value.id] : []))
  for (const id of acknowledged) expect(await second.traces.get({ id })).not.toBeNull()
  expect((await second.traces.get({ id: mine.id }))?.agent).toBe('first')
})

it('keeps every acknowledged trace when the worker is killed in the middle of a stream of writes', async () => {
  const name = newName()
  const book = await open({ name })
  const acknowledged: string[] = []
  const writing = Promise.all(
    [1, 2, 3, 4].map(async () => {
      for (;;) acknowledged.push((await book.traces.store(makeTrace())).id)
    }),
  ).catch(() => undefined)
  while (acknowledged.length < 200) await book.status()
  started.workers.at(-1)?.terminate()
  await writing
  const again = await open({ name })
  const kept = await Promise.all(acknowledged.map((id) => again.traces.get({ id })))
  expect(kept.filter((trace) => trace === null)).toEqual([])
  expect((await again.recall({ text: 'recursion', limit: 1 })).hits).toHaveLength(1)
})

it('takes what was purged out of IndexedDB too', async () => {
  const name = newName()
  const book = await open({ name })
  const { id } = await book.traces.store(makeTrace({ task: { goal: 'Xylophone', constraints: [] } }))
  for (let i = 0; i < 30; i++) await book.traces.store(makeTrace())
  expect(await stored(name)).toContain('Xylophone')
  await book.records.purge({ id })
  expect(await stored(name)).not.toContain('Xylophone')
})

/** All bytes of a book in IndexedDB, as text. */
async function stored(name: string): Promise<string> {
  const request = indexedDB.open(`daybook-book-${name}`)
  const db = await new Promise<IDBDatabase>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = reject
  })
  const all = (store: string) =>
    new Promise<unknown[]>((resolve, reject) => {
      const values = db.transaction(store).objectStore(store).getAll()
      values.onsuccess = () => resolve(values.result as unknown[])
      values.onerror = reject
    })
  const extents = (await all('extents')) as Uint8Array<ArrayBuffer>[]
  const changes = (await all('changes')) as { bytes: Uint8Array<ArrayBuffer> }[]
  db.close()
  const decoder = new TextDecoder('latin1')
  return [...extents, ...changes.map(({ bytes }) => bytes)].map((bytes) => decoder.decode(bytes)).join('')
}
