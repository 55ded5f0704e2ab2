// The same tabs in Firefox: its OPFS, its Web Locks, its way to end a page, and its private windows, which have no OPFS.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectWhole, ownerOf } from './expect-whole.ts'
import { findFirefox, type FirefoxTabs, openFirefox } from './open-firefox.ts'
import type { PageTab } from './page-tab.ts'

const missing = findFirefox()
const isId = /^[0-9a-f-]{36}$/
const newBook = () => ({ name: `firefox-${crypto.randomUUID().slice(0, 8)}` })

const acked = new Set<string>()
let tabs: FirefoxTabs | undefined

async function openTab(): Promise<PageTab> {
  if (!tabs) throw new Error('Firefox is not open.')
  return tabs.open()
}

const stream = (tab: PageTab, prefix: string) =>
  tab.page.evaluate((name) => globalThis.tab.stream(name, 2), prefix)

describe('Firefox ESR, OPFS', () => {
  beforeAll(async () => {
    if (missing === undefined) tabs = await openFirefox({ onAck: (key) => acked.add(key) })
  })
  afterAll(() => tabs?.[Symbol.asyncDispose]())
  beforeEach((test) => {
    if (missing !== undefined) test.skip(missing)
    acked.clear()
  })

  it.each(['close', 'worker'] as const)(
    'goes on when the owner ends in the middle of writes: %s',
    async (way) => {
      const book = newBook()
      const all = [await openTab(), await openTab(), await openTab()] as const
      for (const tab of all) expect(await tab.open(book)).toBe('open')
      const [owner, ...followers] = all
      expect(await owner.isOwner()).toBe(true)
      expect(await owner.status()).toMatchObject({ durability: 'opfs' })
      for (const [i, tab] of all.entries()) await stream(tab, `tab ${i}`)
      await expect.poll(() => acked.size).toBeGreaterThan(100)
      if (way === 'close') await owner.page.close()
      else await owner.page.evaluate(() => globalThis.tab.terminateWorker())
      const before = acked.size
      await expect.poll(() => acked.size).toBeGreaterThan(before + 100)
      for (const tab of followers) await tab.page.evaluate(() => globalThis.tab.stop())
      await ownerOf(followers)
      for (const tab of followers) expectWhole(await tab.goals(), acked)
    },
  )

  it('outlives a storm of reloads: each finds the handles of the page before it', async () => {
    const book = newBook()
    const [tab, other] = [await openTab(), await openTab()]
    for (let round = 0; round < 8; round++) {
      // The reload takes the page away in the middle of its writes, or of its opening.
      const opening = tab.open(book).catch(() => 'gone')
      if (round % 2 === 0) {
        expect(await opening).toBe('open')
        await stream(tab, `round ${round}`)
        const before = acked.size
        await expect.poll(() => acked.size).toBeGreaterThan(before + 20)
      }
      await tab.page.reload()
      await tab.page.waitForFunction(() => 'tab' in globalThis)
    }
    expect(await other.open(book)).toBe('open')
    expect(await tab.open(book)).toBe('open')
    expect(await tab.store('after the storm')).toMatch(isId)
    expectWhole(await other.goals(), acked)
  })
})

describe('Firefox ESR, private window', () => {
  beforeEach((test) => {
    if (missing !== undefined) test.skip(missing)
    acked.clear()
  })

  it('keeps the book in IndexedDB, where a private window gives no OPFS, for as long as it is open', async () => {
    await using windows = await openFirefox({ isPrivate: true, onAck: (key) => acked.add(key) })
    const book = newBook()
    const [owner, follower] = [await windows.open(), await windows.open()]
    for (const tab of [owner, follower]) expect(await tab.open(book)).toBe('open')
    expect(await owner.status()).toMatchObject({ durability: 'indexeddb', owner: true })
    expect(await follower.status()).toMatchObject({ durability: 'indexeddb', owner: false })
    await stream(owner, 'owner')
    await stream(follower, 'follower')
    await expect.poll(() => acked.size).toBeGreaterThan(100)
    await owner.page.close()
    const before = acked.size
    await expect.poll(() => acked.size).toBeGreaterThan(before + 50)
    await follower.page.evaluate(() => globalThis.tab.stop())
    expectWhole(await follower.goals(), acked)
    await follower.page.reload()
    await follower.page.waitForFunction(() => 'tab' in globalThis)
    expect(await follower.open(book)).toBe('open')
    expectWhole(await follower.goals(), acked)
  })
})
