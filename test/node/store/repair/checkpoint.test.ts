// The copy of the records beside a book: it comes to say what the book says wherever it is cut, never keeps what was
// forgotten, and gives back what can't be read any more.
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it } from 'vitest'
import type { CheckpointFile, SqlDatabase } from '../../../../src/core/ports.ts'
import { createEngine, type Engine } from '../../../../src/engine/engine.ts'
import { openBookFile } from '../../../../src/hosts/node/book/book-file.ts'
import type { Status } from '../../../../src/index.ts'
import { breakPages, leavesOf, pagesWith, rootOf } from './broken-file.ts'
import { createDice } from '../../../support/dice.ts'
import { createTestTime } from '../../../support/test-engine.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-checkpoint-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const newPath = () => join(folder, `book-${++files}.daybook`)
const copyOf = (path: string) => `${path}.checkpoint`

interface OpenBook {
  readonly engine: Engine
  readonly warnings: string[]
  pass(ms: number): Promise<void>
}

interface Wraps {
  readonly isWanted?: boolean
  main?(db: SqlDatabase): SqlDatabase
  checkpointFile?(file: CheckpointFile): CheckpointFile
}

function open(
  path: string,
  { isWanted = true, main = (db) => db, checkpointFile = (file) => file }: Wraps = {},
): OpenBook {
  const { ports, pass } = createTestTime()
  const warnings: string[] = []
  const log = { warn: (what: string) => void warnings.push(what) }
  const engine = openBookFile({ path }, (file) =>
    createEngine({
      db: main(file.db),
      storage: file.storage,
      care: { check: file.check },
      ports: {
        ...ports,
        log,
      },
      name: 'b',
      scope: { agent: 'a' },
      durability: 'file',
      checkpointFile: {
        file: checkpointFile(file.checkpointFile),
        isWanted,
      },
    }),
  )
  return { engine, warnings, pass }
}

const note = (content: string) => ({ subject: 'harbour', content, confidence: 0.5 })
const store = ({ engine }: OpenBook, id: string, content = `Content of ${id}`) =>
  engine.call('kstar:store_perception', { id, ...note(content) })
const status = async ({ engine }: OpenBook) => (await engine.call('daybook:status', undefined)) as Status
const held = async ({ engine }: OpenBook) => {
  const { records } = (await engine.call('kstar:query_perceptions', { limit: 1000 })) as {
    records: { id: string; content: string }[]
  }
  return records.map(({ id, content }) => `${id}: ${content}`).sort()
}

/** The records as they stand in a closed file. */
function rowsOf(path: string): unknown[] {
  using db = new DatabaseSync(path)
  return db.prepare('SELECT seq, id, rev, deleted, body FROM records ORDER BY seq').all()
}

async function filled(count: number): Promise<string> {
  const path = newPath()
  const book = open(path)
  for (let i = 0; i < count; i++) await store(book, `p-${i}`)
  await book.pass(60_000)
  expect((await status(book)).checkpointAt).toMatch(/^2026-07-01T00:00:05/)
  book.engine.close()
  expect(rowsOf(copyOf(path))).toEqual(rowsOf(path))
  return path
}

/** After `left` transactions on what it wraps, counted from `begin` on, the process is dead: nothing more is done. */
function mortal(left: number) {
  let isBegun = false
  let dead = false
  const wrap = (db: SqlDatabase): SqlDatabase => ({
    ...db,
    transaction(work) {
      if (isBegun && left-- <= 0) dead = true
      if (dead) throw new Error('This process was killed.')
      return db.transaction(work)
    },
  })
  return {
    main: wrap,
    checkpointFile: (file: CheckpointFile): CheckpointFile => ({ ...file, open: () => wrap(file.open()) }),
    begin: () => void (isBegun = true),
    isDead: () => dead,
  }
}

it('comes to say what the book says, wherever it was cut', async () => {
  for (let seed = 1; seed <= 4; seed++) {
    const dice = createDice(seed)
    const path = newPath()
    const ids: string[] = []
    for (let life = 0; life < 9; life++) {
      const process = mortal(3 + dice.below(40))
      const book = open(path, process)
      process.begin()
      const pick = () => ids[dice.below(ids.length)] ?? 'none'
      const act = async () => {
        const id = `s${seed}-${life}-${ids.length}`
        switch (dice.below(8)) {
          case 0:
            return book.engine.call('kstar:forget', { id: pick() })
          case 1:
            return book.engine.call('kstar:purge', { id: pick() })
          case 2:
            return book.engine.call('kstar:update_perception', {
              id: pick(),
              updates: { content: `Edited in life ${life}` },
            })
          case 3:
            return book.pass(dice.below(12_000))
          default:
            ids.push(id)
            return store(book, id)
        }
      }
      while (!process.isDead()) await act().catch(() => undefined)
      book.engine.store.checkpoint?.close()
      book.engine.store.db.close()
    }
    const book = open(path)
    await book.pass(60_000)
    expect((await status(book)).checkpointAt).toBeDefined()
    expect(book.warnings).toEqual([])
    book.engine.close()
    expect({ seed, rows: rowsOf(copyOf(path)) }).toEqual({ seed, rows: rowsOf(path) })
  }
})

it('has nothing of what was forgotten once that is answered, and no trace of what was purged', async () => {
  const path = await filled(120)
  const book = open(path)
  await book.engine.call('kstar:forget', { id: 'p-7' })
  const bodies = () => rowsOf(copyOf(path)).map((row) => (row as { id: string; body: string }).body)
  // No time has passed, and the next thing that happens may be the end.
  book.engine.store.checkpoint?.close()
  expect(bodies().join()).not.toContain('Content of p-7"')
  book.engine.close()

  const again = open(path)
  await again.engine.call('kstar:purge', { id: 'p-11' })
  const files = [path, copyOf(path)].flatMap((one) => [one, `${one}-wal`]).filter((one) => existsSync(one))
  for (const file of files) expect(readFileSync(file, 'latin1')).not.toContain('Content of p-11"')
  expect(readFileSync(copyOf(path), 'latin1')).toContain('Content of p-12"')
  again.engine.close()
})

it('gives back what can no longer be read, and says so', async () => {
  const path = await filled(300)
  const before = open(path)
  const all = await held(before)
  await before.engine.call('kstar:forget', { id: 'p-41' })
  await before.engine.call('kstar:update_perception', {
    id: 'p-40',
    updates: { content: 'Too late for the copy' },
  })
  before.engine.close()
  const lost = ['Too late for the copy', 'Content of p-90"', 'Content of p-200"']
  breakPages(
    path,
    lost.flatMap((text) => pagesWith(path, text)),
  )

  const mended = open(path)
  expect(await held(mended)).toEqual(all.filter((one) => !one.startsWith('p-41:')))
  const { degraded, sync } = await status(mended)
  expect(degraded.join()).toMatch(
    /not all of .*records.* could be read; \d+ records came back from the checkpoint of 2026-07-01T00:00:05/,
  )
  // The outbox has them all, the tombstone too.
  expect(sync.pending).toBe(300)
  // What came back lacks the edit that the copy did not have, and goes on above its history.
  await mended.engine.call('kstar:update_perception', { id: 'p-40', updates: { content: 'Edited again' } })
  const { versions } = (await mended.engine.call('kstar:history', { id: 'p-40' })) as {
    versions: { version: number; body?: { content: string } }[]
  }
  expect(versions.map(({ body }) => body?.content)).toEqual([
    'Content of p-40',
    'Content of p-40',
    'Edited again',
  ])
  await mended.pass(60_000)
  mended.engine.close()
  expect(rowsOf(copyOf(path))).toEqual(rowsOf(path))
})

it('gives back everything from bare pages where the tables have lost their roots', async () => {
  const path = await filled(60)
  const roots = ['records', 'book', 'ops'].map((table) => rootOf(path, table))
  breakPages(path, roots)
  const mended = open(path)
  expect(await held(mended)).toHaveLength(60)
  const degraded = [expect.stringContaining('60 records came from pages that no table linked')]
  expect(await status(mended)).toMatchObject({ degraded, sync: { pending: 60 } })
  mended.engine.close()
})

it.each([
  ['every page of the records is gone', ['records', 'book', 'ops']],
  ['the file was emptied', truncateSync],
  ['the file was deleted', rmSync],
] as const)('gives back everything from the checkpoint where %s', async (_name, tables) => {
  const path = await filled(60)
  if (typeof tables === 'function') tables(path)
  else breakPages(path, [...leavesOf(path, 'records'), ...tables.map((table) => rootOf(path, table))])
  const mended = open(path)
  expect(await held(mended)).toHaveLength(60)
  const degraded = [expect.stringContaining('60 records came back from the checkpoint')]
  expect(await status(mended)).toMatchObject({ degraded, sync: { pending: 60 } })
  mended.engine.close()
})

it('is removed where none is wanted, and begins anew beside a book that was put back and took what came later', async () => {
  const path = await filled(10)
  const earlier = `${path}.earlier`
  copyFileSync(path, earlier)
  const later = open(path)
  await store(later, 'p-later')
  await later.pass(60_000)
  later.engine.close()
  expect(rowsOf(copyOf(path))).toHaveLength(11)
  copyFileSync(earlier, path)
  const back = open(path)
  await back.pass(60_000)
  back.engine.close()
  for (const file of [path, copyOf(path)]) expect(rowsOf(file)).toHaveLength(11)

  const without = open(path, { isWanted: false })
  expect(existsSync(copyOf(path))).toBe(false)
  await without.engine.call('kstar:forget', { id: 'p-3' })
  expect((await status(without)).checkpointAt).toBeUndefined()
  without.engine.close()
  const anew = open(path)
  await anew.pass(60_000)
  anew.engine.close()
  expect(rowsOf(copyOf(path))).toEqual(rowsOf(path))
})

it('takes itself away where it finds no room, and the book goes on', async () => {
  const path = await filled(10)
  const tight = open(path, { checkpointFile: (file) => ({ ...file, fits: () => false }) })
  await tight.pass(60_000)
  expect(existsSync(copyOf(path))).toBe(false)
  tight.engine.close()
  await open(path).pass(1)
})

it('begins anew when its own file is broken, and no call knows of it', async () => {
  const path = await filled(50)
  writeFileSync(copyOf(path), Buffer.alloc(40_000, 0xa5))
  const book = open(path)
  await book.engine.call('kstar:forget', { id: 'p-1' })
  expect(book.warnings).toHaveLength(1)
  await store(book, 'p-after')
  await book.pass(60_000)
  expect(await held(book)).toHaveLength(50)
  expect(existsSync(copyOf(path))).toBe(false)
  book.engine.close()
  const next = open(path)
  await next.pass(60_000)
  next.engine.close()
  expect(rowsOf(copyOf(path))).toEqual(rowsOf(path))
})

it('stays when pages of the book turn out to be broken while they are copied', async () => {
  const path = newPath()
  const whole = open(path)
  for (let i = 0; i < 1400; i++) await store(whole, `p-${i}`)
  await whole.pass(4000)
  whole.engine.close()
  // Opening reads the newest thousand.
  breakPages(path, leavesOf(path, 'records').slice(20, 22))
  const broken = open(path)
  await broken.pass(60_000)
  expect((await status(broken)).degraded.join()).toContain('damaged: part of the file cannot be read')
  expect(broken.warnings).toEqual([])
  broken.engine.close()
  const copied = rowsOf(copyOf(path)).length
  expect(copied).toBeGreaterThan(100)
  expect(copied).toBeLessThan(1400)
})

it('keeps what a record said when its bytes are garbled in the book, and copies all others', async () => {
  const path = await filled(100)
  {
    using db = new DatabaseSync(path)
    db.exec("UPDATE records SET body = '{ca' WHERE id = 'p-50'")
    db.exec("INSERT INTO checkpoint_stale VALUES ((SELECT seq FROM records WHERE id = 'p-50'))")
  }
  const book = open(path)
  await store(book, 'p-new')
  await book.pass(60_000)
  expect(book.engine.store.checkpoint?.completeAt()).toMatch(/^2026-07-01T00:00:05/)
  book.engine.close()
  using copy = new DatabaseSync(copyOf(path))
  const bodyOf = (id: string) => copy.prepare('SELECT body FROM records WHERE id = ?').get(id)?.['body']
  expect(bodyOf('p-50')).toContain('Content of p-50')
  expect(bodyOf('p-new')).toContain('Content of p-new')
})
