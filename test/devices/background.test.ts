// Sending with no page open: a real service worker, a real edge, and the event fired as the browser fires it.
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  askMirror,
  closeWithWorker,
  type Device,
  holdServiceWorker,
  newBook,
  openDevice,
  trace,
} from './open-device.ts'

let device: Device
beforeAll(async () => {
  device = await openDevice()
})
afterAll(() => device[Symbol.asyncDispose]())

const withKey = { background: { key: 'development' } }
type Page = Awaited<ReturnType<Device['open']>>
type SyncRegistration = ServiceWorkerRegistration & { sync: { register(tag: string): Promise<void> } }

declare global {
  var askedTags: string[] | undefined
}

const store = (page: Page, goals: readonly string[]) =>
  page.evaluate(
    async (traces) => (await globalThis.book?.traces.storeMany({ traces }))?.ids ?? [],
    goals.map(trace),
  )
const syncState = (page: Page) => page.evaluate(async () => (await globalThis.book?.status())?.sync)
const background = async (page: Page) => (await syncState(page))?.background
const goalsAtMirror = async (book: string) => {
  const { records = [] } = (await askMirror(book, 'kstar:query_traces', { limit: 1000 })) as {
    records?: { ver: number; task: { goal: string } }[]
  }
  return records.map(({ ver, task }) => `${task.goal} v${ver}`).sort()
}
/**
 * Notes what the page asks the browser for from now on. The browser fires the event as soon as it is asked, and forgets the
 * tag when the service worker is done, so that its own list of tags may be empty at any time.
 */
const noteTags = (page: Page) =>
  page.evaluate(async () => {
    const { sync } = (await navigator.serviceWorker.ready) as SyncRegistration
    const { register } = sync
    globalThis.askedTags = []
    sync.register = (tag) => {
      globalThis.askedTags?.push(tag)
      return register.call(sync, tag)
    }
  })
const tags = (page: Page) => page.evaluate(() => [...new Set(globalThis.askedTags)])
/** Closes the book, and looks what lies there before the service worker can: the browser may fire the event at any time. */
const spilledByClosing = async (page: Page, book: string) => {
  const free = await page.evaluateHandle(async () => {
    const held = Promise.withResolvers<() => void>()
    void navigator.locks.request(
      'daybook:spill',
      () => new Promise<void>((resolve) => held.resolve(() => resolve())),
    )
    return held.promise
  })
  await page.evaluate(() => globalThis.book?.close())
  const entries = await spilled(page, book)
  await free.evaluate((release) => release())
  return entries
}
/** What lies in IndexedDB for the service worker. */
const spilled = (page: Page, book: string) =>
  page.evaluate(
    (name) =>
      new Promise<{ key?: string; requests: string[]; answers: string[] }[]>((resolve, reject) => {
        const opening = indexedDB.open('daybook-spill', 1)
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const all = opening.result.transaction('entries').objectStore('entries').getAll()
          all.onsuccess = () => {
            opening.result.close()
            resolve(all.result.filter((entry) => entry.book === name))
          }
        }
      }),
    book,
  )

it('sends what was written offline when every page is closed, and the book takes the answers over', async () => {
  const book = newBook()
  const first = await device.open(book, withKey)
  await expect.poll(() => background(first)).toBe('ready')
  await first.evaluate(() => globalThis.book?.sync())
  device.network.set('cut')
  await store(first, ['one', 'two'])
  await expect.poll(() => background(first)).toBe('handed')
  await store(first, ['three'])
  await expect.poll(async () => (await spilled(first, book))[0]?.requests.join('')).toContain('three')
  await using worker = await holdServiceWorker(device)
  const second = await device.visit()
  await closeWithWorker(first, book, second)
  expect(await goalsAtMirror(book)).toEqual([])

  // Fired too early, it leaves all as it is.
  await worker.sync('daybook')
  device.network.set('whole')
  await worker.sync('another tag')
  await worker.sync('daybook')
  await expect.poll(() => goalsAtMirror(book)).toEqual(['one v1', 'three v1', 'two v1'])
  // It has no use for the key any more.
  await expect
    .poll(() => spilled(second, book))
    .toMatchObject([{ requests: [expect.any(String)], answers: [expect.any(String)] }])
  await expect.poll(async () => (await spilled(second, book))[0]?.key).toBeUndefined()
  await worker.sync('daybook')

  device.network.set('cut')
  await device.open(book, withKey, second)
  await expect.poll(async () => (await syncState(second))?.pending).toBe(0)
  await expect.poll(() => spilled(second, book)).toEqual([])
  device.network.set('whole')
  const pushes = device.network.pushes.length
  expect(await second.evaluate(() => globalThis.book?.sync())).toEqual({ pulled: 0, pushed: 0, conflicts: 0 })
  expect(device.network.pushes).toHaveLength(pushes)
  expect(await goalsAtMirror(book)).toEqual(['one v1', 'three v1', 'two v1'])
  await second.close()
})

it('keeps what was refused to the book, and forgets the key that was refused', async () => {
  const book = newBook()
  const page = await device.open(book, { background: { key: 'not-the-key' } })
  await expect.poll(() => background(page)).toBe('ready')
  device.network.set('cut')
  await store(page, ['one'])
  await expect.poll(() => background(page)).toBe('handed')
  await using worker = await holdServiceWorker(device)
  // Its own key is a good one.
  const next = await device.visit()
  await closeWithWorker(page, book, next)
  device.network.set('whole')
  await worker.sync('daybook')
  await expect.poll(() => spilled(next, book)).toEqual([])
  expect(await goalsAtMirror(book)).toEqual([])
  await device.open(book, {}, next)
  await next.evaluate(() => globalThis.book?.sync())
  expect(await goalsAtMirror(book)).toEqual(['one v1'])
  await next.close()
})

it('hands over what waits when the page is put out of sight, and sends it while it is there', async () => {
  const book = newBook()
  const page = await device.open(book, { ...withKey, triggers: { periodic: { interval: '1d' } } })
  await expect.poll(() => background(page)).toBe('ready')
  await store(page, ['one'])
  expect(await spilled(page, book)).toEqual([])
  await noteTags(page)
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  // The browser is asked for the event, and the page sends nothing itself: it syncs once a day.
  await expect.poll(() => tags(page)).toEqual(['daybook'])
  await expect.poll(() => background(page)).toBe('handed')
  await using worker = await holdServiceWorker(device)
  await worker.sync('daybook')
  await expect.poll(() => goalsAtMirror(book)).toEqual(['one v1'])
  expect(await page.evaluate(() => globalThis.book?.sync())).toEqual({ pulled: 0, pushed: 1, conflicts: 0 })
  await expect.poll(() => spilled(page, book)).toEqual([])
  await page.close()
})

it('hands over what waits when the book is closed, and says where nobody would send it', async () => {
  const book = newBook()
  const offline = { triggers: { periodic: { interval: '1d' } } } as const
  const page = await device.open(book, { ...offline, ...withKey })
  await expect.poll(() => background(page)).toBe('ready')
  await store(page, ['one'])
  device.network.set('cut')
  expect(await spilledByClosing(page, book)).toMatchObject([
    { key: 'development', requests: [expect.any(String)] },
  ])
  // Not asked for: the book takes what lies there for its own, and leaves nothing.
  await device.open(book, { ...offline, background: true }, page)
  await expect.poll(() => spilled(page, book)).toEqual([])
  await store(page, ['two'])
  expect(await spilledByClosing(page, book)).toEqual([
    expect.not.objectContaining({ key: expect.anything() }),
  ])
  await page.close()
  device.network.set('whole')
})

it('without a service worker nothing is handed over, and the status says so', async () => {
  const other = await openDevice()
  try {
    const book = newBook()
    const page = await other.open(book, withKey, await other.visit({ plain: true }))
    expect(await background(page)).toBe('missing')
    other.network.set('cut')
    await store(page, ['one'])
    await expect.poll(async () => (await syncState(page))?.phase).toBe('offline')
    await page.evaluate(() => globalThis.book?.close())
    const databases = await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))
    expect(databases.includes('daybook-spill') ? await spilled(page, book) : []).toEqual([])
    await expect(other.open(newBook(), { background: { key: 'not a key' } })).rejects.toThrow(
      'sync.background.key',
    )
  } finally {
    await other[Symbol.asyncDispose]()
  }
})
