// A book with a damaged first page of a table or index: opening repairs it, before a call meets the damage.
import { closeSync, copyFileSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-root-page-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const whole = join(folder, 'whole.daybook')
const open = (path: string) => openDaybook({ name: 'root', path, checkpoint: false })

beforeAll(async () => {
  await using book = await open(whole)
  await book.perceptions.store({ id: 'one', content: 'The harbour is closed' })
  // A read that needs the derived tables, so that they are written.
  await book.perceptions.query()
})

/** The number of the first page of the table or index. */
function rootOf(path: string, name: string): number {
  using db = new DatabaseSync(path, { readOnly: true })
  return Number(db.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').get(name)?.['rootpage'])
}

it.each(['sqlite_autoindex_records_1', 'conflicts', 'stale', 'facets_happened', 'ops_mid'])(
  'repairs a zeroed first page of %s at once',
  async (name) => {
    const path = join(folder, `${name}.daybook`)
    copyFileSync(whole, path)
    const at = 4096 * (rootOf(path, name) - 1)
    expect(at).toBeGreaterThan(0)
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(4096), 0, 4096, at)
    closeSync(file)
    await using book = await open(path)
    expect((await book.status()).degraded).toEqual([expect.stringMatching(/^mended: /)])
    expect((await book.perceptions.query()).records).toMatchObject([{ id: 'one' }])
  },
)

it('finds no fault in a whole book', async () => {
  await using book = await open(whole)
  expect((await book.status()).degraded).toEqual([])
})
