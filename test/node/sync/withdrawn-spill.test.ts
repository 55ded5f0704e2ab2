// What was handed over to a service worker and is forgotten, purged or sealed then: once that is answered, its words are not there.
import { expect, it } from 'vitest'
import { DaybookError } from '../../../src/core/errors.ts'
import type { SpillPlace } from '../../../src/core/ports.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { openNodeKeyring } from '../../../src/hosts/node/key/key-file.ts'
import { openNodeVault } from '../../../src/hosts/node/key/vault-file.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'

/**
 * A book that reaches no mirror and hands everything over to a place that takes its time, as a browser's does. `left`: what
 * the place has from the last opening, if it can't be read at first.
 */
function open(left?: string) {
  let requests: readonly string[] = left === undefined ? [] : [left]
  const later = (work: () => void) =>
    new Promise<void>((resolve) => {
      setImmediate(() => {
        work()
        resolve()
      })
    })
  const spillPlace: SpillPlace = {
    put: (given) => later(() => void (requests = given)),
    read: () =>
      left === undefined ? Promise.resolve([]) : Promise.reject(new DaybookError('storage-failed')),
    clear: () => later(() => void (requests = [])),
  }
  const openMemory = () => openNodeDatabase({ path: ':memory:' })
  const engine = createEngine({
    db: openMemory(),
    ports: nodePorts,
    name: 'b',
    scope: { agent: 'a' },
    durability: 'file',
    carrier: { exchange: () => Promise.reject(new DaybookError('offline')) },
    spillPlace,
    sync: { triggers: { on_wake: true, on_action: true } },
    vault: openNodeVault(undefined),
    keys: openNodeKeyring(undefined),
    openMemory,
  })
  engine.background?.allow(true)
  return { engine, handed: () => requests.join() }
}

it.each([
  ['kstar:forget', {}],
  ['kstar:purge', {}],
  // The first seal of a book makes its key, in a write of its own.
  ['kstar:set_sensitivity', { sensitivity: 'sensitive' }],
])('%s takes the words out of what was handed over', async (verb, more) => {
  const { engine, handed } = open()
  const { id } = (await engine.call('kstar:store_perception', {
    content: 'Likes the Kreuzfahrtticket',
    confidence: 0.9,
  })) as { id: string }
  await engine.call('kstar:store_perception', { content: 'Likes tea', confidence: 0.9 })
  await engine.background?.handOver()
  expect(handed()).toContain('Kreuzfahrtticket')
  await engine.call(verb, { id, ...more })
  expect(handed()).not.toContain('Kreuzfahrtticket')
  expect(handed()).toContain('Likes tea')
  engine.close()
})

it('removes at a purge what is left of the last opening, if it could not be read', async () => {
  const { engine, handed } = open('Words of the last opening')
  const { id } = (await engine.call('kstar:store_perception', { content: 'Likes tea' })) as { id: string }
  await engine.call('kstar:purge', { id })
  expect(handed()).not.toContain('Words of the last opening')
  engine.close()
})
