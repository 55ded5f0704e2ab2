// A book that is erased in a real browser: what goes, who is told, and what is left when its worker is ended in the middle.
import { afterEach, expect, it, vi } from 'vitest'
import { openDaybook } from '../../src/index.ts'
import { eraseSteps, markErasing } from '../../src/hosts/browser/storage/erase-book.ts'
import { failure } from '../contract/book-case.ts'
import { makeTrace } from '../support/trace.ts'

let serial = 0
const newName = () => `erase-${Date.now()}-${++serial}`
afterEach(() => {
  vi.unstubAllGlobals()
})

/** Everything of this origin that names the book, wherever it is. */
async function tracesOf(name: string): Promise<string[]> {
  const found: string[] = []
  const walk = async (folder: FileSystemDirectoryHandle, path: string) => {
    for await (const [entry, handle] of folder.entries()) {
      if (entry.includes(name)) found.push(`${path}/${entry}`)
      if (handle.kind === 'directory') await walk(handle as FileSystemDirectoryHandle, `${path}/${entry}`)
    }
  }
  await walk(await navigator.storage.getDirectory(), '')
  for (const { name: database = '', version } of await indexedDB.databases()) {
    if (database.includes(name)) found.push(`database ${database}`)
    if (!database.startsWith('daybook')) continue
    const db = await new Promise<IDBDatabase>((resolve, reject) => {
      const asked = indexedDB.open(database, version)
      asked.onsuccess = () => resolve(asked.result)
      asked.onerror = () => reject(asked.error ?? new Error(database))
    })
    for (const store of db.objectStoreNames) {
      const keys = await new Promise<IDBValidKey[]>((resolve) => {
        const asked = db.transaction(store).objectStore(store).getAllKeys()
        asked.onsuccess = () => resolve(asked.result)
      })
      if (keys.includes(name)) found.push(`${database}.${store}`)
    }
    db.close()
  }
  for (const key of Object.keys(localStorage)) if (key.includes(name)) found.push(`localStorage ${key}`)
  return found
}

const sealed = { passphrase: 'correct horse battery' }
async function write(name: string) {
  const book = await openDaybook({ name, ...sealed })
  await book.tokens.grant({ scope: '**', permissions: ['read'], granted_to: 'x', expires_at: '2099-01-01' })
  for (let i = 0; i < 5; i++) await book.traces.store(makeTrace())
  return book
}

it('leaves nothing on the device that names the book, and tells every tab of it', async () => {
  const name = newName()
  const other = `${name}-2`
  const kept = await write(other)
  const owner = await write(name)
  const follower = await openDaybook({ name })
  expect((await follower.traces.count()).total).toBe(5)
  expect((await tracesOf(name)).length).toBeGreaterThan(4)
  const shown = [owner, follower].map((book) => book.live({ method: 'traces.query' }))
  for (const query of shown) query.subscribe(() => undefined)
  await vi.waitFor(() => {
    expect(shown.map((query) => query.getSnapshot().data?.records.length)).toEqual([5, 5])
  })
  const closed: (string | undefined)[] = []
  const told = [owner, follower].map(
    (book) =>
      new Promise<void>((resolve) =>
        book.on('closed', ({ code }) => {
          closed.push(code)
          resolve()
        }),
      ),
  )
  expect(await follower.erase({ confirm: name })).toEqual({ erased: true, name, mirror: false })
  await Promise.all(told)
  expect(closed).toEqual(['book-erased', 'book-erased'])
  expect(shown.map((query) => query.getSnapshot().data)).toEqual([undefined, undefined])
  for (const book of [owner, follower]) expect((await failure(book.traces.count())).code).toBe('book-erased')
  expect((await tracesOf(name)).filter((text) => !text.includes(other))).toEqual([])
  expect((await kept.traces.count()).total).toBe(5)
  await Promise.all([owner.close(), follower.close(), kept.close()])
  const again = await openDaybook({ name })
  expect((await again.traces.count()).total).toBe(0)
  expect((await again.status()).degraded.filter((text) => text.startsWith('evicted'))).toEqual([])
  await again.erase({ confirm: name })
  await again.close()
})

it.each([false, true])(
  'a page that slept while its book was erased does not create it again (created by another: %s)',
  async (isAgain) => {
    const name = newName()
    const asleep = await write(name)
    // The page notes the book after its first write.
    await vi.waitFor(() => expect(localStorage.getItem(`daybook:${name}:id`)).not.toBeNull())
    const closed = new Promise((resolve) => asleep.on('closed', ({ code }) => resolve(code)))
    document.dispatchEvent(new Event('freeze'))
    const other = await openDaybook({ name })
    await other.erase({ confirm: name })
    await other.close()
    const again = isAgain ? await write(name) : undefined
    document.dispatchEvent(new Event('resume'))
    expect(await closed).toBe('book-erased')
    expect((await failure(asleep.traces.store(makeTrace()))).code).toBe('book-erased')
    await asleep.close()
    expect((await again?.traces.count())?.total).toBe(isAgain ? 5 : undefined)
    await again?.erase({ confirm: name })
    await again?.close()
    expect(await tracesOf(name)).toEqual([])
  },
)

it(
  'an erasure that was cut after any of its steps is finished by the next opening',
  { timeout: 170_000 },
  async () => {
    for (let cut = 0; cut <= eraseSteps.length; cut++) {
      const name = newName()
      await (await write(name)).close()
      await markErasing(name)
      for (const step of eraseSteps.slice(0, cut)) await step(name)
      const book = await openDaybook({ name })
      expect([cut, (await book.traces.count()).total]).toEqual([cut, 0])
      expect((await tracesOf(name)).some((text) => text.includes('erasing'))).toBe(false)
      await book.erase({ confirm: name })
      await book.close()
      expect(await tracesOf(name)).toEqual([])
    }
  },
)

it(
  'a worker that is ended in the middle of it leaves the whole book, or nothing',
  { timeout: 170_000 },
  async () => {
    const workers: Worker[] = []
    const Real = Worker
    vi.stubGlobal(
      'Worker',
      class extends Real {
        constructor(...given: ConstructorParameters<typeof Worker>) {
          super(...given)
          workers.push(this)
        }
      },
    )
    const turn = () =>
      new Promise<void>((resolve) => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => resolve()
        port2.postMessage(0)
      })
    const totals: number[] = []
    for (let turns = 0; turns < 320; turns = turns * 2 + 5) {
      const name = newName()
      const book = await write(name)
      const erasing = book.erase({ confirm: name }).catch(() => undefined)
      for (let i = 0; i < turns; i++) await turn()
      workers.at(-1)?.terminate()
      // The page learns of it by the lock that the worker held.
      await book.close()
      await erasing
      const again = await openDaybook({ name, ...sealed })
      const { total } = await again.traces.count()
      totals.push(total)
      await again.erase({ confirm: name })
      await again.close()
      expect(await tracesOf(name)).toEqual([])
    }
    for (const total of totals) expect([0, 5]).toContain(total)
  },
)
