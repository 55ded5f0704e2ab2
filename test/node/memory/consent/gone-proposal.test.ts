// Words of a proposal that was purged or forgotten are in no row of any copy, whoever heard first of what became of it.
import { afterEach, describe, expect, it } from 'vitest'
import { openNodeVault } from '../../../../src/hosts/node/key/vault-file.ts'
import { openTwoDevices } from '../../../support/consent/two-devices.ts'
import { saying } from '../../../support/saying.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { closeSites, openSite } from '../conversation/site.ts'

const word = 'Zitherabend'
type Way = 'forget' | 'purge'
const opened: { close(): void }[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one.close()
})

async function proposed(skewMs = 0) {
  const devices = openTwoDevices({ skewMs })
  opened.push(devices)
  const { one, two, mirrorDb, sync, pass } = devices
  const given = { content: `Likes ${word}`, category: 'a2p:interests.music', context: `because ${word}` }
  const { id } = await one.call<{ id: string }>('a2p:propose', given, 'helper')
  await sync()
  const review = async ({ call } = two, content = 'Likes Tuba') =>
    (await call<{ memory: string }>('a2p:review', { id, action: 'edit', edited: { content } })).memory
  const copies = { one: one.db, two: two.db, mirror: mirrorDb }
  const found = () => Object.fromEntries(Object.entries(copies).map(([name, db]) => [name, saying(db, word)]))
  /** All copies have the same, and none of the words. */
  const expectGone = async (remembered: readonly string[], way: Way) => {
    await sync()
    await pass(120_000)
    await sync()
    // An edit that lost to a forget is in the log; of one that lost to a purge nothing is.
    const isLog = (column: string) => way === 'forget' && column.startsWith('conflicts.')
    for (const columns of Object.values(found()))
      expect(columns.filter((column) => !isLog(column))).toEqual([])
    expect(await one.remembered()).toEqual(remembered)
    expect(await two.memories()).toEqual(await one.memories())
  }
  return { ...devices, id, review, found, expectGone }
}

const verbs = { forget: 'kstar:forget', purge: 'kstar:purge' } as const
const cases = (['forget', 'purge'] as const).flatMap((way) =>
  [0, 90_000, -90_000].map((skewMs) => ({ way, skewMs })),
)

describe.each(cases)(
  'C16 a proposal that is gone by $way, where a clock is $skewMs ms ahead',
  ({ way, skewMs }) => {
    it('after both had the memory', async () => {
      const { one, two, sync, id, review, found, expectGone } = await proposed(skewMs)
      await review(two)
      await sync()
      expect(Object.values(found()).map((tables) => tables.length > 0)).toEqual([true, true, true])
      await one.call(verbs[way], { id })
      await expectGone(['Likes Tuba'], way)
      expect([await one.conflicts(), await two.conflicts()]).toEqual([[], []])
    })

    it.each(['one', 'two'] as const)(
      'while another device reviews it, and %s is the first to sync',
      async (first) => {
        const { one, two, pass, id, review, expectGone } = await proposed(skewMs)
        if (first === 'one') await one.call(verbs[way], { id })
        await pass(1000)
        await review(two)
        await pass(1000)
        if (first === 'two') await one.call(verbs[way], { id })
        await { one, two }[first].sync()
        await expectGone(['Likes Tuba'], way)
      },
    )

    it.each(['one', 'two'] as const)(
      'while another device changes the memory, and %s is the first to sync',
      async (first) => {
        const { one, two, sync, pass, id, review, expectGone } = await proposed(skewMs)
        const memory = await review(two)
        await sync()
        await one.call(verbs[way], { id })
        await pass(1000)
        await two.call('a2p:edit_memory', { id: memory, content: 'Likes Alphorn' })
        await { one, two }[first].sync()
        await expectGone(['Likes Alphorn'], way)
      },
    )

    it('and was approved as it was, while another device changes the memory', async () => {
      const { one, two, sync, pass, id, expectGone } = await proposed(skewMs)
      const { memory } = await two.call<{ memory: string }>('a2p:review', { id, action: 'approve' })
      await sync()
      await one.call(verbs[way], { id })
      await one.sync()
      await pass(1000)
      await two.call('a2p:edit_memory', { id: memory, content: 'Likes Alphorn' })
      await expectGone(['Likes Alphorn'], way)
    })

    it('and gave its reason for another class, while another device approves that', async () => {
      const { one, two, sync, id: other, expectGone } = await proposed(skewMs)
      await one.call('kstar:purge', { id: other })
      const given = { content: 'Likes Tuba', category: 'a2p:interests.music' }
      const { id: memory } = await one.call<{ id: string }>('a2p:store_memory', given)
      const asked = { id: memory, category: 'a2p:preferences', reason: `because ${word}` }
      const { id } = await one.call<{ id: string }>('a2p:reclassify', asked, 'helper')
      await sync()
      await two.call('a2p:review', { id, action: 'approve' })
      await one.call(verbs[way], { id })
      await two.sync()
      await expectGone(['Likes Tuba'], way)
    })
  },
)

it('is gone from a sealed memory once that can be read, where it was purged in a locked book', async () => {
  const { ports, pass } = createTestTime()
  const { book } = openSite(ports, { vault: openNodeVault(undefined) })
  const asked = { content: `Takes ${word}`, category: 'a2p:health', context: `because ${word}` }
  const { id } = await book.with({ agent: 'helper' }).proposals.propose(asked)
  const edited = { content: 'Takes salt' }
  const { memory = '' } = await book.proposals.review({ id, action: 'edit', edited })
  await book.seal.guard({ passphrase: 'of the book itself' })
  await pass(5000)
  await book.seal.lock()
  await book.records.purge({ id })
  await pass(5000)
  await book.seal.unlock({ passphrase: 'of the book itself' })
  await book.perceptions.store({ content: 'Something else, after which there is an idle moment' })
  await pass(5000)
  const found = await book.records.get({ id: memory })
  expect(found).toMatchObject({ ...edited, metadata: { editHistory: [{ previousContent: '' }] } })
  expect(JSON.stringify([found, await book.records.history({ id: memory })])).not.toContain(word)
  await closeSites()
})

it.each(['forget', 'purge'] as const)('leaves no sealed edit that lost when it goes by %s', async (way) => {
  const { ports } = createTestTime()
  const { book, engine } = openSite(ports, { vault: openNodeVault(undefined) })
  const asked = { content: `Takes ${word}`, category: 'a2p:health', context: `because ${word}` }
  const { id } = await book.with({ agent: 'helper' }).proposals.propose(asked)
  const { memory = '' } = await book.proposals.review({
    id,
    action: 'edit',
    edited: { content: 'Takes salt' },
  })
  const { db, conflicts, records, bodies } = engine.store
  const row = records.row(memory)
  const body = (row && bodies.read(row, row.body)) ?? {}
  const side = { by: 'user', op: 'put' as const, body }
  db.transaction(() =>
    conflicts.add({
      record: memory,
      kind: 'memory',
      policy: 'merge',
      at: '2026-01-31T15:00:00.000Z',
      state: 'decided',
      loser: side,
      winner: side,
      base: body,
    }),
  )
  const logged = async () => {
    const { conflicts: entries } = await book.conflicts.list()
    expect(entries).toMatchObject([{ loser: { body: { content: 'Takes salt' } } }])
    return JSON.stringify(entries)
  }
  expect(await logged()).toContain(word)
  expect(saying(db, 'Takes salt')).toEqual([]) // all of it is sealed
  await book.records[way]({ id })
  expect(await logged()).not.toContain(word)
  expect(saying(db, 'Takes salt')).toEqual([])
  await closeSites()
})
