// Files with broken pages: what can be read is taken over, the old file is kept, and the book says what happened.
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEngine } from '../../../../src/engine/engine.ts'
import { openBookFile } from '../../../../src/hosts/node/book/book-file.ts'
import { type Daybook, openDaybook } from '../../../../src/hosts/node/index.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { nodePorts } from '../../../../src/hosts/node/port/node-ports.ts'
import { migrate } from '../../../../src/store/schema/version.ts'
import { tablesOf } from '../../../../src/store/repair/damage.ts'
import { skippedTables } from '../../../../src/store/repair/salvage.ts'
import { salvagedTables } from '../../../../src/store/repair/salvaged-tables.ts'
import { SyncMirror } from '../../../../src/sync/mirror/mirror.ts'
import { failure } from '../../../contract/book-case.ts'
import { breakPages, leavesOf, pageBytes, rootOf } from './broken-file.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { makeTrace } from '../../../support/trace.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-damaged-'))
afterAll(() => rmSync(folder, { recursive: true }))

const count = 1500
const pattern = join(folder, 'pattern.daybook')
const goals = new Map<string, string>()
let files = 0

beforeAll(async () => {
  await using book = await openDaybook({ name: 'b', path: pattern })
  const traces = Array.from({ length: count }, (_, i) =>
    makeTrace({
      id: `t-${i}`,
      timestamp: '2026-03-01T10:00:00Z',
      task: { goal: `Goal ${i} of the harbour` },
    }),
  )
  for (const { id = '', task } of traces) goals.set(id, task.goal)
  await book.traces.storeMany({ traces: traces.slice(0, 1000) })
  await book.traces.storeMany({ traces: traces.slice(1000) })
  expect((await book.traces.count()).total).toBe(count)
})

/** A copy of the book, its change applied, with the pages that `table` takes below the root. */
function copied(): string {
  const path = join(folder, `copy-${++files}.daybook`)
  copyFileSync(pattern, path)
  return path
}

const asideOf = (path: string) =>
  readdirSync(folder).filter((name) => name.startsWith(`${basename(path)}.damaged-`))

/** What of the book is there, each as it was stored. */
async function held(book: Daybook): Promise<number> {
  const { records } = await book.traces.query({ limit: 1000 })
  const { records: more } = await book.traces.query({ limit: 1000, offset: 1000 })
  for (const { id, task } of [...records, ...more]) expect(task.goal).toBe(goals.get(id))
  return records.length + more.length
}

it('names every table as one to salvage or one to leave', () => {
  const db = openNodeDatabase({ path: ':memory:' })
  migrate(db, '2026-01-01T00:00:00.000Z')
  expect(tablesOf(db)).toEqual([...Object.keys(salvagedTables), ...skippedTables].sort())
  db.close()
})

it('mends a book at the next opening after a call met a broken page', async () => {
  const path = copied()
  const leaves = leavesOf(path, 'records')
  // Opening reads the newest thousand.
  const broken = leaves.slice(0, leaves.length / 4).filter((_, i) => i % 5 === 3)
  breakPages(path, broken)
  const book = await openDaybook({ name: 'b', path })
  const told: unknown[] = []
  book.on('status', (status) => told.push(status))
  expect((await failure(held(book))).code).toBe('storage-failed')
  await expect.poll(() => told).toHaveLength(1)
  expect((await book.status()).degraded.join()).toContain('damaged: part of the file cannot be read')
  await book.close()
  expect(asideOf(path)).toEqual([])

  await using mended = await openDaybook({ name: 'b', path })
  const { degraded, records, sync } = await mended.status()
  const [aside] = asideOf(path)
  expect(degraded.join()).toContain(join(folder, aside ?? '?'))
  const left = await held(mended)
  // A leaf holds six of them.
  expect(left).toBeLessThan(count)
  expect(left).toBeGreaterThan(count - broken.length * 7)
  expect(records['trace']).toBe(left)
  expect(sync.pending).toBe(left)
  expect((await mended.recall({ text: 'harbour goal 5' })).hits.length).toBeGreaterThan(0)
  expect((await mended.traces.store(makeTrace())).id).toBeTruthy()
  rmSync(join(folder, aside ?? ''))
  expect((await mended.status()).degraded).toEqual([])
})

it('looks through the files after an unclean end, and only then', async () => {
  const path = copied()
  const [leaf] = leavesOf(path, 'vector_spaces')
  const change = (sql: string) => {
    using db = new DatabaseSync(path)
    db.exec(sql)
  }
  // Nothing reads this table in a book without vectors: only a look through the files can find it.
  expect(leaf).toBeGreaterThan(0)
  change(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
    INSERT INTO model_parts SELECT i, 'x', zeroblob(1000) FROM n`)
  // Not the first leaf: opening reads the first row of each table.
  breakPages(path, leavesOf(path, 'model_parts').slice(-1))
  const clean = await openDaybook({ name: 'b', path })
  await clean.traces.count()
  await clean.close()
  expect(await (await openDaybook({ name: 'b', path })).close().then(() => asideOf(path))).toEqual([])

  change("INSERT INTO book VALUES ('open', '2026-03-01T00:00:00.000Z')")
  const { ports, pass } = createTestTime()
  const left = openBookFile({ path }, ({ db, check, storage }) =>
    createEngine({
      db,
      storage,
      care: { check },
      ports,
      name: 'b',
      scope: { agent: 'agent' },
      durability: 'file',
    }),
  )
  const told: string[] = []
  left.on(({ name, detail }) => name === 'status' && told.push(...(detail.degraded ?? [])))
  await pass(60_000)
  await expect.poll(() => told.join()).toContain('model_parts')
  left.close()
  await using mended = await openDaybook({ name: 'b', path })
  expect(await held(mended)).toBe(count)
  expect((await mended.status()).degraded.join()).toContain('not all of model_parts could be read')
})

it('mends at once what cannot be opened, and leaves alone what is no book', async () => {
  const path = copied()
  breakPages(path, [rootOf(path, 'book')])
  await using mended = await openDaybook({ name: 'b', path })
  expect(await held(mended)).toBe(count)
  // Nobody knows any more who this copy was for the mirror: everything is to be sent, by a new device.
  expect((await mended.status()).sync.pending).toBe(count)

  const other = join(folder, 'photo.jpg')
  writeFileSync(other, Buffer.alloc(20_000, 'jpeg'))
  expect((await failure(openDaybook({ name: 'b', path: other }))).code).toBe('storage-failed')
  expect(readFileSync(other).equals(Buffer.alloc(20_000, 'jpeg'))).toBe(true)
})

it('says that a record is lost whose bytes were garbled on a page that is whole', async () => {
  const path = copied()
  const bytes = readFileSync(path)
  bytes.write('{{{{', bytes.indexOf('"Goal 700 of the harbour') - 20)
  writeFileSync(path, bytes)
  const book = await openDaybook({ name: 'b', path })
  await expect(book.traces.get({ id: 't-700' })).rejects.toMatchObject({ code: 'storage-failed' })
  await book.close()
  await using mended = await openDaybook({ name: 'b', path })
  expect(await held(mended)).toBe(count - 1)
  expect((await mended.status()).degraded.join()).toContain('not all of records could be read')
})

it('goes on where a mending was cut', async () => {
  const before = copied()
  copyFileSync(before, `${before}.mending`)
  breakPages(`${before}.mending`, [1])
  const book = await openDaybook({ name: 'b', path: before })
  expect(await held(book)).toBe(count)
  await book.close()
  expect(existsSync(`${before}.mending`)).toBe(false)
  const after = copied()
  copyFileSync(after, `${after}.mending`)
  rmSync(after)
  await using again = await openDaybook({ name: 'b', path: after })
  expect(await held(again)).toBe(count)
})

it('salvages what any broken pages leave, each record as it was', async () => {
  // A linear congruential generator (Numerical Recipes): the same pages each time.
  let state = 7
  const dice = (sides: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state % sides
  }
  const pages = readFileSync(pattern).length / pageBytes
  for (let round = 0; round < 12; round++) {
    const path = copied()
    const chosen = Array.from({ length: 1 + dice(6) }, () => 2 + dice(pages - 1))
    breakPages(path, chosen)
    let left = -1
    for (let opening = 0; opening < 3 && left < 0; opening++) {
      const book = await openDaybook({ name: 'b', path, textIndexInMemory: false })
      try {
        left = await held(book)
      } catch (error) {
        expect(error).toMatchObject({ code: 'storage-failed' })
      } finally {
        await book.close()
      }
    }
    expect({ chosen, enough: left > 0 }).toEqual({ chosen, enough: true })
    rmSync(path)
  }
})

it('brings nothing back that was erased at the mirror while its file was damaged', async () => {
  const mirrorOf = (erasedAt?: string) => {
    const { store } = createEngine({
      db: openNodeDatabase({ path: ':memory:' }),
      ports: nodePorts,
      name: 'b',
      scope: { agent: 'edge' },
      durability: 'durable-object',
      role: 'mirror',
    })
    return { store, mirror: new SyncMirror({ store, ...nodePorts, erasedAt }) }
  }
  let edge = mirrorOf()
  const path = copied()
  const open = () =>
    openBookFile({ path }, ({ db, check, storage }) =>
      createEngine({
        db,
        storage,
        care: { check },
        ports: nodePorts,
        name: 'b',
        scope: { agent: 'agent' },
        durability: 'file',
        sync: { triggers: 'manual' },
        carrier: {
          exchange: async (request) =>
            JSON.parse((await edge.mirror.exchange(JSON.stringify(request))).text) as unknown,
        },
      }),
    )
  const engine = open()
  await engine.call('daybook:sync', undefined)
  engine.close()
  edge = mirrorOf('2026-11-24T00:00:00.000Z')
  breakPages(path, [rootOf(path, 'book')])
  const mended = open()
  expect(mended.store.settings.get('epoch')).toBeUndefined()
  expect((await failure(mended.call('daybook:sync', undefined))).code).toBe('book-erased')
  expect(edge.store.queries.countsByKind()).toEqual({})
  expect(await mended.call('kstar:count_traces', {})).toMatchObject({ total: count })
  mended.close()
})

it('gets back from the mirror what could not be read, and keeps what was not sent', async () => {
  const store = createEngine({
    db: openNodeDatabase({ path: ':memory:' }),
    ports: nodePorts,
    name: 'b',
    scope: { agent: 'edge' },
    durability: 'durable-object',
    role: 'mirror',
  }).store
  const mirror = new SyncMirror({ store, ...nodePorts })
  const path = copied()
  const open = () =>
    openBookFile({ path }, ({ db, check, storage }) =>
      createEngine({
        db,
        storage,
        care: { check },
        ports: nodePorts,
        name: 'b',
        scope: { agent: 'agent' },
        durability: 'file',
        carrier: {
          exchange: async (request) =>
            JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
        },
      }),
    )
  const engine = open()
  await engine.call('daybook:sync', undefined)
  await engine.call('kstar:store_trace', makeTrace({ id: 'unsent', task: { goal: 'Not sent yet' } }))
  engine.close()
  breakPages(path, leavesOf(path, 'records').slice(2, 30))
  const broken = open()
  await broken.call('bundle:export', {}).catch(() => undefined)
  await broken.call('kstar:query_traces', { limit: 1000 }).catch(() => undefined)
  broken.close()
  const mended = open()
  const total = async () => ((await mended.call('kstar:count_traces', {})) as { total: number }).total
  expect(await total()).toBeLessThan(count)
  await mended.call('daybook:sync', undefined)
  await mended.call('daybook:sync', undefined)
  expect(await total()).toBe(count + 1)
  expect(await mended.call('kstar:get_trace', { id: 'unsent' })).toMatchObject({
    task: { goal: 'Not sent yet' },
  })
  mended.close()
  expect(store.queries.countsByKind()).toEqual({ trace: count + 1 })
})
