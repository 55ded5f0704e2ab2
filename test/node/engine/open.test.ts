// Opening a book in Node: what is refused, and that a refusal leaves the file free and unchanged.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { failure } from '../../contract/book-case.ts'
import { makeTrace } from '../../support/trace.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-open-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The bytes of a database but for its change counters, which SQLite advances whenever it checkpoints. */
function contentOf(path: string): Buffer {
  const bytes = readFileSync(path)
  return bytes.fill(0, 24, 28).fill(0, 92, 96)
}

it('opens a book that newer code wrote without touching it, and lets go of the file', async () => {
  const path = join(folder, 'newer.daybook')
  const book = await openDaybook({ name: 'newer', path })
  await book.traces.store(makeTrace())
  await book.close()
  const change = (sql: string) => {
    const db = new DatabaseSync(path)
    db.exec(sql)
    db.close()
  }
  change("INSERT INTO schema_version VALUES (99, '2099-01-01T00:00:00.000Z')")
  const before = contentOf(path)
  const newer = await openDaybook({ name: 'newer', path })
  expect((await newer.traces.count()).total).toBe(1)
  const error = await failure(newer.traces.store(makeTrace()))
  expect(error).toMatchObject({ code: 'book-newer', details: { found: 99 } })
  await newer.close()
  expect(contentOf(path).equals(before)).toBe(true)
  change('DELETE FROM schema_version WHERE version = 99')
  await using again = await openDaybook({ name: 'newer', path })
  expect((await again.traces.count()).total).toBe(1)
})

it('refuses a file that another opener holds, and one that is no book', async () => {
  const path = join(folder, 'held.daybook')
  await using book = await openDaybook({ name: 'held', path })
  expect((await failure(openDaybook({ name: 'held', path, share: false }))).code).toBe('open-elsewhere')
  expect((await book.status()).durability).toBe('file')
  const error = await failure(openDaybook({ name: 'held', path: folder }))
  expect(error.code).toBe('storage-failed')
})
