// A token ends with any link of its chain: a key of the owner that was withdrawn, or a forgotten token.
import { afterEach, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import type { Carrier } from '../../../src/core/ports.ts'
import { openNodeKeyring } from '../../../src/hosts/node/key/key-file.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import { grant, soon } from '../../contract/access/token-grant.ts'
import { failure } from '../../contract/book-case.ts'
import { createTestTime } from '../../support/test-engine.ts'
import { closeSites, openSite } from '../memory/conversation/site.ts'

afterEach(closeSites)

const permissions = ['read', 'delegation']

/** A laptop, a phone and their mirror. */
function world() {
  const { ports } = createTestTime()
  const keys = openNodeKeyring(undefined)
  const edge = openSite(ports, { role: 'mirror', scope: { agent: 'edge' }, keys })
  const mirror = new SyncMirror({ store: edge.engine.store, ...ports })
  const carrier: Carrier = {
    exchange: async (request) => JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
  }
  const device = () => openSite(ports, { carrier, keys: openNodeKeyring(undefined) }).book
  return { edge: edge.book, laptop: device(), phone: device() }
}

/** The states of all tokens, by their ids. */
async function statesOf(book: Daybook): Promise<Record<string, string>> {
  const { tokens } = await book.tokens.list()
  return Object.fromEntries(tokens.map(({ token_id, state }) => [token_id, state]))
}

it('a token below another ends when the key that signed it is withdrawn', async () => {
  const { edge, laptop, phone } = world()
  const { token: root } = await grant(laptop, { permissions })
  for (const book of [laptop, phone]) await book.sync()
  const { token: child } = await grant(phone, { permissions, parent: root.token_id, expires_at: soon })
  const { token: below } = await grant(phone, { expires_at: soon }, child.token_id)
  for (const book of [phone, laptop]) await book.sync()
  expect(child.granted_by).not.toBe(root.granted_by)
  const ids = [child.token_id, below.token_id]
  for (const book of [edge, laptop])
    for (const as of ids) expect(await book.traces.query({}, { as })).toMatchObject({ records: [] })
  await laptop.records.forget({ id: child.granted_by })
  await laptop.sync()
  for (const book of [edge, laptop]) {
    for (const as of ids)
      expect(await failure(book.traces.query({}, { as }))).toMatchObject({ code: 'unauthorized' })
    await book.traces.query({}, { as: root.token_id })
  }
  expect(await statesOf(laptop)).toEqual({
    [root.token_id]: 'active',
    [child.token_id]: 'foreign',
    [below.token_id]: 'foreign',
  })
  expect(await laptop.tokens.verify({ token_id: child.token_id, scope: '**' })).toMatchObject({
    valid: false,
    reason: 'Invalid delegation chain',
  })
  expect(await failure(grant(laptop, { expires_at: soon, parent: child.token_id }))).toMatchObject({
    code: 'forbidden',
  })
})

it('a token ends when a token above it is forgotten', async () => {
  const { laptop } = world()
  const { token: root } = await grant(laptop, { permissions })
  const { token: middle } = await grant(laptop, { permissions, parent: root.token_id, expires_at: soon })
  const { token: below } = await grant(laptop, { permissions, parent: middle.token_id, expires_at: soon })
  await laptop.traces.query({}, { as: below.token_id })
  await laptop.records.forget({ id: middle.token_id })
  expect(await failure(laptop.traces.query({}, { as: below.token_id }))).toMatchObject({
    code: 'unauthorized',
  })
  expect(await statesOf(laptop)).toEqual({ [root.token_id]: 'active', [below.token_id]: 'foreign' })
  expect(await failure(grant(laptop, { expires_at: soon, parent: below.token_id }))).toMatchObject({
    code: 'forbidden',
  })
})
