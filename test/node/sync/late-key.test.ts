// Two devices of which one has no key: what it made in the place of a sealed record, over the verbs that make such.
import { afterEach, expect, it } from 'vitest'
import type { Carrier } from '../../../src/core/ports.ts'
import { openNodeVault } from '../../../src/hosts/node/key/vault-file.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import { createTestTime } from '../../support/test-engine.ts'
import { closeSites, openSite } from '../memory/conversation/site.ts'

afterEach(closeSites)

const passphrase = 'only for the way'
const word = 'zanzibar'

function world() {
  const { ports, pass } = createTestTime()
  const edge = openSite(ports, { role: 'mirror', scope: { agent: 'edge' } })
  const mirror = new SyncMirror({ store: edge.engine.store, ...ports })
  const carrier: Carrier = {
    exchange: async (request) => JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
  }
  const device = () => openSite(ports, { carrier, vault: openNodeVault(undefined) })
  const [one, two] = [device(), device()]
  return { edge, one, two, pass }
}

it('a fact in the place of a sealed one is sealed by the device that made it, when that gets the key', async () => {
  const { edge, one, two, pass } = world()
  const { text } = await one.book.seal.exportKeys({ passphrase })
  const { id } = await one.book.facts.store({ schema: 's', data: { n: 1 } })
  for (const { book } of [one, two]) await book.sync()
  await one.book.records.setSensitivity({ id, sensitivity: 'sensitive' })
  await one.book.sync()
  await one.book.close()
  const heir = await two.book.facts.supersede({ id, data: { n: word } })
  await two.book.records.mark({ id: heir.id, collection: word })
  for (const { book } of [two, two]) await book.sync()
  expect(two.text()).toContain(word)
  await two.book.seal.importKeys({ text, passphrase })
  await pass()
  await two.book.sync()
  for (const site of [two, edge]) {
    // What is derived follows with the next read.
    await site.book.stats()
    expect(site.saying(word)).toEqual([])
  }
  expect(await two.book.records.get({ id: heir.id })).toMatchObject({
    sensitivity: 'sensitive',
    marks: { collection: word },
  })
})

it.each(['made', 'changed'] as const)(
  'a memory that was %s by a proposal, which was sealed elsewhere meanwhile, is sealed',
  async (how) => {
    const { edge, one, two } = world()
    await one.book.seal.exportKeys({ passphrase })
    const agent = one.book.with({ agent: 'helper' })
    const { id: tea } = await one.book.memories.store({ content: 'Likes tea', category: 'a2p:interests' })
    const { id } = await agent.proposals.propose({
      content: `Likes ${word}`,
      category: 'a2p:interests',
      ...(how === 'changed' ? { supersedes: [tea] } : {}),
    })
    for (const { book } of [one, two]) await book.sync()
    await one.book.records.setSensitivity({ id, sensitivity: 'sensitive' })
    await one.book.sync()
    const { memory = '' } = await two.book.proposals.review({ id, action: 'approve' })
    for (const { book } of [two, one, two, one, two]) await book.sync()
    expect(await one.book.records.get({ id: memory })).toMatchObject({
      content: `Likes ${word}`,
      sensitivity: 'sensitive',
    })
    for (const site of [one, two, edge]) {
      await site.book.stats()
      expect(site.saying(word)).toEqual([])
    }
  },
)
