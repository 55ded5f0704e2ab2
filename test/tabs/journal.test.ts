// Several tabs where the browser gives no OPFS: the book is in IndexedDB, and outlives its owner there too.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { expectOutlived, expectWhole } from './expect-whole.ts'
import { fill, setQuota, takeRoom } from './full-storage.ts'
import { openTabs, type Tabs } from './open-tabs.ts'

let tabs: Tabs
const acked = new Set<string>()
beforeEach(async () => {
  acked.clear()
  tabs = await openTabs({ onAck: (key) => acked.add(key), without: ['opfs'] })
})
afterEach(() => tabs[Symbol.asyncDispose]())

const newBook = () => ({ name: `journal-${crypto.randomUUID().slice(0, 8)}` })

it.each(['kill', 'worker'] as const)(
  'goes on without losing or doubling a write when the owner ends: %s',
  async (way) => {
    const book = newBook()
    const all = await Promise.all([tabs.open(), tabs.open(), tabs.open()])
    for (const tab of all) expect(await tab.open(book)).toBe('open')
    expect(await all[0]?.status()).toMatchObject({ durability: 'indexeddb' })
    await expectOutlived(all, way, acked, 100)
  },
)

it('keeps what was acknowledged when its only tab is killed in the middle of a stream of writes', async () => {
  const book = newBook()
  const tab = await tabs.open()
  await tab.open(book)
  await tab.pid()
  await tab.page.evaluate(() => globalThis.tab.stream('alone', 4))
  await expect.poll(() => acked.size).toBeGreaterThan(200)
  await tab.end('kill')
  const next = await tabs.open()
  expect(await next.open(book)).toBe('open')
  expect(await next.status()).toMatchObject({ durability: 'indexeddb', owner: true })
  expectWhole(await next.goals(), acked)
})

it('is put back to what was kept when the browser takes nothing more, can be read, and goes on with more room', async () => {
  const book = newBook()
  const tab = await tabs.open()
  await setQuota(tab, 30_000_000)
  expect(await tab.open(book)).toBe('open')
  await tab.store('first')
  await takeRoom(tab, 26_000_000)
  const { ids, code } = await fill(tab, 30)
  expect(code).toBe('storage-full')
  const goals = async () => (await tab.goals()).sort()
  const before = await goals()
  expect(before).toHaveLength(ids.length + 1)
  // A record that was refused is not there, and is not there later either.
  const { ids: later, code: laterCode } = await fill(tab, 30)
  expect(laterCode).toBe('storage-full')
  const full = [...before, ...later.map((_, i) => `large ${i}`)].sort()
  expect(await goals()).toEqual(full)
  expect(await tab.status()).toMatchObject({ durability: 'indexeddb', owner: true })
  await setQuota(tab)
  expect(await tab.store('after')).toMatch(/^[0-9a-f-]{36}$/)
  const next = await tabs.open()
  expect(await next.open(book)).toBe('open')
  await tab.end('close')
  expect((await next.goals()).sort()).toEqual([...full, 'after'].sort())
})
