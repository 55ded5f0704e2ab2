// The same tabs in WebKit without OPFS: the book lives in IndexedDB, says so, and outlives reloads and its owner.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ownerOf } from './expect-whole.ts'
import { findWebkit, openWebkit, type Webkit, type WebkitTab } from './open-webkit.ts'

const missing = findWebkit()
const isId = /^[0-9a-f-]{36}$/
const newBook = () => `webkit-${crypto.randomUUID().slice(0, 8)}`

let webkit: Webkit | undefined

async function openTab() {
  if (!webkit) throw new Error('WebKit is not open.')
  const tab = await webkit.open()
  return { ...tab, isOwner: async () => (await status(tab)).owner }
}

const open = (tab: WebkitTab, name: string) => tab.evaluate<string>(`tab.open(${JSON.stringify({ name })})`)
const store = (tab: WebkitTab, goal: string) => tab.evaluate<string>(`tab.store(${JSON.stringify(goal)})`)
const goals = (tab: WebkitTab) => tab.evaluate<string[]>('tab.goals()')
const status = (tab: WebkitTab) =>
  tab.evaluate<{ durability: string; owner: boolean; degraded: string[] }>('tab.book.status()')

describe('WebKitGTK, IndexedDB', { timeout: 170_000 }, () => {
  beforeAll(async () => {
    if (missing === undefined) webkit = await openWebkit()
  })
  afterAll(() => webkit?.[Symbol.asyncDispose]())
  beforeEach((test) => {
    if (missing !== undefined) test.skip(missing)
  })

  it('keeps a book where there is no OPFS, and says where', async () => {
    const tab = await openTab()
    const name = newBook()
    expect(await open(tab, name)).toBe('open')
    expect(await status(tab)).toMatchObject({ durability: 'indexeddb', owner: true })
    expect(await store(tab, 'kept')).toMatch(isId)
    await tab.reload()
    expect(await open(tab, name)).toBe('open')
    expect(await goals(tab)).toEqual(['kept'])
    await tab.close()
  })

  it('gives the book to the next tab when its owner is closed or its worker ends', async () => {
    const name = newBook()
    const all = [await openTab(), await openTab(), await openTab()] as const
    for (const tab of all) expect(await open(tab, name)).toBe('open')
    const [first, second, third] = all
    expect((await status(first)).owner).toBe(true)
    for (const [i, tab] of all.entries()) expect(await store(tab, `tab ${i}`)).toMatch(isId)
    await first.close()
    expect(await store(third, 'after the first')).toMatch(isId)
    const { owner, followers } = await ownerOf([second, third])
    await owner.evaluate('tab.terminateWorker()')
    const other = followers[0] as WebkitTab
    expect(await store(other, 'after the second')).toMatch(isId)
    expect((await goals(other)).sort()).toEqual([
      'after the first',
      'after the second',
      'tab 0',
      'tab 1',
      'tab 2',
    ])
    await second.close()
    await third.close()
  })

  it('lets go of the book when its page says that it is hidden and is quiet, and has it again when it is called or seen', async () => {
    const name = newBook()
    const [first, second] = [await openTab(), await openTab()] as const
    for (const tab of [first, second]) expect(await open(tab, name)).toBe('open')
    const isHeld = () =>
      first.evaluate<boolean>(
        `navigator.locks.query().then(({ held }) => held.some(({ name }) => name === 'daybook:${name}:owner'))`,
      )
    // How often it was told to have the book; that what is degraded follows is no other time.
    const turns = (tab: WebkitTab) =>
      tab.evaluate<number>(
        `tab.events.filter(({ name, detail }) => name === 'status' && detail.owner && !detail.degraded).length`,
      )
    expect([(await status(first)).owner, await store(first, 'seen')]).toEqual([
      true,
      expect.stringMatching(isId),
    ])
    // Hidden in the middle of a stream of writes: those are made first.
    await first.evaluate(`tab.stream('streamed', 2)`)
    await first.show(false)
    await first.evaluate('tab.store("hidden")')
    await first.evaluate('tab.stop()')
    const streamed = await first.evaluate<number>('tab.goals().then((goals) => goals.length)')
    await expect.poll(async () => (await status(second)).owner).toBe(true)
    expect((await goals(second)).length).toBe(streamed)
    // On demand it follows, and takes nothing from the tab that is seen.
    expect(await store(first, 'on demand')).toMatch(isId)
    expect((await status(first)).owner).toBe(false)
    await second.show(false)
    // The next in line gets it, is hidden as well, and that is the end of it.
    await expect.poll(() => turns(first)).toBe(1)
    await expect.poll(isHeld).toBe(false)
    expect([await turns(first), await turns(second)]).toEqual([1, 1])
    expect(await store(second, 'by nobody else')).toMatch(isId)
    await expect.poll(isHeld).toBe(false)
    await first.show(true)
    expect((await goals(first)).length).toBe(streamed + 2)
    expect((await status(first)).owner).toBe(true)
    expect([await turns(first), await turns(second)]).toEqual([2, 2])
    expect(await first.evaluate(`tab.events.some(({ name }) => name === 'closed')`)).toBe(false)
    await first.close()
    await second.close()
  })
})
