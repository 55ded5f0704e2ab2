// Erased and scrubbed text is in no byte of a host's files: not in its old place, in copies that SQLite made when it moved
// rows, in reused pages, or in segments of the text index.
import { describe, expect, it } from 'vitest'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import { eraseRows, overwriteText } from '../../../src/store/record/erase-rows.ts'
import { createDice } from '../../support/dice.ts'

export interface ErasedBytes {
  readonly db: SqlDatabase
  /** All that is kept now, of all files. */
  bytes(): Promise<Uint8Array>
}

const tables = `
CREATE TABLE records (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL);
CREATE TABLE history (
  seq INTEGER NOT NULL, version INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (seq, version)) WITHOUT ROWID;
CREATE TABLE facets (seq INTEGER PRIMARY KEY, subject TEXT);
CREATE INDEX facets_subject ON facets (subject);
CREATE VIRTUAL TABLE words USING fts5 (t, content = '', contentless_delete = 1, tokenize = 'porter unicode61');`
const count = 120
const body = { table: 'records', columns: ['body'], where: 'seq = ?' }
const versions = { table: 'history', columns: ['body'], where: 'seq = ?' }

/** Two letters of a word are never as they are in another one. */
const wordOf = (seq: number) => `zq${seq}xkv${(seq * 7919).toString(36)}jw`

/** Text that is now short, now some pages long. */
function textOf(seq: number, dice: { below(limit: number): number }): string {
  const times = dice.below(5) === 0 ? dice.below(900) : dice.below(40)
  return `${wordOf(seq)} ${'and so on '.repeat(times)}${wordOf(seq)}`
}

function fill(db: SqlDatabase, dice: { below(limit: number): number }): void {
  const change = (seq: number, version: number) => {
    const text = textOf(seq, dice)
    db.transaction(() => {
      db.run('INSERT INTO history SELECT seq, ?, body FROM records WHERE seq = ?', [version, seq])
      db.run('UPDATE records SET body = ? WHERE seq = ?', [text, seq])
      db.run('DELETE FROM words WHERE rowid = ?', [seq])
      db.run('INSERT INTO words (rowid, t) VALUES (?, ?)', [seq, text])
    })
  }
  for (let seq = 1; seq <= count; seq++) {
    const text = textOf(seq, dice)
    db.transaction(() => {
      db.run('INSERT INTO records VALUES (?, ?, ?)', [seq, `id-${dice.below(1e9)}-${seq}`, text])
      db.run('INSERT INTO facets VALUES (?, ?)', [seq, `${dice.below(1000)} ${wordOf(seq)}`])
      db.run('INSERT INTO words (rowid, t) VALUES (?, ?)', [seq, text])
    })
    change(1 + dice.below(seq), seq)
  }
}

/** As a purge does it: what takes the place of the record comes in the same transaction. */
function erase(db: SqlDatabase, seq: number): void {
  db.transaction(() => {
    overwriteText(db, body, [seq])
    db.run("UPDATE records SET body = '{}' WHERE seq = ?", [seq])
    eraseRows(db, versions, [seq])
    db.run('INSERT INTO records VALUES (?, ?, ?)', [
      seq + 10_000,
      `new-${seq}`,
      'something else '.repeat(400),
    ])
    db.run('DELETE FROM facets WHERE seq = ?', [seq])
    db.run('DELETE FROM words WHERE rowid = ?', [seq])
  })
}

export function erasedBytesContract(name: string, open: () => Promise<ErasedBytes>): void {
  describe(`what is erased: ${name}`, () => {
    it.each([1, 3, 4, 5])('is in no byte that is kept, what stays is whole (%i)', async (seed) => {
      const { db, bytes } = await open()
      const dice = createDice(seed)
      db.exec(tables)
      fill(db, dice)
      db.scrub()
      const read = async () => {
        await db.settled?.('write')
        return new TextDecoder('latin1').decode(await bytes()).toLowerCase()
      }
      const before = await read()
      const seqs = Array.from({ length: count }, (_, i) => i + 1)
      expect(seqs.filter((seq) => !before.includes(wordOf(seq)))).toEqual([])
      const gone = seqs.filter((seq) => seq % 3 === 0)
      const stays = seqs.filter((seq) => seq % 3 !== 0)
      const rest = () => db.all('SELECT id, body FROM records WHERE seq <= ? AND seq % 3 <> 0', [count])
      const was = rest()
      for (const seq of gone) erase(db, seq)
      db.transaction(() => db.run("INSERT INTO words (words) VALUES ('optimize')"))
      db.scrub()
      const after = await read()
      expect(gone.filter((seq) => after.includes(wordOf(seq)))).toEqual([])
      expect(stays.filter((seq) => !after.includes(wordOf(seq)))).toEqual([])
      expect(rest()).toEqual(was)
      expect(db.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
      db.close()
    })
  })
}
