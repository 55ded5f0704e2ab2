// A browser that gives no more room: nothing that was acknowledged is lost, all of it can be read, and purging helps.
// Over the real pool and SQLite, on a disk that refuses to grow beyond its quota.
import { beforeAll, expect, it } from 'vitest'
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { createEngine } from '../../../../src/engine/engine.ts'
import { openOpfsDatabase } from '../../../../src/hosts/browser/storage/opfs-database.ts'
import { failure } from '../../../contract/book-case.ts'
import { makeTrace } from '../../../support/trace.ts'
import { FakeDisk } from './crash/fake-disk.ts'
import { loadBrowserSqlite, mount, mounted } from './crash/fake-opfs.ts'
import { createTestTime } from '../../../support/test-engine.ts'

let sqlite3: Sqlite3Static
beforeAll(async () => {
  sqlite3 = await loadBrowserSqlite()
})

/** A disk with a quota, and the browser's estimate of it. */
function limitedDisk(quota: number) {
  const disk = new FakeDisk()
  const limit = { quota }
  const usage = () => [...disk.files.values()].reduce((sum, { size }) => sum + size, 0)
  disk.fault = (step) => {
    if (step.do !== 'write') return undefined
    const grown = Math.max(0, step.at + step.bytes.length - (disk.files.get(step.file)?.size ?? 0))
    if (grown === 0 || usage() + grown <= limit.quota) return undefined
    return { fail: new DOMException('No room.', 'QuotaExceededError') }
  }
  Object.assign(navigator.storage, {
    estimate: () => Promise.resolve({ quota: limit.quota, usage: usage() }),
  })
  mount(disk)
  return limit
}

/** A disk as Chromium's: its estimate tells nothing, and what a file was once given it keeps while it is open. */
function silentDisk(quota: number) {
  const disk = new FakeDisk()
  const limit = { quota }
  const given = new Map<string, number>()
  disk.fault = (step) => {
    if (step.do !== 'write' && step.do !== 'truncate') return undefined
    const size = step.do === 'write' ? step.at + step.bytes.length : step.size
    const others = [...given].reduce((sum, [file, bytes]) => sum + (file === step.file ? 0 : bytes), 0)
    if (size <= (given.get(step.file) ?? 0)) return undefined
    if (others + size > limit.quota) return { fail: new DOMException('No room.', 'QuotaExceededError') }
    given.set(step.file, size)
    return undefined
  }
  Object.assign(navigator.storage, { estimate: () => Promise.resolve({ quota: 10 * 2 ** 30, usage: 0 }) })
  mount(disk)
  return limit
}

it.for([3_000_000, 12_000_000, 40_000_000])(
  'stays whole and readable in a quota of %i bytes, and goes on',
  async (quota) => {
    const limit = limitedDisk(quota)
    const { db, release, refit, useReserve } = await openOpfsDatabase(sqlite3, `quota-${quota}`, mounted)
    const { ports, pass } = createTestTime()
    const engine = createEngine({
      db,
      ports,
      name: 'b',
      scope: { agent: 'a' },
      durability: 'opfs',
      useReserve,
    })
    const call = (id: string, input: unknown) => engine.call(id, input)
    const padding = 'x'.repeat(quota / 400)
    const store = (id: string) =>
      call('kstar:store_trace', makeTrace({ id, action: { type: 'fill', parameters: { padding } } }))
    const acked: string[] = []
    const fill = async (name: string) => {
      for (let i = 0; ; i++) {
        try {
          await store(`${name}-${i}`)
          acked.push(`${name}-${i}`)
        } catch (error) {
          return error
        }
      }
    }
    const readAll = async (ids: readonly string[]) => {
      for (const id of ids) expect(await call('kstar:get_trace', { id })).toMatchObject({ id })
    }
    expect(await fill('a')).toMatchObject({ code: 'storage-full' })
    // Most of the quota was there to be used, but for the pages that an empty book takes itself.
    expect(acked.length).toBeGreaterThan(140)
    await readAll(acked)
    // What is indexed behind the writes finds no room either; nothing of it is needed to read or to forget.
    await pass(20_000)
    const gone = acked.splice(0, Math.ceil(acked.length / 2))
    for (const id of gone) await call('kstar:purge', { id })
    await store('after')
    await readAll([...acked, 'after'])
    expect(await call('kstar:get_trace', { id: gone[0] })).toBeNull()
    expect(await call('kstar:count_traces', {})).toMatchObject({ total: acked.length + 1 })

    // It fills up again, and when the browser gives more, that is noticed without opening the book anew.
    expect(await fill('b')).toMatchObject({ code: 'storage-full' })
    limit.quota *= 2
    await refit?.()
    await store('more')
    expect(db.get('PRAGMA integrity_check')?.['integrity_check']).toBe('ok')
    engine.close()
    await release()
  },
)

it.for([3_000_000, 12_000_000])(
  'stays whole, readable and able to forget in %i bytes of which the browser tells nothing; what it refused is not there later either',
  async (quota) => {
    const limit = silentDisk(quota)
    const { db, release, useReserve } = await openOpfsDatabase(sqlite3, `untold-${quota}`, mounted)
    const { ports } = createTestTime()
    const engine = createEngine({
      db,
      ports,
      name: 'b',
      scope: { agent: 'a' },
      durability: 'opfs',
      useReserve,
    })
    const words = Array.from({ length: 300 }, (_, i) => `word${i}`).join(' ')
    const goal = words.repeat(Math.ceil(quota / 500_000))
    const store = (id: string) =>
      engine.call('kstar:store_trace', makeTrace({ id, task: { goal, constraints: [] } }))
    const stored: string[] = []
    const refused: string[] = []
    const fill = async (name: string) => {
      for (let i = 0, left = 3; left > 0; i++) {
        const error = await store(`${name}-${i}`).then(
          () => void stored.push(`${name}-${i}`),
          (reason: unknown) => reason,
        )
        if (!error) continue
        expect(error).toMatchObject({ code: 'storage-full' })
        refused.push(`${name}-${i}`)
        left -= 1
      }
    }
    const expectKept = async () => {
      for (const id of stored) expect(await engine.call('kstar:get_trace', { id })).toMatchObject({ id })
      for (const id of refused) expect(await engine.call('kstar:get_trace', { id })).toBeNull()
    }
    await fill('a')
    expect(stored.length).toBeGreaterThan(20)
    await expectKept()
    // Which derives all of it first, with nothing left but what is kept back.
    const { records } = (await engine.call('kstar:query_traces', { limit: 1000 })) as { records: object[] }
    expect(records).toHaveLength(stored.length)
    for (const id of stored.splice(0, stored.length >> 1)) await engine.call('kstar:purge', { id })
    const left = stored.length
    await fill('b')
    expect(stored.length).toBeGreaterThan(left)
    await expectKept()
    limit.quota *= 2
    await store('more')
    stored.push('more')
    await expectKept()
    expect(db.get('PRAGMA integrity_check')?.['integrity_check']).toBe('ok')
    engine.close()
    await release()
  },
)

it('derives large records on a full disk where the log has space for the words of one', async () => {
  const disk = new FakeDisk()
  let isFull = false
  disk.fault = (step) => {
    if (!isFull || (step.do !== 'write' && step.do !== 'truncate')) return undefined
    const end = step.do === 'write' ? step.at + step.bytes.length : step.size
    const isGrowth = end > (disk.files.get(step.file)?.size ?? 0)
    return isGrowth ? { fail: new DOMException('No room.', 'QuotaExceededError') } : undefined
  }
  Object.assign(navigator.storage, { estimate: () => Promise.resolve({ quota: 10 * 2 ** 30, usage: 0 }) })
  mount(disk)
  const { db, release, useReserve } = await openOpfsDatabase(sqlite3, 'small-log', mounted)
  const { ports } = createTestTime()
  const engine = createEngine({ db, ports, name: 'b', scope: { agent: 'a' }, durability: 'opfs', useReserve })
  const words = Array.from({ length: 1000 }, (_, i) => `w${(i * 7919).toString(36)}`)
  const text = (n: number) =>
    Array.from({ length: 40_000 }, (_, i) => words[(i * (n + 3) + (i >> 4)) % 1000]).join(' ')
  for (let i = 0; i < 12; i++) {
    const situation = { domain: 'd.e', actor: 'me', context: { text: text(i) } }
    await engine.call('kstar:store_trace', makeTrace({ id: `t-${i}`, situation }))
  }
  db.scrub('space')
  const logName = '/book.sqlite3-wal'
  const log = [...disk.files.values()].find(
    ({ bytes }) => Buffer.from(bytes.subarray(0, logName.length)).toString() === logName,
  )
  log?.resize(500_000)
  isFull = true
  const { records } = (await engine.call('kstar:query_traces', { limit: 1000 })) as { records: object[] }
  expect(records).toHaveLength(12)
  isFull = false
  expect(db.get("SELECT v FROM text_index_config WHERE k = 'automerge'")?.['v']).toBe(4)
  expect(db.get('PRAGMA integrity_check')?.['integrity_check']).toBe('ok')
  engine.close()
  await release()
})

it('lends what is kept back also while a transaction is open, as that of a newer book is', async () => {
  silentDisk(12_000_000)
  const { db, release, useReserve } = await openOpfsDatabase(sqlite3, 'lent', mounted)
  db.exec('CREATE TABLE kept (said TEXT); BEGIN; INSERT INTO kept VALUES (1)')
  useReserve?.(true)
  db.exec('COMMIT')
  useReserve?.(false)
  expect(db.all('SELECT said FROM kept')).toEqual([{ said: '1' }])
  db.close()
  await release()
})

it('says storage-full where there is not even room for the files of the pool', async () => {
  limitedDisk(10_000)
  const error = await failure(openOpfsDatabase(sqlite3, 'quota-none', mounted))
  expect(error.code).toBe('storage-full')
})

it('gives its copy up when it is full, and opens without one', async () => {
  limitedDisk(12_000_000)
  const open = async (pool: string) => {
    const { db, release, checkpointFile, useReserve } = await openOpfsDatabase(sqlite3, pool, mounted)
    if (!checkpointFile) throw new Error('There is no place for a copy.')
    const { ports, pass } = createTestTime()
    const engine = createEngine({
      db,
      ports,
      name: 'b',
      scope: { agent: 'a' },
      durability: 'opfs',
      useReserve,
      checkpointFile: {
        file: checkpointFile,
        isWanted: true,
      },
    })
    const store = (id: string) =>
      engine.call('kstar:store_trace', makeTrace({ id, task: { goal: 'x'.repeat(30_000), constraints: [] } }))
    return { engine, release, checkpointFile, pass, store }
  }
  const first = await open('quota-copied')
  for (let i = 0; i < 20; i++) await first.store(`${i}`)
  await first.pass(20_000)
  expect(first.checkpointFile.exists()).toBe(true)
  let last = 20
  const error = await failure(
    (async () => {
      for (; ; last++) await first.store(`${last}`)
    })(),
  )
  expect(error.code).toBe('storage-full')
  expect(first.checkpointFile.exists()).toBe(false)
  first.engine.close()
  await first.release()

  const next = await open('quota-copied-again')
  await next.pass(20_000)
  expect(next.checkpointFile.exists()).toBe(false)
  expect(await next.engine.call('kstar:get_trace', { id: `${last - 1}` })).not.toBeNull()
  expect(await next.engine.call('kstar:purge', { id: '3' })).toMatchObject({ purged: true })
  next.engine.close()
  await next.release()
})
