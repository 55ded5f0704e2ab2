// The bytes behind the end of a book's files: SQLite knows nothing of them, they hold nothing that was deleted, and they are
// on the disk before a commit needs them.
import { beforeAll, expect, it } from 'vitest'
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { createEngine } from '../../../../src/engine/engine.ts'
import {
  bookFile,
  pageBytes,
  poolHeaderBytes,
  ReservedHandle,
} from '../../../../src/hosts/browser/storage/reserved-handle.ts'
import { openOpfsDatabase } from '../../../../src/hosts/browser/storage/opfs-database.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { makeTrace } from '../../../support/trace.ts'
import { type DiskFile, FakeDisk, type Step } from './crash/fake-disk.ts'
import { loadBrowserSqlite, mount, mounted } from './crash/fake-opfs.ts'

let sqlite3: Sqlite3Static
beforeAll(async () => {
  sqlite3 = await loadBrowserSqlite()
})

const latin1 = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes)

function fileOf(disk: FakeDisk, path: string): DiskFile {
  const found = [...disk.files.values()].find(({ bytes }) =>
    latin1(bytes.subarray(0, 64)).startsWith(`${path}\0`),
  )
  if (!found) throw new Error(`There is no ${path}.`)
  return found
}

let pools = 0
async function openBook(disk: FakeDisk) {
  mount(disk)
  const { db, release, useReserve } = await openOpfsDatabase(sqlite3, `tail-${++pools}`, mounted)
  const { ports } = createTestTime()
  const engine = createEngine({ db, ports, name: 'b', scope: { agent: 'a' }, durability: 'opfs', useReserve })
  const store = (id: string, goal: string) =>
    engine.call('kstar:store_trace', makeTrace({ id, task: { goal, constraints: [] } }))
  return {
    db,
    engine,
    store,
    async close() {
      engine.close()
      await release()
    },
  }
}

/** A file of a disk with a name as the pool writes it. */
function namedFile(disk: FakeDisk, path: string) {
  disk.ensure('file')
  const handle = new ReservedHandle(disk.handle('file'))
  const head = new Uint8Array(poolHeaderBytes)
  new TextEncoder().encodeInto(path, head)
  handle.write(head, { at: 0 })
  return handle
}

it('takes space behind the end, where no reader sees it', () => {
  const disk = new FakeDisk()
  const handle = namedFile(disk, bookFile)
  handle.write(new Uint8Array(2 * pageBytes).fill(1), { at: poolHeaderBytes })
  const end = poolHeaderBytes + 2 * pageBytes
  expect(handle.extend(end + 50 * pageBytes)).toBe(true)
  expect(disk.files.get('file')?.size).toBe(end + 50 * pageBytes)
  expect(handle.getSize()).toBe(end)
  expect(handle.read(new Uint8Array(2 * pageBytes), { at: end - pageBytes })).toBe(pageBytes)
  expect(handle.read(new Uint8Array(10), { at: end })).toBe(0)
})

it('takes all of the space or none', () => {
  const disk = new FakeDisk()
  const handle = namedFile(disk, bookFile)
  const most = poolHeaderBytes + 3 * 2 ** 20
  disk.fault = (step) =>
    step.do === 'write' && step.at + step.bytes.length > most
      ? { fail: new DOMException('No room.', 'QuotaExceededError') }
      : undefined
  expect(handle.extend(poolHeaderBytes + 5 * 2 ** 20)).toBe(false)
  expect(disk.files.get('file')?.size).toBe(poolHeaderBytes)
  expect(handle.extend(most)).toBe(true)
})

it('makes a log invalid, on the disk, before anything else of it is written over', () => {
  const disk = new FakeDisk()
  const log = namedFile(disk, `${bookFile}-wal`)
  log.write(new Uint8Array(4 * 2 ** 20).fill(7), { at: poolHeaderBytes })
  const before = disk.log.length
  log.truncate(poolHeaderBytes)
  const [first, second, ...rest] = disk.log.slice(before)
  expect(first).toMatchObject({ do: 'write', at: poolHeaderBytes })
  expect(second).toMatchObject({ do: 'flush' })
  expect(rest.map((step: Step) => step.do)).toEqual(['write', 'write', 'truncate'])
  const { bytes } = fileOf(disk, `${bookFile}-wal`)
  expect(bytes.length).toBe(poolHeaderBytes + 2 ** 21)
  expect(latin1(bytes.subarray(poolHeaderBytes))).not.toContain('\u0007'.repeat(16))
})

it('keeps nothing of what is purged in any byte of the files, nor what an earlier owner left behind the end', async () => {
  const disk = new FakeDisk()
  const first = await openBook(disk)
  for (let i = 0; i < 60; i++) await first.store(`t-${i}`, `Goal ${i} of the harbour ${'x'.repeat(9000)}`)
  await first.close()
  const file = fileOf(disk, bookFile)
  // Far enough behind the end that no page comes there, and before that of the file, which is cut a little.
  file.write(file.size - 20 * pageBytes, new TextEncoder().encode('left by an earlier owner'))

  const next = await openBook(disk)
  await next.engine.call('kstar:purge', { id: 't-0' })
  expect(latin1(fileOf(disk, bookFile).bytes)).not.toContain('left by an earlier owner')
  for (let i = 1; i < 30; i++) await next.engine.call('kstar:purge', { id: `t-${i}` })
  await next.close()
  const left = [...disk.files.values()].map(({ bytes }) => latin1(bytes)).join('')
  for (let i = 0; i < 30; i++) expect(left).not.toContain(`Goal ${i} of the harbour`)
  expect(left).toContain('Goal 30 of the harbour')
})

it('has on the disk, when the book is opened again, what it needs to be emptied, however it ended', async () => {
  const disk = new FakeDisk()
  const first = await openBook(disk)
  for (let i = 0; i < 40; i++) await first.store(`t-${i}`, `Goal ${i} ${'x'.repeat(9000)}`)
  mount(disk)
  const left = new FakeDisk(disk.files)
  // From now on no file grows.
  const sizes = new Map([...left.files].map(([name, { size }]) => [name, size]))
  left.fault = (step) =>
    (step.do === 'write' && step.at + step.bytes.length > (sizes.get(step.file) ?? 0)) ||
    (step.do === 'truncate' && step.size > (sizes.get(step.file) ?? 0))
      ? { fail: new DOMException('No room.', 'QuotaExceededError') }
      : undefined
  const next = await openBook(left)
  const { records } = (await next.engine.call('kstar:query_traces', { limit: 100 })) as { records: object[] }
  expect(records).toHaveLength(40)
  for (let i = 0; i < 20; i++) await next.engine.call('kstar:purge', { id: `t-${i}` })
  await next.engine.call('kstar:forget', { id: 't-20' })
  await next.store('after', 'Goal of what is written in the room that was made')
  expect(next.db.get('PRAGMA integrity_check')?.['integrity_check']).toBe('ok')
  await next.close()
})
