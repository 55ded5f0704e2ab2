// A file that is older than its checkpoint, after a backup was restored or a power cut: the repair takes the later
// records from the checkpoint, sends them, and leaves nothing of a removed text.
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import type { SqlDatabase, SqlRow } from '../../../../src/core/ports.ts'
import { createEngine, type Engine } from '../../../../src/engine/engine.ts'
import { openBookFile } from '../../../../src/hosts/node/book/book-file.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import type { Status } from '../../../../src/index.ts'
import { isAhead, salvage } from '../../../../src/store/repair/salvage.ts'
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

function emptyBook(): SqlDatabase {
  const db = openNodeDatabase({ path: ':memory:' })
  migrate(db, '2026-01-01T00:00:00.000Z')
  return db
}

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

it('takes a forget of another copy that has an earlier stamp than the last own edit', async () => {
  const book = createBook()
  const path = book.newPath()
  const engine = book.open(path)
  const other = book.open(book.newPath())
  await store(engine, 'gone', 'First words')
  await sync(engine)
  await sync(other)
  await other.call('kstar:forget', { id: 'gone' })
  await book.pass(20)
  await edit(engine, 'gone', { content: 'Second words' })
  await sync(other)
  const restored = await restoreAfter(book, { path, engine }, async (later) => void (await sync(later)))
  expect(await contentOf(restored, 'gone')).toBeUndefined()
  const { versions } = (await restored.call('kstar:history', { id: 'gone' })) as { versions: object[] }
  expect(versions).toMatchObject([{ op: 'forget' }])
  finish(restored)
  expect(readFileSync(path, 'latin1')).not.toMatch(/First words|Second words/)
  other.close()
})

it('gives each unsent record an op of its own, also when another record has the number', () => {
  const [from, to] = [emptyBook(), emptyBook()]
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

it('leaves no text in clear that a later state forgot, purged or sealed', () => {
  const [from, copy, to] = [emptyBook(), emptyBook(), emptyBook()]
  const put = (db: SqlDatabase, table: string, row: SqlRow) => {
    const names = Object.keys(row)
    db.run(
      `INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`,
      Object.values(row),
    )
  }
  const record = (seq: number, rev: number, row: SqlRow) => {
    const head = { kind: 'perception', agent: 'a', created_at: 'x', updated_at: 'x' }
    return { seq, id: `r-${seq}`, ...head, rev, ver: 1, ...row }
  }
  const clear = '{"content":"clear words"}'
  const sealed = '["A256GCM","k_1",1,"n","c"]'
  const later: SqlRow[] = [
    { deleted: 1, gone: 2, body: '{}' },
    { deleted: 1, gone: 2, purged: 2, body: '{}' },
    { kid: 'k_1', sensitivity: 'sensitive', body: sealed },
    { body: '{"content":"later"}' },
  ]
  for (const [i, state] of later.entries()) {
    const seq = i + 1
    put(from, 'records', record(seq, 3, { stamp: 'b', body: clear, op: seq }))
    put(copy, 'records', record(seq, 4, { stamp: 'a', ...state }))
    put(from, 'ops', { n: seq, seq, base: 1, mid: seq, wire: clear })
    for (const [version, body] of [
      [1, clear],
      [2, sealed],
    ] as const)
      put(from, 'history', { seq, version, at: 'x', agent: 'a', op: 'put', body })
    put(from, 'uses', { seq, count: 1, last_at: 'x' })
    put(from, 'applied_requests', {
      request: `q-${seq}`,
      capability: 'c',
      input: 'i',
      result: `{"id":"r-${seq}","content":"clear words"}`,
      at: 'x',
    })
    put(from, 'conflicts', {
      record: `r-${seq}`,
      kind: 'perception',
      policy: 'p',
      at: 'x',
      loser_by: 'd',
      loser_op: 'put',
      loser_body: clear,
      winner_by: 'd',
      winner_op: 'put',
    })
  }
  // A forget that the checkpoint does not have yet, with an earlier stamp.
  put(from, 'records', record(5, 3, { stamp: 'b', deleted: 1, gone: 2, body: '{}' }))
  put(copy, 'records', record(5, 2, { stamp: 'z', body: clear }))
  expect(isAhead(copy, from)).toBe(true)
  salvage(from, to, { checkpoint: copy })
  expect(isAhead(copy, to)).toBe(false)
  const texts = (sql: string) => to.all<{ text: string | null }>(sql).map(({ text }) => text)
  expect(texts('SELECT body AS text FROM records ORDER BY seq')).toEqual([
    ...later.map(({ body }) => body),
    '{}',
  ])
  expect(to.all('SELECT seq FROM uses ORDER BY seq')).toEqual([{ seq: 3 }, { seq: 4 }])
  expect(to.all('SELECT seq, version FROM history ORDER BY seq, version')).toEqual([
    { seq: 3, version: 2 },
    { seq: 4, version: 1 },
    { seq: 4, version: 2 },
  ])
  expect(to.all('SELECT record, loser_body IS NULL AS isEmpty FROM conflicts ORDER BY record')).toEqual([
    { record: 'r-1', isEmpty: 0 },
    { record: 'r-3', isEmpty: 1 },
    { record: 'r-4', isEmpty: 0 },
  ])
  const isErased = texts('SELECT result AS text FROM applied_requests ORDER BY request').map(
    (text) => text === '',
  )
  expect(isErased).toEqual([false, true, true, false])
  expect(texts('SELECT wire AS text FROM ops ORDER BY n')).toEqual([
    expect.stringContaining('"op":"forget"'),
    expect.stringContaining('"purge":true'),
    '',
    clear,
  ])
  expect(texts("SELECT key AS text FROM book WHERE key = 'scrub_due'")).toHaveLength(1)
  for (const db of [from, copy, to]) db.close()
})
