// A file that is older than its checkpoint, after a backup was restored or a power cut: the repair takes the later
// records from the checkpoint, sends them, and leaves nothing of a removed text.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createEngine, type Engine } from '../../../../src/engine/engine.ts'
import { openBookFile } from '../../../../src/hosts/node/book/book-file.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import type { Status } from '../../../../src/index.ts'
import { salvage } from '../../../../src/store/repair/salvage.ts'
import { migrate } from '../../../../src/store/schema/version.ts'
import { SyncMirror } from '../../../../src/sync/mirror/mirror.ts'
import { breakPages, leavesOf } from './broken-file.ts'
import { createTestTime, openTestEngine } from '../../../support/test-engine.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-older-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0

/** A mirror and its devices, which sync when the test says so. All have one clock. */
function createBook() {
  const { ports, pass } = createTestTime()
  const { engine } = openTestEngine({ role: 'mirror' })
  const mirror = new SyncMirror({ store: engine.store, ...ports })
  const open = (path: string): Engine =>
    openBookFile({ path }, ({ db, check, storage, checkpointFile }) =>
      createEngine({
        db,
        storage,
        care: { check },
        ports,
        name: 'b',
        scope: { agent: 'a' },
        durability: 'file',
        checkpointFile: { file: checkpointFile, isWanted: true },
        sync: { triggers: 'manual' },
        carrier: {
          exchange: async (request) =>
            JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
        },
      }),
    )
  return { open, pass, newPath: () => join(folder, `book-${++files}.daybook`) }
}

const sync = (engine: Engine) => engine.call('daybook:sync', undefined)
const store = (engine: Engine, id: string, content: string) =>
  engine.call('kstar:store_perception', { id, content })
const edit = (engine: Engine, id: string, updates: object) =>
  engine.call('kstar:update_perception', { id, updates })
const contentOf = async (engine: Engine, id: string) =>
  ((await engine.call('kstar:get_record', { id })) as { content?: string } | null)?.content
const outbox = (engine: Engine) => engine.store.ops.list({ limit: 10 }).map(({ record }) => record)

/** Copies all changes to the checkpoint and closes the book. */
function finish(engine: Engine): void {
  while (engine.store.checkpoint?.step(100));
  engine.close()
}

/** Closes the book, lets `change` run in it, and then restores the file from before `change`. */
async function restoreAfter(
  { open, pass }: ReturnType<typeof createBook>,
  { path, engine }: { path: string; engine: Engine },
  change: (engine: Engine) => Promise<void>,
  breakFile: (path: string) => void = () => undefined,
): Promise<Engine> {
  await pass()
  finish(engine)
  copyFileSync(path, `${path}.backup`)
  const later = open(path)
  await change(later)
  finish(later)
  copyFileSync(`${path}.backup`, path)
  breakFile(path)
  const restored = open(path)
  const { degraded } = (await restored.call('daybook:status', undefined)) as Status
  expect(degraded.join()).toContain('mended: ')
  return restored
}

it('sends the changes that only the checkpoint had', async () => {
  const book = createBook()
  const path = book.newPath()
  const engine = book.open(path)
  const other = book.open(book.newPath())
  await store(engine, 'gone', 'Forgotten later')
  await store(engine, 'edited', 'Old text')
  await sync(engine)
  await sync(other)
  await edit(engine, 'edited', { content: 'Newer text' })
  const restored = await restoreAfter(book, { path, engine }, async (later) => {
    await sync(later)
    await store(later, 'new', 'New record')
    await edit(later, 'edited', { content: 'Last text' })
    await later.call('kstar:forget', { id: 'gone' })
  })
  expect(outbox(restored).sort()).toEqual(['edited', 'gone', 'new'])
  // The restored file continues as a device that the mirror met in a later state.
  for (let round = 0; round < 3; round++) {
    await sync(restored)
    await sync(other)
  }
  expect(outbox(restored)).toEqual([])
  for (const copy of [restored, other]) {
    expect(await contentOf(copy, 'gone')).toBeUndefined()
    expect(await contentOf(copy, 'edited')).toBe('Last text')
    expect(await contentOf(copy, 'new')).toBe('New record')
  }
  restored.close()
  other.close()
})

it('sends nothing again that the mirror took after the backup', async () => {
  const book = createBook()
  const path = book.newPath()
  const engine = book.open(path)
  await store(engine, 'edited', 'Old text')
  const restored = await restoreAfter(book, { path, engine }, async (later) => {
    await edit(later, 'edited', { content: 'Last text' })
    await sync(later)
  })
  expect(await contentOf(restored, 'edited')).toBe('Last text')
  expect(outbox(restored)).toEqual([])
  restored.close()
})

it('sends the changes that only the checkpoint had, also when the older file is damaged', async () => {
  const book = createBook()
  const path = book.newPath()
  const engine = book.open(path)
  for (let i = 0; i < 60; i++) await store(engine, `p-${i}`, `Content of p-${i}`)
  await sync(engine)
  const restored = await restoreAfter(
    book,
    { path, engine },
    async (later) => void (await store(later, 'new', 'New record')),
    (file) => breakPages(file, leavesOf(file, 'records')),
  )
  expect(await contentOf(restored, 'p-7')).toBe('Content of p-7')
  expect(outbox(restored)).toEqual(['new'])
  restored.close()
})

it('gives each unsent record an op of its own, also when another record has the number', () => {
  const [from, to] = [1, 2].map(() => {
    const db = openNodeDatabase({ path: ':memory:' })
    migrate(db, '2026-01-01T00:00:00.000Z')
    return db
  })
  if (!from || !to) return
  const add = (seq: number, op: number | null) =>
    from.run(
      `INSERT INTO records (seq, id, kind, agent, created_at, updated_at, stamp, ver, op, body)
       VALUES (?, ?, 'perception', 'a', '', '', '', 3, ?, '{}')`,
      [seq, `r-${seq}`, op],
    )
  // The ops of the first two are lost. The record of the last op is older than that.
  for (const [seq, op] of [
    [1, 7],
    [2, 5],
    [3, 7],
    [4, null],
    [5, 8],
  ] as const)
    add(seq, op)
  for (const [n, seq] of [
    [7, 3],
    [9, 5],
  ] as const)
    from.run('INSERT INTO ops (n, seq, base) VALUES (?, ?, 2)', [n, seq])
  salvage(from, to)
  expect(to.all('SELECT seq, op, n, base FROM records LEFT JOIN ops USING (seq) ORDER BY seq')).toEqual([
    { seq: 1, op: 11, n: 11, base: 3 },
    { seq: 2, op: 10, n: 10, base: 3 },
    { seq: 3, op: 7, n: 7, base: 2 },
    { seq: 4, op: null, n: null, base: null },
    { seq: 5, op: 9, n: 9, base: 2 },
  ])
  from.close()
  to.close()
})
