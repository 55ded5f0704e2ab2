// What was said in a mirror's meeting room is not in its file afterwards, also where deleted bytes stay where they stood.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it } from 'vitest'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { openRoomRow } from '../../../../src/store/mirror/room-row.ts'
import { migrate } from '../../../../src/store/schema/version.ts'
import { Settings } from '../../../../src/store/schema/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-room-'))
afterAll(() => rmSync(folder, { recursive: true }))

it.each([100, 40_000])('leaves nothing of %i letters of talk in the file of a mirror', (length) => {
  const path = join(folder, `${length}.sqlite3`)
  const db = openNodeDatabase({ path })
  db.exec('PRAGMA secure_delete = OFF')
  migrate(db, '2026-01-01T00:00:00.000Z')
  const rows = openRoomRow({ ...db, keepsDeleted: true }, new Settings(db))
  const talk = (word: string) => word.repeat(Math.ceil(length / word.length))
  const write = (word: string) =>
    db.transaction(() =>
      rows.write({
        stamp: 'a stamp',
        state: talk(`state ${word} ü`),
        bytes: new TextEncoder().encode(talk(word)),
      }),
    )
  const inFile = () => {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    return readFileSync(path).toString('latin1')
  }
  write('first whisper ')
  expect(inFile()).toContain('first whisper')
  write('second, longer whisper ')
  expect(inFile()).not.toContain('first whisper')
  db.transaction(() => rows.remove())
  expect(rows.read()).toBeUndefined()
  expect(inFile()).not.toContain('whisper')
  db.close()
  using plain = new DatabaseSync(path)
  expect(plain.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
})
