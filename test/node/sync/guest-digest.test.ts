// Devices whose key may fetch fewer kinds than they hold: what the mirror does not show them stays with them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { createNodeEdge } from '../../support/server/node-edge.ts'
import { makeTrace } from '../../support/trace.ts'

const root = mkdtempSync(join(tmpdir(), 'daybook-guest-digest-'))
const edge = createNodeEdge()
vi.stubGlobal('fetch', (address: string | URL | Request, { method, headers, body }: RequestInit = {}) => {
  const { pathname, search } = new URL(address instanceof Request ? address.url : address)
  return edge.fetch(pathname + search, {
    ...(method ? { method } : {}),
    headers: new Headers(headers),
    body: body ?? null,
  })
})
afterAll(() => {
  vi.unstubAllGlobals()
  edge.close()
  rmSync(root, { recursive: true, force: true })
})

const open = (file: string, key = 'development') =>
  openDaybook({
    name: 'garden',
    path: join(root, file),
    sync: { url: 'http://127.0.0.1:8787', key, triggers: 'manual' },
  })

it('G7 a device keeps its records of kinds that its key may only send, or not fetch any more', async () => {
  const owner = await open('owner')
  await owner.perceptions.store({ content: 'Tea at four' })
  await owner.memories.store({ content: 'Likes tea', category: 'a2p:preferences.food' })
  const sensorKey = await owner.accessKeys.create({
    name: 'sensor',
    permissions: ['sync'],
    push: ['trace'],
    pull: [],
  })
  const narrowKey = await owner.accessKeys.create({ name: 'narrow', permissions: ['sync'] })
  await owner.sync()
  const totals = await owner.stats()
  await owner.close()

  const sensor = await open('sensor', sensorKey.key)
  await sensor.traces.storeMany({ traces: [makeTrace(), makeTrace()] })
  expect(await sensor.sync()).toMatchObject({ pushed: 2 })
  await sensor.sync()
  expect(await sensor.traces.count()).toMatchObject({ total: 2 })
  expect((await sensor.status()).sync).toMatchObject({ repairs: 0 })
  await sensor.close()

  const narrowed = await open('owner', narrowKey.key)
  await narrowed.sync()
  await narrowed.sync()
  expect(await narrowed.memories.query()).toMatchObject({ memories: [{ content: 'Likes tea' }] })
  expect((await narrowed.stats()).total).toBe(totals.total + 2)
  expect((await narrowed.accessKeys.list()).keys).toHaveLength(2)
  await narrowed.close()
})
