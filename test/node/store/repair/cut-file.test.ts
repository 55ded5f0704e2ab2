// Files of books that lost many pages and have no checkpoint: each opens again, works, and leaves the damaged file.
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEngine } from '../../../../src/engine/engine.ts'
import { openBookFile } from '../../../../src/hosts/node/book/book-file.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { nodePorts } from '../../../../src/hosts/node/port/node-ports.ts'
import { SyncMirror } from '../../../../src/sync/mirror/mirror.ts'
import { makeTrace } from '../../../support/trace.ts'
import { pageBytes } from './broken-file.ts'
import { damages } from './cut-case.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-cut-'))
afterAll(() => rmSync(folder, { recursive: true }))

const passphrase = 'correct horse battery'
const count = 200
const pattern = join(folder, 'pattern.daybook')
const sealed = join(folder, 'sealed.daybook')
const open = (path: string, keys: { readonly passphrase?: string } = {}) =>
  openDaybook({ name: 'b', path, checkpoint: false, ...keys })

beforeAll(async () => {
  for (const [path, keys] of [[pattern], [sealed, { passphrase }]] as const) {
    await using book = await open(path, keys)
    const traces = Array.from({ length: count }, (_, i) =>
      makeTrace({
        id: `t-${i}`,
        task: { goal: `Goal ${i} of the harbour` },
        sensitivity: keys && i % 2 === 0 ? 'sensitive' : 'standard',
      }),
    )
    await book.traces.storeMany({ traces })
  }
})

let copies = 0
/** A copy of a book with its keys, damaged. */
function damaged(damage: (file: Uint8Array<ArrayBuffer>) => Uint8Array, source = pattern): string {
  const path = join(folder, `copy-${++copies}.daybook`)
  for (const name of readdirSync(folder).map((each) => join(folder, each)))
    if (name.startsWith(source)) copyFileSync(name, path + name.slice(source.length))
  writeFileSync(path, damage(new Uint8Array(readFileSync(path))))
  return path
}

const asidesOf = (path: string) =>
  readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((name) => name.startsWith(`${path}.damaged-`))

/** Stores and recalls in an open book, and returns the state. */
async function work(path: string, id: string, keys?: { readonly passphrase: string }) {
  await using book = await open(path, keys)
  await book.traces.store(makeTrace({ id, task: { goal: `A lighthouse ${id}` } }))
  const { hits } = await book.recall({ text: `${id} lighthouse` })
  const { records } = await book.traces.query({ limit: 1000 })
  for (const record of records)
    expect(record.task.goal).toMatch(
      record.id.startsWith('t-') ? /^Goal \d+ of the harbour$/ : /^A lighthouse/,
    )
  expect(hits.map(({ record }) => record.id)).toContain(id)
  return { total: records.length, degraded: (await book.status()).degraded.join() }
}

it.each(damages)('opens and works: a file %s', async (_name, damage) => {
  const path = damaged(damage)
  const { size } = statSync(path)
  // A call may meet a broken page that the opening did not read: the next opening repairs that.
  const first = await work(path, 'first').catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'storage-failed' })
    return work(path, 'again')
  })
  const second = await work(path, 'second')
  expect(second.total).toBe(first.total + 1)
  const asides = asidesOf(path)
  expect(second.degraded === '').toBe(asides.length === 0)
  for (const aside of asides) {
    expect(second.degraded).toContain(aside)
    expect(statSync(aside).size).toBeGreaterThanOrEqual(size)
  }
  // A page that no call has read is not repaired yet.
  if (asides.length === 0) return
  using db = new DatabaseSync(path)
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
})

it('finds records without a pointer map, and none of a free page', async () => {
  const withoutRoots = (file: Uint8Array<ArrayBuffer>) => file.fill(0, pageBytes, 5 * pageBytes)
  const whole = await work(damaged(withoutRoots), 'new')
  expect(whole.total).toBe(count + 1)
  expect(whole.degraded).toContain(`${count} records came from pages that no table linked`)

  const path = damaged((file) => file)
  const change = new DatabaseSync(path)
  change.exec("PRAGMA secure_delete = OFF; DELETE FROM records WHERE id > 't-5'")
  const { n } = change.prepare("SELECT count(*) AS n FROM records WHERE kind = 'trace'").get() ?? {}
  change.close()
  const file = new Uint8Array(readFileSync(path))
  const header = new DataView(file.buffer)
  const [trunk, free] = [header.getUint32(32), header.getUint32(36)]
  expect(free).toBeGreaterThan(3)
  expect(Buffer.from(file).includes('Goal 77 of')).toBe(true)
  const cases = [
    [withoutRoots(file.slice()), Number(n)],
    // Without the whole list of free pages, every page may be free.
    [withoutRoots(file.slice()).fill(0, (trunk - 1) * pageBytes, trunk * pageBytes), 0],
    [withoutRoots(file.slice()).fill(0, 0, pageBytes), 0],
    [withoutRoots(file.slice()).fill(0, 24, 44), 0],
  ] as const
  for (const [bytes, left] of cases)
    expect(
      (
        await work(
          damaged(() => bytes),
          'new',
        )
      ).total,
    ).toBe(left + 1)
})

it('opens the sealed records that a cut file has left', async () => {
  const path = damaged((file) => file.slice(0, Math.floor(file.length * 0.9)), sealed)
  const { total, degraded } = await work(path, 'new', { passphrase })
  expect(total).toBeGreaterThan(count / 2)
  expect(total).toBeLessThan(count)
  expect(degraded).not.toMatch(/not all of book|sealed/)
  expect(degraded).toContain('records could be read')
  const lost = damaged((file) => file.slice(0, pageBytes), sealed)
  expect((await work(lost, 'new', { passphrase })).total).toBe(1)
  expect((await work(lost, 'other', { passphrase })).total).toBe(2)
})

it.each([0, 0.6, 0.8, 0.95])(
  'gets the rest of a file cut to %d of its size from the mirror',
  async (part) => {
    const { store } = createEngine({
      db: openNodeDatabase({ path: ':memory:' }),
      ports: nodePorts,
      name: 'b',
      scope: { agent: 'edge' },
      durability: 'durable-object',
      role: 'mirror',
    })
    const mirror = new SyncMirror({ store, ...nodePorts })
    const path = damaged((file) => file)
    const sync = async () => {
      const engine = openBookFile({ path }, ({ db, check, storage }) =>
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
              JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
          },
        }),
      )
      await engine.call('daybook:sync', undefined)
      await engine.call('daybook:sync', undefined)
      const { total } = (await engine.call('kstar:count_traces', {})) as { total: number }
      engine.close()
      return total
    }
    expect(await sync()).toBe(count)
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.subarray(0, Math.max(pageBytes, bytes.length * part)))
    expect(await sync()).toBe(count)
    expect(asidesOf(path)).toHaveLength(1)
    expect(store.queries.countsByKind()).toEqual({ trace: count })
  },
)

const other = Uint8Array.from(Buffer.alloc(20_000, 'jpeg'))

it('refuses a damaged file without a sign of a book, with its path and the ways out', async () => {
  const foreign = join(folder, 'foreign.db')
  {
    using db = new DatabaseSync(foreign)
    db.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL`)
    db.exec('CREATE TABLE notes (text)')
    for (let i = 0; i < 50; i++) db.prepare('INSERT INTO notes VALUES (?)').run('note '.repeat(500))
  }
  const cut = new Uint8Array(readFileSync(foreign)).slice(0, 5 * pageBytes)
  for (const bytes of [other, cut]) {
    const path = damaged(() => bytes)
    await expect(open(path)).rejects.toMatchObject({
      code: 'storage-failed',
      retry: false,
      message: expect.stringMatching(/ is not a book .*Move it away/),
      details: { path, reason: 'not-a-book' },
    })
    expect(new Uint8Array(readFileSync(path))).toEqual(bytes)
  }
})
