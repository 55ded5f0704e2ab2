// The keys by which what comes late finds what it was made from: kept only where something awaits a record, gone with the record,
// and never of a sealed one.
import { afterEach, describe, expect, test } from 'vitest'
import { readReach } from '../../../../src/core/access/reach.ts'
import type { Carrier } from '../../../../src/core/ports.ts'
import { openNodeVault } from '../../../../src/hosts/node/key/vault-file.ts'
import { SyncMirror } from '../../../../src/sync/mirror/mirror.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { closeSites, lasting, memory, openSite, type Site } from '../../memory/conversation/site.ts'

const source = { type: 'User', id: 'ann' }
const line = (content: string) => ({ content, source })
const said = line('I live in Reykjavik.')

afterEach(closeSites)

const keys = ({ engine }: Site) =>
  engine.store.db.all<{ key: string; seq: number }>('SELECT key, seq FROM awaited')

/** A mirror and what opens devices of it, all in one time. */
function world() {
  const { ports } = createTestTime()
  const edge = openSite(ports, { role: 'mirror', scope: { agent: 'edge' } })
  const mirror = new SyncMirror({ store: edge.engine.store, ...ports })
  const carrier: Carrier = {
    exchange: async (request) => JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
  }
  const device = () => openSite(ports, { carrier, vault: openNodeVault(undefined) })
  return { edge, device, ports }
}

const store = async ({ book }: Site, more: object = {}) => {
  const { results } = await book.conversation.storeMany({ session: 'private', messages: [said], ...more })
  return results[0]?.id ?? ''
}
const make = async ({ book }: Site) => {
  const { episodeId: episode = '' } = await book.conversation.archive({ history: [said] })
  const { profiles } = await book.conversation.updateProfile({ history: [said] })
  return [episode, profiles[0]?.id ?? '']
}
/** Those of `ids` that are read by whom the session is denied. */
const read = ({ engine: { store: at } }: Site, ids: readonly string[]) => {
  const reach = readReach({ scope: '**', deny: ['session:private'] })
  const page = reach && at.queries.within(reach).query({ limit: 1000 })
  return page?.records.map(({ id }) => id).filter((id) => ids.includes(id))
}

describe('what two devices make and store apart', () => {
  const orders = {
    'the message is here first': async (one: Site, two: Site) => {
      await one.book.sync()
      await two.book.sync()
    },
    'the message comes last': async (one: Site, two: Site) => {
      await two.book.sync()
      await one.book.sync()
    },
  }
  test.each(Object.keys(orders) as (keyof typeof orders)[])('meets at all copies: %s', async (order) => {
    const { edge, device } = world()
    const [one, two] = [device(), device()]
    const message = await store(one)
    const made = await make(two)
    await orders[order](one, two)
    for (const site of [one, two]) await site.book.sync()
    for (const site of [one, two, edge]) expect(read(site, made)).toEqual([])
    await one.book.records.forget({ id: message })
    for (const site of [one, two]) await site.book.sync()
    for (const site of [one, two, edge])
      for (const id of made) expect((await site.book.records.query({ filters: { id } })).records).toEqual([])
  })

  test('is sealed where its message is', async () => {
    const { edge, device } = world()
    const [one, two] = [device(), device()]
    await store(one, { sensitivity: 'restricted' })
    const made = await make(two)
    await two.book.sync()
    await one.book.sync()
    for (const id of made) {
      expect((await one.book.records.query({ filters: { id } })).records).toEqual([])
      await one.book.conversation.rebuild({ id })
      expect(await one.book.records.get({ id })).toMatchObject({ sensitivity: 'restricted' })
    }
    await one.book.sync()
    expect(edge.text()).not.toContain('Reykjavik')
    expect(keys(one)).toEqual([])
  })
})

describe('the keys of messages', () => {
  test('are noted from the first record on that awaits one', async () => {
    const { device } = world()
    const one = device()
    await store(one)
    expect(keys(one)).toEqual([])
    await one.book.conversation.archive({ history: [line('Something else was said.')] })
    expect(keys(one)).toHaveLength(2)
    await one.book.conversation.store({ message: line('A third thing.') })
    expect(keys(one)).toHaveLength(4)
  })

  test.each(['forget', 'purge', 'seal'] as const)('are gone by %s', async (way) => {
    const { device } = world()
    const one = device()
    const id = await store(one)
    await one.book.conversation.archive({ history: [line('Something else was said.')] })
    expect(keys(one)).not.toEqual([])
    if (way === 'seal') await one.book.records.setSensitivity({ id, sensitivity: 'restricted' })
    else await one.book.records[way]({ id })
    expect(keys(one)).toEqual([])
  })

  test('are found anew by a book that an earlier Daybook wrote', async () => {
    const { ports } = createTestTime()
    const db = memory()
    const open = () => openSite(ports, { db: lasting(db) })
    const [maker, before] = [openSite(ports), open()]
    const made = await make(maker)
    await store(before)
    await before.book.bundles.import({ text: (await maker.book.bundles.export({})).text })
    await before.book.close()
    db.exec("DROP TABLE awaited; DELETE FROM sources WHERE source GLOB '!=*' OR source NOT GLOB '!*'")
    db.exec("DELETE FROM book WHERE key IN ('derived_awaited', 'derived:@awaited')")
    const after = open()
    expect(read(after, made)).toEqual([])
  })

  test.each(['derived_tables', 'derived:@sources'])(
    'of a forgotten message stay when the tables are filled again: %s',
    async (setting) => {
      const { ports } = createTestTime()
      const db = memory()
      const [maker, before] = [openSite(ports), openSite(ports, { db: lasting(db) })]
      const made = await make(maker)
      const message = await store(before)
      // A record that arrives from elsewhere after the message still names it by a key.
      await before.book.bundles.import({ text: (await maker.book.bundles.export({})).text })
      await before.book.records.forget({ id: message })
      await before.book.close()
      db.exec(`DELETE FROM book WHERE key = '${setting}'`)
      const after = openSite(ports, { db: lasting(db) })
      const { records } = await after.book.records.query({ filters: { id: { in: made } } })
      expect(records).toEqual([])
      for (const id of made) await after.book.conversation.rebuild({ id })
      expect(after.saying('Reykjavik')).toEqual([])
    },
  )

  test('of words that everybody says link no more than a hundred, whichever came first', async () => {
    const { edge, device } = world()
    const [maker, one] = [device(), device()]
    const words = line('All right then.')
    await maker.book.conversation.archive({ history: [words] })
    for (let i = 0; i < 150; i++) await one.book.conversation.store({ session: `s-${i}`, message: words })
    for (const site of [one, maker, one]) await site.book.sync()
    const linked = ({ engine }: Site) =>
      engine.store.db.get<{ n: number }>("SELECT count(*) AS n FROM sources WHERE source GLOB '!=*'")?.n
    expect([maker, one, edge].map(linked)).toEqual([100, 100, 100])
  })
})
