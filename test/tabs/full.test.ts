// A storage that is full, of which Chromium tells nothing beforehand: what was acknowledged is there, what was refused is
// not, forgetting makes room, and the next owner has all of it.
import { expect, it } from 'vitest'
import { fill, setQuota } from './full-storage.ts'
import { openTabs } from './open-tabs.ts'

it('says storage-full to every tab, loses nothing and keeps nothing that it refused, and goes on with more room', async () => {
  await using tabs = await openTabs()
  const book = { name: `full-${crypto.randomUUID().slice(0, 8)}`, checkpoint: false }
  const [owner, follower] = [await tabs.open(), await tabs.open()] as const
  // Each of the pool's files is given a mebibyte as soon as it has a byte.
  await setQuota(follower, 8_000_000)
  expect(await owner.open(book)).toBe('storage-full')
  await setQuota(follower, 24_000_000)
  for (const tab of [owner, follower]) expect(await tab.open(book)).toBe('open')
  const { ids, code } = await fill(owner, 60, 'ordinary')
  expect(code).toBe('storage-full')
  expect(ids.length).toBeGreaterThan(5)
  // Indexing a record takes more room at some times than at others: a smaller need may still fit.
  const { ids: later, code: laterCode } = await fill(follower, 60, 'ordinary')
  expect(laterCode).toBe('storage-full')
  expect(later.length).toBeLessThan(ids.length)
  const goals = [ids, later].flatMap((stored) => stored.map((_, i) => `large ${i}`)).sort()
  for (const tab of [owner, follower]) expect((await tab.goals()).sort()).toEqual(goals)
  expect(await owner.status()).toMatchObject({ durability: 'opfs', owner: true })

  await owner.page.evaluate(
    async (gone) => {
      for (const id of gone) await globalThis.tab.book?.records.purge({ id })
    },
    ids.slice(0, ids.length >> 1),
  )
  expect((await fill(owner, 1, 'ordinary')).code).toBeUndefined()
  expect((await fill(follower, 60, 'ordinary')).code).toBe('storage-full')

  // The next owner opens it full as it is.
  const before = (await owner.goals()).sort()
  await owner.end('crash')
  expect((await follower.goals()).sort()).toEqual(before)
  expect(await follower.status()).toMatchObject({ durability: 'opfs', owner: true })
  const { ids: last, code: lastCode } = await fill(follower, 60, 'ordinary')
  expect(lastCode).toBe('storage-full')
  expect(last.length).toBeLessThan(ids.length)
  await setQuota(follower, 60_000_000)
  expect((await fill(follower, 3, 'ordinary')).code).toBeUndefined()
  expect(await follower.goals()).toHaveLength(before.length + last.length + 3)
})

it('gives up the copy beside the book when it is full, and has that room too', async () => {
  await using tabs = await openTabs()
  const book = { name: `copied-${crypto.randomUUID().slice(0, 8)}` }
  const owner = await tabs.open()
  expect(await owner.open(book)).toBe('open')
  const { ids: first } = await fill(owner, 12, 'ordinary')
  await expect.poll(async () => (await owner.status())?.checkpointAt).toBeDefined()
  await setQuota(owner, 30_000_000)
  const { ids, code } = await fill(owner, 200, 'ordinary')
  expect(code).toBe('storage-full')
  expect((await owner.status())?.checkpointAt).toBeUndefined()
  const { ids: more } = await fill(owner, 200, 'ordinary')
  expect(more.length).toBeGreaterThan(3)
  expect(await owner.goals()).toHaveLength(first.length + ids.length + more.length)
})
