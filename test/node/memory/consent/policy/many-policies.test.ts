// Books with more requests and policies than one page of a query has.
import { afterEach, expect, it } from 'vitest'
import { createTestTime } from '../../../../support/test-engine.ts'
import { closeSites, openSite } from '../../conversation/site.ts'

afterEach(closeSites)

it('the list of requests has an old pending one after 1,000 decided ones', async () => {
  const { ports, pass } = createTestTime()
  const { book } = openSite(ports)
  const ask = async (agent: string) =>
    (await book.with({ agent }).consent.request({ scopes: ['a2p:professional'], purpose: 'x' })).request?.id
  const first = await ask('first')
  for (let n = 0; n < 1001; n += 1) {
    await pass(1)
    await book.consent.decide({ id: (await ask(`agent-${n}`)) ?? '', decision: 'deny' })
  }
  const listed = async (status: 'pending' | 'denied' | 'expired') =>
    (await book.consent.requests({ status, limit: 1000 })).requests.map(({ id }) => id)
  expect(await listed('pending')).toEqual([first])
  expect(await listed('denied')).toHaveLength(1000)
  expect(await listed('expired')).toEqual([])
  await pass(7 * 86_400_000)
  expect(await listed('pending')).toEqual([])
  expect(await listed('expired')).toEqual([first])
}, 120_000)

it('policies of more than one page are all listed, and all of them decide about a request', async () => {
  const { ports, pass } = createTestTime()
  const { book } = openSite(ports)
  const { id } = await book.consent.setPolicy({
    forAgents: 'coach',
    allow: ['a2p:preferences'],
    deny: ['a2p:preferences.food'],
    permissions: ['read_full'],
  })
  await pass(1)
  for (let n = 0; n < 1000; n += 1)
    await book.consent.setPolicy({ forAgents: `agent-${n}`, deny: ['a2p:health'], permissions: ['none'] })
  expect((await book.consent.policies()).policies).toHaveLength(1001)
  expect((await book.consent.policies({ agent: 'coach' })).policies.map((one) => one.id)).toEqual([id])
  const request = { scopes: ['a2p:preferences'], purpose: 'to cook' }
  expect(await book.with({ agent: 'coach' }).consent.request(request)).toMatchObject({
    status: 'granted',
    receipt: { scopes: ['a2p:preferences'], denied: ['a2p:preferences.food'], policies: [id] },
  })
}, 120_000)
