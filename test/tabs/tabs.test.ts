// Several tabs, one book: whichever of them ends, and however, the others go on and nothing acknowledged is lost.
import { expect, it } from 'vitest'
import { expectOutlived, ownerOf } from './expect-whole.ts'
import { useFreshTabs } from './fresh-tabs.ts'
import { endsOfTab, type Tab } from './open-tabs.ts'

const tabs = useFreshTabs()

const newBook = () => ({ name: `tabs-${crypto.randomUUID().slice(0, 8)}` })

it.each([2, 6])('opens in %d tabs at once: one owner, one book', async (count) => {
  const all = await Promise.all(Array.from({ length: count }, () => tabs.open()))
  const book = newBook()
  expect(await Promise.all(all.map((tab) => tab.open(book)))).toEqual(all.map(() => 'open'))
  await ownerOf(all)
  await Promise.all(all.map((tab, i) => tab.store(`from ${i}`)))
  for (const tab of all) expect((await tab.goals()).sort()).toEqual(all.map((_, i) => `from ${i}`).sort())
})

it.each(endsOfTab)('goes on without losing or doubling a write when the owner ends: %s', async (way) => {
  const book = newBook()
  const all = await Promise.all(Array.from({ length: 3 }, () => tabs.open()))
  for (const tab of all) await tab.open(book)
  await expectOutlived(all, way, tabs.acked, 200)
})

it('keeps the meeting room, and who is in it, when its owner dies', async () => {
  const { name } = newBook()
  const all = await Promise.all(Array.from({ length: 3 }, () => tabs.open()))
  for (const [i, tab] of all.entries()) expect(await tab.open({ name, agent: `agent ${i}` })).toBe('open')
  const { owner, followers } = await ownerOf(all)
  const say = (tab: Tab, text: string) =>
    tab.page.evaluate(async (what) => (await globalThis.tab.book?.room.say({ text: what }))?.number, text)
  const hear = (tab: Tab) =>
    tab.page.evaluate(async () => {
      const heard = await globalThis.tab.book?.room.hearAll({ as: 'nobody' })
      return heard?.messages.map(({ number, text }) => `${number} ${text}`)
    })
  const present = (tab: Tab) =>
    tab.page.evaluate(async () =>
      (await globalThis.tab.book?.room.whoIsHere())?.participants.map(({ id }) => id),
    )
  expect(await say(owner, 'from the owner')).toBe(1)
  expect(await say(followers[0] as Tab, 'from a follower')).toBe(2)
  const last = followers[1] as Tab
  // Its copy of the room is never older than an answer.
  expect(await hear(last)).toHaveLength(2)
  await owner.end('crash')
  expect(await hear(last)).toEqual(['1 from the owner', '2 from a follower'])
  await expect.poll(() => present(last)).toEqual(['agent 1', 'nobody'])
  expect(await say(last, 'from the last')).toBe(3)
  for (const tab of followers) {
    const said = () =>
      tab.page.evaluate(() =>
        globalThis.tab.events.filter(({ name: what }) => what === 'room').map(({ detail }) => detail),
      )
    // It comes on the line of each tab, after or before the answer to who said it.
    await expect.poll(said).toContainEqual(
      expect.objectContaining({
        type: 'said',
        message: expect.objectContaining({ text: 'from the last' }),
      }),
    )
  }
})
