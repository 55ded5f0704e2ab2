// A book whose files the host has thrown away: it is told from a new one, and comes back from its mirror.
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createEngine, type EngineOptions } from '../../../src/engine/engine.ts'
import type { Status } from '../../../src/core/capability/status.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import { makeTrace } from '../../support/trace.ts'
import { createTestTime } from '../../support/test-engine.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-evicted-'))
afterAll(() => rmSync(folder, { recursive: true }))
const { ports, pass } = createTestTime()
const memory = () => openNodeDatabase({ path: ':memory:' })
const open = (options: Partial<EngineOptions> = {}) =>
  createEngine({ db: memory(), ports, name: 'b', scope: { agent: 'a' }, durability: 'opfs', ...options })
const degradedOf = async (engine: ReturnType<typeof open>) =>
  ((await engine.call('daybook:status', {})) as Status).degraded

it('says that a book was evicted, until the mirror has given it back', async () => {
  const { store } = open({ role: 'mirror', durability: 'durable-object' })
  const mirror = new SyncMirror({ store, ...ports })
  const carrier = {
    exchange: async (request: unknown) =>
      JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
  }
  const first = open({ carrier })
  await first.call('kstar:store_trace', makeTrace({ id: 'kept' }))
  await first.call('daybook:sync', undefined)
  expect(await degradedOf(first)).toEqual([])
  first.close()

  const again = open({ carrier, existedBefore: true })
  const told: string[] = []
  again.on(({ name, detail }) => name === 'status' && told.push(...(detail.degraded ?? [])))
  await pass(1000)
  expect(told).toEqual([expect.stringMatching(/^evicted: .* It is read again from the mirror/)])
  expect(await degradedOf(again)).toEqual(told)
  await pass(1000)
  await again.call('daybook:sync', undefined)
  expect(await again.call('kstar:get_trace', { id: 'kept' })).toMatchObject({ id: 'kept' })
  expect(await degradedOf(again)).toEqual([])
  again.close()
})

it('says nothing of a book that is new, or still there', async () => {
  const db = memory()
  const book = open({ db: { ...db, close: () => undefined } })
  expect(await degradedOf(book)).toEqual([])
  book.close()
  const again = open({ db, existedBefore: true })
  expect(await degradedOf(again)).toEqual([])
  again.close()
  const alone = open({ existedBefore: true })
  expect((await degradedOf(alone)).join()).toContain('What was not exported or synced is gone')
  alone.close()
})

it.each([true, false])(
  'says of a file that was emptied that there was a book (shared: %s)',
  async (share) => {
    const options = { name: 'b', path: join(folder, `emptied-${share}.daybook`), checkpoint: false, share }
    const book = await openDaybook(options)
    await book.traces.store(makeTrace({ id: 'lost' }))
    expect((await book.status()).degraded).toEqual([])
    await book.close()
    truncateSync(options.path, 0)
    // As long as nothing has given it back.
    for (let i = 0; i < 2; i++) {
      await using again = await openDaybook(options)
      expect((await again.status()).degraded).toEqual([
        expect.stringMatching(/^evicted: .* What was not exported or synced is gone/),
      ])
    }
  },
)

it('says of a file without a byte, beside which nothing is, that a new book was begun in it', async () => {
  const options = { name: 'b', path: join(folder, 'blank.daybook') }
  writeFileSync(options.path, '')
  {
    await using book = await openDaybook(options)
    expect((await book.status()).degraded).toEqual([expect.stringMatching(/^empty-file: /)])
  }
  await using again = await openDaybook(options)
  expect((await again.status()).degraded).toEqual([])
})
