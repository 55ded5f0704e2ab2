// The mirror says how far a guest's records may be believed, whatever the guest's device sends.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { createNodeEdge } from '../../support/server/node-edge.ts'

const root = mkdtempSync(join(tmpdir(), 'daybook-guest-trust-'))
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

it('a guest’s device lowers what it writes and changes to `agent`, and the owner’s devices agree on it', async () => {
  const owner = await open('owner')
  const { id } = await owner.perceptions.store({ content: 'The gate is green' })
  await owner.sync()
  const { key } = await owner.accessKeys.create({ name: 'helper', permissions: ['sync', 'write'] })
  await owner.sync()

  const helper = await open('helper', key)
  await helper.sync()
  await helper.perceptions.update({ id, updates: { content: 'The gate is red' } })
  const own = await helper.perceptions.store({ content: 'The gate was painted' })
  await helper.sync()
  await helper.close()

  const laptop = await open('laptop')
  await Promise.all([owner.sync(), laptop.sync()])
  for (const book of [owner, laptop]) {
    expect(await book.records.get({ id })).toMatchObject({ content: 'The gate is red', trust: 'agent' })
    expect(await book.records.get({ id: own.id })).toMatchObject({ trust: 'agent' })
  }
  await owner.records.setTrust({ id, trust: 'owner' })
  await owner.sync()
  await laptop.sync()
  expect((await laptop.records.get({ id }))?.trust).toBeUndefined()
  await Promise.all([owner.close(), laptop.close()])
})
