// Books that the code of every earlier schema wrote, opened by this code.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { schemaVersion } from '../../../../src/store/schema/schema.ts'
import { expectStored } from '../../../stored/expect-stored.ts'
import type { StoredBook } from '../../../stored/stored-book.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-stored-'))
afterAll(() => rmSync(folder, { recursive: true }))
const place = (version: number) => join(import.meta.dirname, '../../../stored/book', `schema-${version}`)
const versions = Array.from({ length: schemaVersion }, (_, i) => i + 1)

it('has a stored book of every schema', () => {
  const missing = versions.filter((version) => !existsSync(`${place(version)}.book`))
  expect(
    missing,
    'A migration was added: run `node test/stored/make-book.ts` and commit what it makes',
  ).toEqual([])
})

it.each(versions)('brings a book of schema %d to the present one, and loses nothing', async (version) => {
  const path = join(folder, `schema-${version}.daybook`)
  writeFileSync(path, gunzipSync(readFileSync(`${place(version)}.book`)))
  const stored = JSON.parse(readFileSync(`${place(version)}.json`, 'utf8')) as StoredBook
  expect(stored.version).toBe(version)
  await using book = await openDaybook({ name: 'stored', path, agent: 'reader' })
  await expectStored(book, stored)
})
