// A proposal whose review was reopened after its end waits for a day, wherever proposals are listed or counted.
import { afterEach, expect, it } from 'vitest'
import { createTestTime } from '../../../support/test-engine.ts'
import { closeSites, openSite } from '../conversation/site.ts'

afterEach(closeSites)

const dayMs = 86_400_000

it('lists and counts a reopened proposal as pending for a day', async () => {
  const { ports, pass } = createTestTime()
  const { book } = openSite(ports)
  const { id } = await book.with({ agent: 'helper' }).proposals.propose({
    content: 'Likes opera',
    category: 'a2p:interests',
    expiresAt: new Date(ports.clock.now() + 60_000).toISOString(),
  })
  await book.proposals.review({ id, action: 'approve' })
  await pass(120_000)
  await book.proposals.reopen({ id })
  const idsOf = async (status: 'pending' | 'expired') =>
    (await book.proposals.list({ status })).proposals.map((proposal) => proposal.id)
  expect([await idsOf('pending'), await idsOf('expired')]).toEqual([[id], []])
  expect(await book.proposals.counts()).toMatchObject({ pending: 1, expired: 0 })
  await pass(dayMs + 1000)
  expect([await idsOf('pending'), await idsOf('expired')]).toEqual([[], [id]])
})

it('keeps a later end of its own', async () => {
  const { ports } = createTestTime()
  const { book } = openSite(ports)
  const { id, expiresAt } = await book.with({ agent: 'helper' }).proposals.propose({
    content: 'Likes opera',
    category: 'a2p:interests',
  })
  await book.proposals.review({ id, action: 'reject' })
  await book.proposals.reopen({ id })
  expect((await book.proposals.list({ id })).proposals).toMatchObject([{ expiresAt, status: 'pending' }])
})
