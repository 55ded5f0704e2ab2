// The worker of the FTS5 peer.
import sqlite3InitModule, { type Database, type PreparedStatement } from '@sqlite.org/sqlite-wasm'
import { expose } from 'comlink'
import { hitLimit, timeEach } from '../peer.ts'

const settings = [
  'locking_mode = EXCLUSIVE',
  'journal_mode = WAL',
  'synchronous = NORMAL',
  'cache_size = -32768',
]
const batchSize = 1000

let opened: { db: Database; insert: PreparedStatement; find: PreparedStatement } | undefined

function use() {
  if (!opened) throw new Error('The index is not open')
  return opened
}

const worker = {
  async open() {
    const sqlite = await sqlite3InitModule()
    const pool = await sqlite.installOpfsSAHPoolVfs({ name: 'bench-fts5' })
    const db = new pool.OpfsSAHPoolDb('/bench.sqlite3')
    for (const setting of settings) db.exec(`PRAGMA ${setting}`)
    db.exec("CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')")
    opened = {
      db,
      insert: db.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)'),
      find: db.prepare(
        `SELECT rowid, text, rank FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ${hitLimit}`,
      ),
    }
  },
  add(texts: readonly string[]) {
    const { db, insert } = use()
    for (let from = 0; from < texts.length; from += batchSize) {
      db.transaction(() => {
        texts
          .slice(from, from + batchSize)
          .forEach((text, i) => insert.bind([from + i + 1, text]).stepReset())
      })
    }
  },
  search(questions: readonly string[]) {
    const { find } = use()
    return timeEach(questions, (question) => {
      find.bind(
        question
          .split(' ')
          .map((word) => `"${word}"`)
          .join(' OR '),
      )
      let found = 0
      while (find.step()) {
        find.get([])
        found++
      }
      find.reset()
      return found
    })
  },
  sizeBytes() {
    const { db } = use()
    return Number(db.selectValue('PRAGMA page_count')) * Number(db.selectValue('PRAGMA page_size'))
  },
}
export type Fts5Worker = typeof worker

expose(worker)
