// No free page contains a deleted row after clearing, in any place and listing order. SQLite of Node replaces that of a Durable
// Object: the same code lists the free pages, and the test reads their bytes.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it } from 'vitest'
import type { SqlRow } from '../../../src/core/ports.ts'
import { clearFreePages } from '../../../worker/free-pages.ts'
import { createDice } from '../../support/dice.ts'

const pageBytes = 4096
const folder = mkdtempSync(join(tmpdir(), 'daybook-free-'))
const path = join(folder, 'book.sqlite3')
afterAll(() => rmSync(folder, { recursive: true }))

function openUnsafe(): DatabaseSync {
  rmSync(path, { force: true })
  const db = new DatabaseSync(path)
  db.exec('PRAGMA secure_delete = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -100000')
  return db
}

const pragma = (db: DatabaseSync, name: string) => Number(db.prepare(`PRAGMA ${name}`).get()?.[name])

/** Clears in a transaction, as `do-database.ts` does. */
function clear(db: DatabaseSync): void {
  const undo = () => db.exec('ROLLBACK TO part; RELEASE part')
  db.exec('SAVEPOINT whole')
  clearFreePages({
    query: <Row extends SqlRow>(text: string, params: readonly (string | number)[] = []) =>
      db.prepare(text).all(...params) as Row[],
    usedPages: () => pragma(db, 'page_count') - pragma(db, 'freelist_count'),
    keepIf(work) {
      db.exec('SAVEPOINT part')
      const stays = work()
      if (stays) db.exec('RELEASE part')
      else undo()
      return stays
    },
  })
  db.exec('RELEASE whole')
}

/** The free pages of the closed file (fileformat.html#the_freelist). */
function freePages(bytes: Buffer): Buffer[] {
  const page = (number: number) => bytes.subarray((number - 1) * pageBytes, number * pageBytes)
  const found: Buffer[] = []
  for (let part = bytes.readUInt32BE(32); part > 0; part = page(part).readUInt32BE(0)) {
    found.push(page(part))
    for (let i = 0; i < page(part).readUInt32BE(4); i++) found.push(page(page(part).readUInt32BE(8 + 4 * i)))
  }
  return found
}

/** Clears and closes the database. Returns how many free pages have deleted text, and how much the file grew. */
function dirtyAfter(db: DatabaseSync): { dirty: number; grewPages: number } {
  const before = pragma(db, 'page_count')
  clear(db)
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  const grewPages = pragma(db, 'page_count') - before
  expect(db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name LIKE 'free%'").get()).toEqual({
    n: 0,
  })
  db.close()
  const dirty = freePages(readFileSync(path)).filter((page) => page.includes('forgotten')).length
  return { dirty, grewPages }
}

it('leaves no deleted text in the free pages of random databases', () => {
  for (let seed = 1; seed <= 80; seed++) {
    const dice = createDice(seed)
    const db = openUnsafe()
    const tables = 1 + dice.below(4)
    for (let i = 0; i < tables; i++) db.exec(`CREATE TABLE t${i} (id INTEGER PRIMARY KEY, v)`)
    for (let i = dice.below(60); i > 0; i--)
      db.exec(`CREATE TABLE ${'x'.repeat(1 + dice.below(60))}${i} (a, b)`)
    for (let round = dice.below(6); round >= 0; round--) {
      db.exec('BEGIN')
      for (let i = dice.below([10, 100, 400][dice.below(3)] ?? 0); i > 0; i--) {
        const text = 'forgotten '.repeat(1 + dice.below([20, 300, 3000][dice.below(3)] ?? 0))
        db.prepare(`INSERT INTO t${dice.below(tables)} (v) VALUES (?)`).run(text)
      }
      if (dice.below(2) === 0) db.exec('COMMIT; BEGIN')
      db.exec(`DELETE FROM t${dice.below(tables)} WHERE id % ${1 + dice.below(4)} = 0`)
      db.exec('COMMIT')
    }
    const { dirty, grewPages } = dirtyAfter(db)
    expect([seed, dirty]).toEqual([seed, 0])
    expect(grewPages).toBeLessThan(24)
  }
})

/** The text of a row with this many pages of its own. */
const textOf = (pages: number) => 'forgotten '.repeat(pages * 410).slice(0, 480 + pages * 4092)

/**
 * Rows with these numbers of pages, one after the other up to the end of the database, deleted from the last to the
 * first: the list of free pages then has them in the order of the file.
 */
function withFreeEnd(rows: readonly number[]): DatabaseSync {
  const db = openUnsafe()
  db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, v)')
  for (const pages of rows) db.prepare('INSERT INTO t (v) VALUES (?)').run(textOf(pages))
  for (let id = rows.length; id > 0; id--) db.prepare('DELETE FROM t WHERE id = ?').run(id)
  expect(pragma(db, 'freelist_count')).toBe(rows.reduce((sum, pages) => sum + pages, 0))
  return db
}

it.each([1, 2, 3, 200, 1000])('clears %i free pages at the end of the database', (pages) => {
  expect(dirtyAfter(withFreeEnd([pages, 1]))).toMatchObject({ dirty: 0 })
})

it('clears free pages at the end that are listed in several parts', () => {
  // The first part has few pages: somewhere here it is empty when the list is checked.
  for (let pages = 1; pages <= 24; pages++) {
    const { dirty } = dirtyAfter(withFreeEnd([pages, 1, 1016, 1, 1016, 1]))
    expect([pages, dirty]).toEqual([pages, 0])
  }
})

it('makes the file little larger, however often it clears', () => {
  const db = withFreeEnd([1500])
  for (let i = 0; i < 10; i++) clear(db)
  expect(dirtyAfter(db)).toEqual({ dirty: 0, grewPages: expect.toSatisfy((n: number) => n < 16) as number })
})
