// Upkeep of a persona whose days have records under a key that is locked here.
import { afterEach, expect, it } from 'vitest'
import { openNodeVault } from '../../../../src/hosts/node/key/vault-file.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { closeSites, openSite } from '../conversation/site.ts'

afterEach(closeSites)

it('the days after those of a locked record have their digests, and so have all days of another persona', async () => {
  const { ports, pass } = createTestTime()
  const { book } = openSite(ports, { vault: openNodeVault(undefined) })
  await book.seal.unlock({ passphrase: 'correct horse battery staple' })
  const register = async (name: string) => book.with((await book.personas.register({ name })).scope)
  const [alice, bob] = [await register('Alice'), await register('Bob')]
  await alice.conversation.store({ message: { content: 'It is diabetes.' }, sensitivity: 'sensitive' })
  await book.seal.lock()
  const days = async (persona: typeof alice) => (await persona.days.list({})).digests.length
  for (const day of [1, 2, 3]) {
    await alice.thoughts.learn({ knowledge: `Alice, day ${day}` })
    await bob.thoughts.learn({ knowledge: `Bob, day ${day}` })
    await pass(86_400_000)
  }
  for (const persona of [alice, bob]) await persona.days.consolidate()
  // Alice's first day waits for the key, and so does the second: the clock of another device may differ.
  expect([await days(alice), await days(bob)]).toEqual([1, 3])
  await book.seal.unlock({ passphrase: 'correct horse battery staple' })
  await alice.days.consolidate()
  expect(await days(alice)).toBe(3)
})

it('upkeep consolidates no day with locked records, and consolidates it once after the keys are back', async () => {
  const { ports, pass } = createTestTime()
  const { book } = openSite(ports, { vault: openNodeVault(undefined) })
  const passphrase = 'correct horse battery staple'
  await book.seal.unlock({ passphrase })
  const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
  await alice.thoughts.learn({ knowledge: 'The bricks come on Monday.' })
  await alice.conversation.store({ message: { content: 'It is diabetes.' }, sensitivity: 'sensitive' })
  await alice.days.consolidate()
  await book.seal.lock()
  await pass(7 * 3_600_000)
  expect((await book.sessions.upkeep()).consolidated).toEqual([])
  await alice.thoughts.learn({ knowledge: 'The wall is built.' })
  expect((await book.sessions.upkeep()).consolidated).toEqual([])
  await book.seal.unlock({ passphrase })
  expect((await book.sessions.upkeep()).consolidated).toHaveLength(1)
  expect((await book.sessions.upkeep()).consolidated).toEqual([])
  expect((await alice.days.list({})).digests).toMatchObject([{ raw: 3 }])
})
