// Whoever listens learns of every change of what does not work, once, as `status` says it at that time.
import { expect, it } from 'vitest'
import type { Status } from '../../../src/core/capability/status.ts'
import { DaybookError } from '../../../src/core/errors.ts'
import type { BookEvents } from '../../../src/core/capability/event.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { openNodeVault } from '../../../src/hosts/node/key/vault-file.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import { createMeaningEmbedder } from '../../support/meaning-embedder.ts'
import { makeTrace } from '../../support/trace.ts'
import { createTestTime } from '../../support/test-engine.ts'

const memory = () => openNodeDatabase({ path: ':memory:' })

it('tells each change of state: evicted and read again, vectors, storage that is full, keys that are locked', async () => {
  const { ports, pass } = createTestTime()
  const { store } = createEngine({
    db: memory(),
    ports,
    name: 'b',
    scope: { agent: 'edge' },
    durability: 'durable-object',
    role: 'mirror',
  })
  const mirror = new SyncMirror({ store, ...ports })
  const embedder = createMeaningEmbedder()
  const db = memory()
  let isFull = false
  const engine = createEngine({
    db: {
      ...db,
      transaction(work) {
        if (isFull) throw new DaybookError('storage-full')
        return db.transaction(work)
      },
    },
    ports,
    name: 'b',
    scope: { agent: 'a' },
    durability: 'memory',
    existedBefore: true,
    openMemory: memory,
    vault: openNodeVault(undefined),
    embedder: { open: () => embedder },
    carrier: {
      exchange: async (request) =>
        JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
    },
  })
  const told: BookEvents['status'][] = []
  engine.on((event) => event.name === 'status' && told.push(event.detail))
  /** What was told since, each by its first word, and that `status` says the same now. */
  const heard = async () => {
    await pass(2000)
    const { degraded } = (await engine.call('daybook:status', {})) as Status
    const all = told.splice(0).map(({ degraded: why = [], ...rest }) => {
      expect(rest).toEqual({ owner: true, durability: 'memory' })
      return why
    })
    expect(degraded).toEqual(all.at(-1) ?? degraded)
    return all.map((why) => why.map((text) => text.split(':')[0]))
  }
  const write = (more: object = {}) => engine.call('kstar:store_trace', { ...makeTrace(), ...more })

  expect(await heard()).toEqual([['evicted']])
  await engine.call('daybook:sync', undefined)
  expect(await heard()).toEqual([[]])

  embedder.fail = () => {
    throw new DaybookError('embedder-failed', 'It is away.')
  }
  await write()
  expect(await heard()).toEqual([['vectors']])
  embedder.fail = undefined
  await pass(60_000)
  expect(await heard()).toEqual([[]])

  isFull = true
  for (let i = 0; i < 3; i++) await expect(write()).rejects.toMatchObject({ code: 'storage-full' })
  expect(await heard()).toEqual([['storage-full']])
  isFull = false
  await write()
  expect(await heard()).toEqual([[]])

  await engine.call('seal:guard', { passphrase: 'correct horse battery' })
  await write({ sensitivity: 'sensitive' })
  expect(await heard()).toEqual([])
  await engine.call('seal:lock', {})
  expect(await heard()).toEqual([['locked']])
  await engine.call('seal:unlock', { passphrase: 'correct horse battery' })
  expect(await heard()).toEqual([[]])
  engine.close()
})
