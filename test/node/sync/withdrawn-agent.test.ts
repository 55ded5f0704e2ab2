// A withdrawn key of an agent stays withdrawn, whatever another device writes about that registration.
import { afterEach, expect, it } from 'vitest'
import { DaybookError } from '../../../src/core/errors.ts'
import type { Carrier } from '../../../src/core/ports.ts'
import { kinds } from '../../../src/engine/capability-table.ts'
import { finalWinner } from '../../../src/sync/conflict/conflict-policy.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import { createTestTime } from '../../support/test-engine.ts'
import { closeSites, openSite } from '../memory/conversation/site.ts'

afterEach(closeSites)

const did = 'did:a2p:agent:local:helper'
const publicKey = 'did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw'

function world() {
  const { ports, pass } = createTestTime()
  const { engine } = openSite(ports, { role: 'mirror', scope: { agent: 'edge' } })
  const mirror = new SyncMirror({ store: engine.store, ...ports })
  const network = { isOn: true }
  const carrier: Carrier = {
    async exchange(request) {
      if (!network.isOn) throw new DaybookError('offline')
      return JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown
    },
  }
  const device = () => openSite(ports, { carrier }).book
  const books = [device(), device()] as const
  const syncAll = async () => {
    for (const book of [...books, ...books]) await book.sync()
  }
  const states = () => Promise.all(books.map(async (book) => (await book.agents.get({ did }))?.state))
  return { books, pass, network, syncAll, states }
}

it.each(['first', 'last'])('the device that withdraws the key syncs %s', async (place) => {
  const {
    books: [laptop, phone],
    pass,
    network,
    syncAll,
    states,
  } = world()
  await laptop.agents.register({ did, publicKey })
  await syncAll()
  network.isOn = false
  await pass(10)
  await phone.agents.revoke({ did })
  await pass(10)
  await laptop.agents.register({ did, publicKey, description: 'Helps' })
  network.isOn = true
  await (place === 'first' ? phone : laptop).sync()
  await syncAll()
  expect(await states()).toEqual(['revoked', 'revoked'])
  await pass(10)
  expect(await laptop.agents.register({ did, publicKey })).toMatchObject({ state: 'active', changed: true })
  await syncAll()
  expect(await states()).toEqual(['active', 'active'])
})

it('the same key is registered again in the millisecond in which it was withdrawn', async () => {
  const {
    books: [laptop],
    syncAll,
    states,
  } = world()
  await laptop.agents.register({ did, publicKey })
  await laptop.agents.revoke({ did })
  await laptop.agents.register({ did, publicKey })
  await syncAll()
  expect(await states()).toEqual(['active', 'active'])
})

it('another registration is not ended by the withdrawal of this one', () => {
  const put = (registeredAt: string, revoked: boolean) => ({
    op: 'put' as const,
    body: { registeredAt, revoked },
  })
  const kind = kinds.get('agent_key')
  expect(finalWinner(kind, put('2026-01-01', true), put('2026-01-01', false))).toBe('arriving')
  expect(finalWinner(kind, put('2026-01-01', false), put('2026-01-01', true))).toBe('present')
  expect(finalWinner(kind, put('2026-01-02', false), put('2026-01-01', true))).toBeUndefined()
  expect(finalWinner(kind, put('2026-01-01', true), put('2026-01-01', true))).toBeUndefined()
})
