// The law of `SqlDatabase` as data: what is done, and what must come of it. A case can run in a worker and be
// judged outside, because what it answers is plain data.
import type { SqlDatabase, SqlValue } from '../../../src/core/ports.ts'

export interface SqlDatabaseCase {
  readonly title: string
  /** Gets a database with an empty table `t (id INTEGER PRIMARY KEY, v)`. */
  readonly run: (db: SqlDatabase) => unknown
  readonly expected: unknown
}

const values: SqlValue[] = [
  '',
  'text \u0000 ünï 🙂',
  0,
  -1,
  1.5,
  -0.25,
  2 ** 31,
  2 ** 53 - 1,
  -(2 ** 53 - 1),
  null,
]
const blob = new Uint8Array([0, 255, 7])
const all = (db: SqlDatabase) =>
  db.all<{ id: number; v: string }>('SELECT id, v FROM t ORDER BY id').map(({ v }) => v)
const put = (db: SqlDatabase, v: SqlValue) => db.run('INSERT INTO t (v) VALUES (?)', [v])

/** The message of what `work` throws, or undefined. */
function thrown(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export const sqlDatabaseCases: readonly SqlDatabaseCase[] = [
  {
    title: 'gives values back as they went in',
    run(db) {
      for (const value of [...values, blob]) put(db, value)
      const found = db.all('SELECT v FROM t ORDER BY id').map((row) => row['v'])
      const last = found.pop()
      return [found, last instanceof Uint8Array ? [...last] : 'not bytes']
    },
    expected: [values, [...blob]],
  },
  {
    title: 'keeps a megabyte of bytes in one value',
    run(db) {
      const bytes = Uint8Array.from({ length: 1_000_000 }, (_, i) => (i * 31 + (i >>> 8)) & 0xff)
      put(db, bytes)
      const found = db.get('SELECT v FROM t')?.['v']
      return (
        found instanceof Uint8Array && found.length === bytes.length && found.every((b, i) => b === bytes[i])
      )
    },
    expected: true,
  },
  {
    title: 'answers the first row, or undefined, and all rows',
    run(db) {
      const none = db.get('SELECT v FROM t') ?? 'none'
      put(db, 'a')
      put(db, 'b')
      return [none, db.get('SELECT id, v FROM t ORDER BY id'), db.all('SELECT id FROM t WHERE v = ?', ['c'])]
    },
    expected: ['none', { id: 1, v: 'a' }, []],
  },
  {
    title: 'runs several statements without parameters',
    run(db) {
      db.exec("INSERT INTO t (v) VALUES ('a'); INSERT INTO t (v) VALUES ('b;''c');")
      return all(db)
    },
    expected: ['a', "b;'c"],
  },
  {
    title: 'uses a statement again after it failed',
    run(db) {
      const insert = (id: number) => db.run('INSERT INTO t (id, v) VALUES (?, ?)', [id, 'x'])
      insert(1)
      const failure = thrown(() => insert(1))
      insert(2)
      return [/UNIQUE/.test(failure ?? ''), all(db).length]
    },
    expected: [true, 2],
  },
  {
    title: 'commits a transaction and answers its result',
    run(db) {
      const answer = db.transaction(() => {
        put(db, 'kept')
        return 42
      })
      return [answer, all(db)]
    },
    expected: [42, ['kept']],
  },
  {
    title: 'undoes a transaction that throws, throws the same, and goes on',
    run(db) {
      const failure = thrown(() =>
        db.transaction(() => {
          put(db, 'lost')
          throw new Error('on purpose')
        }),
      )
      const after = all(db)
      db.transaction(() => put(db, 'next'))
      return [failure, after, all(db)]
    },
    expected: ['on purpose', [], ['next']],
  },
  {
    title: 'undoes a transaction whose statement fails',
    run(db) {
      put(db, 'first')
      const failure = thrown(() =>
        db.transaction(() => {
          put(db, 'lost')
          db.run('INSERT INTO t (id, v) VALUES (1, ?)', ['twice'])
        }),
      )
      return [/UNIQUE/.test(failure ?? ''), all(db)]
    },
    expected: [true, ['first']],
  },
  {
    title: 'does not nest transactions',
    run(db) {
      const failure = thrown(() => db.transaction(() => db.transaction(() => put(db, 'never'))))
      return [typeof failure, all(db)]
    },
    expected: ['string', []],
  },
  {
    title: 'throws for a wrong statement and goes on',
    run: (db) => [
      /nowhere/.test(thrown(() => db.all('SELECT a FROM nowhere')) ?? ''),
      db.get('SELECT 1 AS one'),
    ],
    expected: [true, { one: 1 }],
  },
  {
    title: 'takes 100 parameters, and lists through json_each',
    run(db) {
      const hundred = Array.from({ length: 100 }, (_, i) => i)
      const sum = db.get(`SELECT ${hundred.map(() => '?').join(' + ')} AS sum`, hundred)
      const many = JSON.stringify(Array.from({ length: 5000 }, (_, i) => i))
      return [sum, db.get('SELECT count(*) AS n FROM json_each(?)', [many])]
    },
    expected: [{ sum: 4950 }, { n: 5000 }],
  },
  {
    title: 'takes a text of two million characters, and small ones after it',
    run(db) {
      put(db, 'é'.repeat(900_000))
      put(db, 'small')
      return db.all('SELECT length(v) AS n FROM t ORDER BY id')
    },
    expected: [{ n: 900_000 }, { n: 5 }],
  },
  {
    title: 'has full-text search: porter, bm25, contentless with deletes, fts5vocab',
    run(db) {
      db.exec(`CREATE VIRTUAL TABLE x USING fts5 (a, b, content = '', contentless_delete = 1,
        tokenize = 'porter unicode61 remove_diacritics 2'); CREATE VIRTUAL TABLE w USING fts5vocab (x, row)`)
      db.run('INSERT INTO x (rowid, a, b) VALUES (?, ?, ?)', [1, 'running dogs', 'Straße'])
      db.run('INSERT INTO x (rowid, a, b) VALUES (?, ?, ?)', [2, 'a dog', 'café'])
      const find = (text: string) =>
        db.all('SELECT rowid FROM x WHERE x MATCH ? ORDER BY rowid', [text]).map((row) => row['rowid'])
      const scored = db.all('SELECT bm25(x) AS score FROM x WHERE x MATCH ?', ['"runs" OR "cafe"'])
      const found = [
        find('"runs" OR "cafe"'),
        find('{b} : ("dog")'),
        scored.every((row) => Number(row['score']) < 0),
      ]
      const vocabulary = db.get('SELECT doc FROM w WHERE term = ?', ['dog'])
      db.run('DELETE FROM x WHERE rowid = ?', [1])
      return [...found, vocabulary, find('"dogs"')]
    },
    expected: [[1, 2], [], true, { doc: 2 }, [2]],
  },
  {
    title: 'takes out for good what was deleted, and nothing else',
    run(db) {
      put(db, 'kept')
      for (let i = 2; i < 50; i++) put(db, 'x'.repeat(20_000))
      db.run('DELETE FROM t WHERE id > 1')
      const before = db.sizeBytes()
      db.scrub()
      // Where the host lets pages be cut off at all, all free ones are.
      const size = db.sizeBytes()
      return [db.all('SELECT * FROM t').length, size === before || size < 100_000]
    },
    expected: [1, true],
  },
  {
    title: 'says how large it is',
    run(db) {
      const before = db.sizeBytes()
      put(db, 'x'.repeat(1_000_000))
      return db.sizeBytes() > before + 900_000
    },
    expected: true,
  },
]
