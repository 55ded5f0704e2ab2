// Words of a review that was taken back, or rejected on another device meanwhile, are in no row of any copy.
import { afterEach, expect, it } from 'vitest'
import { openTwoDevices } from '../../../support/consent/two-devices.ts'
import { saying } from '../../../support/saying.ts'

const word = 'Zitherabend'
const opened: { close(): void }[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one.close()
})

async function approved() {
  const devices = openTwoDevices()
  opened.push(devices)
  const { one, two, mirrorDb, sync } = devices
  const given = { content: 'Likes Tuba', category: 'a2p:interests.music' }
  const { id } = await one.call<{ id: string }>('a2p:propose', given, 'helper')
  await sync()
  const edit = () =>
    one.call('a2p:review', {
      id,
      action: 'edit',
      edited: { content: `Likes ${word}` },
      reason: `not ${word}`,
    })
  const copies = { one: one.db, two: two.db, mirror: mirrorDb }
  const found = () => Object.fromEntries(Object.entries(copies).map(([name, db]) => [name, saying(db, word)]))
  return { ...devices, id, edit, found }
}
const none = { one: [], two: [], mirror: [] }

it('when it is taken back after both had it', async () => {
  const { one, two, sync, pass, id, edit, found } = await approved()
  await edit()
  await sync()
  expect(Object.values(found()).map((tables) => tables.length > 0)).toEqual([true, true, true])
  await pass(1000)
  await two.call('a2p:reopen', { id })
  await sync()
  await pass(120_000)
  expect(found()).toEqual(none)
  expect(await one.call('a2p:list_proposals', { id })).toMatchObject({ proposals: [{ status: 'pending' }] })
})

it('when it is taken back before it was sent', async () => {
  const { one, sync, pass, id, edit, found } = await approved()
  await edit()
  await one.call('a2p:reopen', { id })
  await sync()
  await pass(120_000)
  expect(found()).toEqual(none)
})

it.each(['one', 'two'] as const)(
  'when another device rejects it meanwhile, and %s is the first to sync',
  async (first) => {
    const { one, two, sync, pass, id, edit, found } = await approved()
    await edit()
    await pass(1000)
    await two.call('a2p:review', { id, action: 'reject', reason: 'no' })
    await { one, two }[first].sync()
    await sync()
    await pass(120_000)
    expect(await one.call('a2p:list_proposals', { id })).toMatchObject({
      proposals: [{ status: 'rejected', resolution: { reason: 'no' } }],
    })
    expect(await two.remembered()).toEqual([])
    expect(found()).toEqual(none)
  },
)
