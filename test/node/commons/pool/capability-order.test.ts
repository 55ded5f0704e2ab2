// Capabilities of a claw as they arrive: late, early, and with a name that was missing before.
import { afterEach, expect, it } from 'vitest'
import { ask, createWorld, give, type World } from './pool-world.ts'

let world: World = createWorld()
afterEach(() => {
  world.close()
  world = createWorld()
})

const clawsOf = async (book: ReturnType<World['open']>) =>
  (await ask<{ claws: { claw: string; displayName?: string; capabilities: string[] }[] }>(book, 'pool:claws'))
    .claws

it('refuses an announcement that is older than the first one', async () => {
  const book = world.open()
  await book.call('pool:configure', { verify: 'off' })
  const announce = (capabilities: string[], updatedAt: string) =>
    give(book, world.envelope('ada@far', 'capabilities', { group: 'daybook', capabilities, updatedAt }))
  expect(await announce(['db.read'], world.at(-1000))).toMatchObject({ reason: 'capabilities' })
  expect(await announce(['db.write'], world.at(-50_000))).toMatchObject({
    result: 'stale',
    reason: 'older_than_known',
  })
  expect(await clawsOf(book)).toMatchObject([{ claw: 'ada@far', capabilities: ['db.read'] }])
})

it('stores a name that a claw adds to unchanged capabilities at once', async () => {
  const book = world.open()
  await book.call('pool:configure', { verify: 'off' })
  const announce = (more: object) =>
    give(
      book,
      world.envelope('ada@far', 'capabilities', {
        group: 'daybook',
        capabilities: ['db.read'],
        updatedAt: world.at(),
        ...more,
      }),
    )
  await announce({})
  await world.pass(1000)
  await announce({ displayName: 'Ada' })
  expect(await clawsOf(book)).toMatchObject([{ claw: 'ada@far', displayName: 'Ada' }])
  await world.pass(1000)
  expect(await announce({ displayName: 'Ada' })).toMatchObject({ reason: 'unchanged' })
})
