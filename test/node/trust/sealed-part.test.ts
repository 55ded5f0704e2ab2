// Documents that lie in parts, once they are sensitive: a device without the key, and the mirror, have no part of them in clear.
import { afterEach, describe, expect, it } from 'vitest'
import type { Carrier } from '../../../src/core/ports.ts'
import type { EngineOptions } from '../../../src/engine/engine.ts'
import { openNodeVault } from '../../../src/hosts/node/key/vault-file.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import { failure } from '../../contract/book-case.ts'
import { closeSites, openSite } from '../memory/conversation/site.ts'

afterEach(closeSites)

const open = (options: Partial<EngineOptions>) => openSite(nodePorts, options)

/** One device has the keys, the others have none. */
async function world() {
  const mirror = open({ role: 'mirror', scope: { agent: 'edge' } })
  const sync = new SyncMirror({ store: mirror.engine.store, ...nodePorts })
  const carrier: Carrier = {
    exchange: async (request) => JSON.parse((await sync.exchange(JSON.stringify(request))).text) as unknown,
  }
  const device = () => open({ carrier, vault: openNodeVault(undefined) })
  const [one, two, three] = [device(), device(), device()]
  await one.book.seal.guard({ passphrase: 'correct horse battery' })
  return { mirror, one, two, three }
}

function changes(word: string, more: object = {}) {
  const parts = [1, 2].map((n) => ({
    folder: 'f/',
    key: `#part x ${n}`,
    value: { $part: `${word} ${n}` },
    recalled: false,
  }))
  const value = { $parts: parts.map(({ key }) => key), $first: word }
  return [{ folder: 'f/', key: 'large', value, ...more }, ...parts] as const
}

describe('a sensitive document in parts', () => {
  it.each(['from the first', 'later'] as const)(
    'is sealed with its parts, also on a device without the key: sensitive %s',
    async (when) => {
      const { mirror, one, two } = await world()
      const more = when === 'later' ? {} : { sensitivity: 'sensitive' }
      const { written } = await one.book.documents.write({ changes: [...changes('saffron', more)] })
      await one.book.sync()
      await two.book.sync()
      if (when === 'later') {
        expect(two.saying('saffron')).toEqual(['records'])
        await one.book.records.setSensitivity({ id: written[0]?.id ?? '', sensitivity: 'sensitive' })
        await one.book.sync()
        await two.book.sync()
      }
      for (const copy of [mirror, one, two]) expect(copy.saying('saffron')).toEqual([])
      for (const { id } of written) expect((await failure(two.book.records.get({ id }))).code).toBe('locked')
      expect((await two.book.documents.list({})).documents).toEqual([])
      expect((await one.book.documents.read({ folder: 'f/', key: '#part x 1' }))?.value).toEqual({
        $part: 'saffron 1',
      })
    },
  )

  it('takes no part from a device without the key', async () => {
    const { mirror, one, two } = await world()
    await one.book.documents.write({ changes: [...changes('saffron', { sensitivity: 'sensitive' })] })
    await one.book.sync()
    await two.book.sync()
    expect((await failure(two.book.documents.write({ changes: [...changes('nutmeg')] }))).code).toBe('locked')
    for (const copy of [mirror, two]) expect(copy.saying('nutmeg')).toEqual([])
  })

  it('keeps nowhere in clear what a device that had not heard of it wrote into a part', async () => {
    const { mirror, one, two, three } = await world()
    const { written } = await one.book.documents.write({ changes: [...changes('saffron')] })
    for (const { book } of [one, two, three]) await book.sync()
    await one.book.records.setSensitivity({ id: written[0]?.id ?? '', sensitivity: 'sensitive' })
    await one.book.sync()
    const late = { folder: 'f/', key: '#part x 1', value: { $part: 'nutmeg' } }
    await three.book.documents.write({ changes: [late] })
    for (const { book } of [three, two, one, two, three]) await book.sync()
    // At the device without the key neither: its own lost edit can't be sealed there.
    for (const copy of [mirror, one, two, three]) expect(copy.saying('nutmeg')).toEqual([])
  })
})
