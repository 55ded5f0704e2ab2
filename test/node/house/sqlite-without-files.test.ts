// A page's SQLite without Emscripten's file system (scripts/without-files.mjs) still does all that a book needs.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { slimWorker } from '../../../scripts/bundle-plugin.mjs'
import { root } from '../../../scripts/place.mjs'
import { withoutFiles } from '../../../scripts/without-files.mjs'

const sources = join(root, 'node_modules/@sqlite.org/sqlite-wasm/dist')
type Start = (options: { wasmBinary: Uint8Array }) => Promise<Sqlite3Static>

const folder = mkdtempSync(join(root, '.cache/files-'))
let code = ''
let sqlite3: Sqlite3Static

beforeAll(async () => {
  const bundle = await rolldown({ input: join(sources, 'index.mjs'), plugins: [slimWorker()] })
  code = (await bundle.generate({ format: 'es', codeSplitting: false })).output[0].code
  await bundle.close()
  writeFileSync(join(folder, 'sqlite.mjs'), code)
  const { default: start } = (await import(join(folder, 'sqlite.mjs'))) as { default: Start }
  sqlite3 = await start({ wasmBinary: readFileSync(join(sources, 'sqlite3.wasm')) })
})
afterAll(() => rmSync(folder, { recursive: true }))

it('starts the random numbers of SQLite with those of the system', () => {
  const random = vi.spyOn(crypto, 'getRandomValues')
  try {
    const db = new sqlite3.oo1.DB(':memory:')
    expect(db.selectValue('SELECT length(hex(randomblob(16)))')).toBe(32)
    db.close()
    const lengths = random.mock.calls.map(([bytes]) => bytes?.byteLength ?? 0)
    expect(Math.max(...lengths)).toBeGreaterThanOrEqual(32)
  } finally {
    random.mockRestore()
  }
})

it('sorts, stores temporary rows and makes the file smaller in memory', () => {
  const db = new sqlite3.oo1.DB(':memory:')
  db.exec(`CREATE TABLE word (text TEXT NOT NULL);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
    INSERT INTO word SELECT hex(randomblob(40)) FROM n;
    CREATE TEMP TABLE sorted AS SELECT text FROM word ORDER BY text DESC;
    DELETE FROM word WHERE rowid % 2; VACUUM; CREATE INDEX by_text ON word (text);`)
  expect(db.selectValue('SELECT count(*) FROM word')).toBe(30_000)
  expect(db.selectValue('SELECT count(*) FROM sorted')).toBe(60_000)
  expect(db.selectValue('PRAGMA integrity_check')).toBe('ok')
  expect(db.selectValue("SELECT datetime(0, 'unixepoch', 'localtime')")).toMatch(/^19(?:69|70)-/)
  db.close()
})

it('refuses a file outside of OPFS, instead of losing it with the page', () => {
  expect(() => new sqlite3.oo1.DB('/book.db', 'c')).toThrow(/SQLITE_CANTOPEN|unable to open/)
})

it('fails if a part of the script is missing', () => {
  const script = readFileSync(join(sources, 'index.mjs'), 'utf8')
  expect(code).not.toContain('MEMFS')
  expect(withoutFiles(script).length).toBeLessThan(script.length - 50_000)
  expect(() => withoutFiles(script.replace('\tvar MEMFS = ', '\tvar OTHER = '))).toThrow(
    'Expected exactly one declaration of MEMFS',
  )
  expect(() => withoutFiles(script.replace('\t\tTTY.init();\n', ''))).toThrow(
    'Expected exactly one TTY.init();',
  )
  expect(() => withoutFiles(script.replace('\tvar INT53_MAX', '\tFS.open();\n\tvar INT53_MAX'))).toThrow(
    'Expected no more calls of FS',
  )
})
