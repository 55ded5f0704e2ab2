// PGlite in the page, on IndexedDB, with the durability it has unless told otherwise.
import { PGlite } from '@electric-sql/pglite'
import type { StorePeer } from '../peer.ts'
import { createTable, traceRow } from './sql.ts'

const insertOne = 'INSERT INTO traces VALUES ($1, $2, $3, $4, $5)'
const insertMany =
  "INSERT INTO traces SELECT t->>'id', t->>'timestamp', t->'situation'->>'domain', t->'action'->>'type', t " +
  'FROM jsonb_array_elements($1::jsonb) AS t'

export const pglite: StorePeer = {
  name: 'PGlite',
  mode: 'idb://, its default durability (each statement waits for the file system), jsonb, three indexes',
  idField: 'id',
  async open(name) {
    const db = await PGlite.create(`idb://${name}`)
    for (const statement of createTable) await db.exec(statement.replace('body TEXT', 'body JSONB'))
    return {
      storeOne: (trace) => db.query(insertOne, traceRow(trace)),
      storeMany: (traces) => db.query(insertMany, [JSON.stringify(traces)]),
      firstRead: async (domain) =>
        (await db.query('SELECT body FROM traces WHERE domain = $1 LIMIT 20', [domain])).rows.length,
      count: async () =>
        Number((await db.query<{ n: number }>('SELECT count(*) AS n FROM traces')).rows[0]?.n),
      close: () => db.close(),
    }
  },
}
