// The law of `SqlDatabase`, as tests: run on every implementation by the tests of its host.
import { describe, expect, it } from 'vitest'
import type { SqlDatabase } from '../../src/core/ports.ts'

/** `open` gives an empty database; the suite closes it. */
export function sqlDatabaseContract(name: string, open: () => Promise<SqlDatabase>): void {
  const withDb = (work: (db: SqlDatabase) => void) => async () => {
    const db = await open()
    try {
      db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, v)')
      work(db)
    } finally {
      db.close()
    }
  }

  describe(`SqlDatabase: ${name}`, () => {
    it(
      'gives values back as they went in',
      withDb((db) => {
        const values = ['', 'text \u0000 ünï 🙂', 0, -1, 1.5, 2 ** 53 - 1, -(2 ** 53 - 1), null, new Uint8Array([0, 255, 7])]
        values.forEach((value, i) => db.run('INSERT INTO t (id, v) VALUES (?, ?)', [i, value]))
        const rows = db.all<{ v: never }>('SELECT v FROM t ORDER BY id')
        expect(rows.map((row) => row.v)).toEqual(values)
        expect(rows[8]?.v).toBeInstanceOf(Uint8Array)
      }),
    )

    it(
      'answers the first row, or undefined',
      withDb((db) => {
        expect(db.get('SELECT v FROM t')).toBeUndefined()
        db.run('INSERT INTO t (v) VALUES (?)', ['a'])
        db.run('INSERT INTO t (v) VALUES (?)', ['b'])
        expect(db.get('SELECT id, v FROM t ORDER BY id')).toEqual({ id: 1, v: 'a' })
        expect(db.all('SELECT id FROM t WHERE v = ?', ['none'])).toEqual([])
      }),
    )

    it(
      'runs several statements without parameters',
      withDb((db) => {
        db.exec("INSERT INTO t (v) VALUES ('a'); INSERT INTO t (v) VALUES ('b;''c');")
        expect(db.all('SELECT v FROM t ORDER BY id')).toEqual([{ v: 'a' }, { v: "b;'c" }])
      }),
    )

    it(
      'commits a transaction and answers its result',
      withDb((db) => {
        const answer = db.transaction(() => {
          db.run('INSERT INTO t (v) VALUES (?)', ['kept'])
          return 42
        })
        expect(answer).toBe(42)
        expect(db.all('SELECT v FROM t')).toEqual([{ v: 'kept' }])
      }),
    )

    it(
      'undoes a transaction that throws, and throws the same',
      withDb((db) => {
        const failure = new Error('on purpose')
        const failing = () =>
          db.transaction(() => {
            db.run('INSERT INTO t (v) VALUES (?)', ['lost'])
            throw failure
          })
        expect(failing).toThrow(failure)
        expect(db.all('SELECT v FROM t')).toEqual([])
        db.transaction(() => db.run('INSERT INTO t (v) VALUES (?)', ['next']))
        expect(db.all('SELECT v FROM t')).toEqual([{ v: 'next' }])
      }),
    )

    it(
      'undoes a transaction whose statement fails',
      withDb((db) => {
        db.run('INSERT INTO t (id, v) VALUES (1, ?)', ['first'])
        const failing = () =>
          db.transaction(() => {
            db.run('INSERT INTO t (id, v) VALUES (2, ?)', ['lost'])
            db.run('INSERT INTO t (id, v) VALUES (1, ?)', ['twice'])
          })
        expect(failing).toThrow(/UNIQUE/)
        expect(db.all('SELECT id FROM t')).toEqual([{ id: 1 }])
      }),
    )

    it(
      'throws for a wrong statement and goes on',
      withDb((db) => {
        expect(() => db.all('SELECT a FROM nowhere')).toThrow(/nowhere/)
        expect(db.get('SELECT 1 AS one')).toEqual({ one: 1 })
      }),
    )

    it(
      'takes 100 parameters, and lists through json_each',
      withDb((db) => {
        const hundred = Array.from({ length: 100 }, (_, i) => i)
        const marks = hundred.map(() => '?').join(' + ')
        expect(db.get(`SELECT ${marks} AS sum`, hundred)).toEqual({ sum: 4950 })
        const many = JSON.stringify(Array.from({ length: 5000 }, (_, i) => i))
        expect(db.get('SELECT count(*) AS n FROM json_each(?)', [many])).toEqual({ n: 5000 })
      }),
    )

    it(
      'has full-text search: porter, bm25, contentless with deletes, fts5vocab',
      withDb((db) => {
        db.exec(`CREATE VIRTUAL TABLE x USING fts5 (a, b, content = '', contentless_delete = 1,
          tokenize = 'porter unicode61 remove_diacritics 2'); CREATE VIRTUAL TABLE w USING fts5vocab (x, row)`)
        db.run('INSERT INTO x (rowid, a, b) VALUES (?, ?, ?)', [1, 'running dogs', 'Straße'])
        db.run('INSERT INTO x (rowid, a, b) VALUES (?, ?, ?)', [2, 'a dog', 'café'])
        const found = db.all('SELECT rowid, bm25(x) < 0 AS scored FROM x WHERE x MATCH ? ORDER BY rank', ['"runs" OR "cafe"'])
        expect(found).toHaveLength(2)
        expect(found.every((row) => row['scored'] === 1)).toBe(true)
        expect(db.all('SELECT rowid FROM x WHERE x MATCH ?', ['{b} : ("dog")'])).toEqual([])
        expect(db.get('SELECT doc FROM w WHERE term = ?', ['dog'])).toEqual({ doc: 2 })
        db.run('DELETE FROM x WHERE rowid = ?', [1])
        expect(db.all('SELECT rowid FROM x WHERE x MATCH ?', ['"dogs"'])).toEqual([{ rowid: 2 }])
      }),
    )

    it(
      'says how large it is',
      withDb((db) => {
        const before = db.sizeBytes()
        db.run('INSERT INTO t (v) VALUES (?)', ['x'.repeat(1_000_000)])
        expect(db.sizeBytes()).toBeGreaterThan(before + 900_000)
      }),
    )
  })
}
