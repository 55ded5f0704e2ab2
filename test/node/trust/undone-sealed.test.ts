// A sealed record whose group commit is undone: nothing of it stays among the decrypted records.
import { expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'

it('finds a sensitive record once that was written again after its transaction was undone, and not after its purge', async () => {
  await using book = await openDaybook({ name: 'undone-sealed', path: ':memory:' })
  await book.perceptions.store({ content: 'first', sensitivity: 'sensitive' })
  const skill = { name: 's', description: 'd', definition: { procedure: 'p' }, learned_from: {} }
  await book.skills.store(skill)
  // The three share a transaction: the proposal queries in it, and the skill fails.
  const [stored, , failed] = await Promise.allSettled([
    book.perceptions.store({ content: 'zebra', sensitivity: 'sensitive' }),
    book.proposals.propose({ content: 'Likes tea', category: 'a2p:preferences.food' }),
    book.skills.store({ ...skill, description: 'other' }),
  ])
  expect(failed.status).toBe('rejected')
  if (stored.status === 'rejected') throw stored.reason
  const contents = async () => (await book.perceptions.query({})).records.map(({ content }) => content)
  expect(await contents()).toEqual(['zebra', 'first'])
  expect((await book.records.count({ kind: 'perception' })).total).toBe(2)
  await book.records.purge({ id: stored.value.id })
  expect(await contents()).toEqual(['first'])
  expect((await book.recall({ text: 'zebra' })).hits).toEqual([])
})
