// SQLocal on its default storage, SQLite's `opfs` VFS, which needs a cross-origin isolated page.
import { SQLocal } from 'sqlocal'
import type { StorePeer } from '../peer.ts'
import { countTraces, createTable, insertTrace, selectByDomain, traceRow } from './sql.ts'

export const sqlocal: StorePeer = {
  name: 'SQLocal',
  mode: 'SQLite on its default storage (`opfs` VFS, rollback journal), three indexes',
  idField: 'id',
  async open(name) {
    const db = new SQLocal(`${name}.sqlite3`)
    for (const statement of createTable) await db.sql(statement)
    return {
      storeOne: (trace) => db.sql(insertTrace, ...traceRow(trace)),
      storeMany: (traces) => db.batch((sql) => traces.map((trace) => sql(insertTrace, ...traceRow(trace)))),
      firstRead: async (domain) => (await db.sql(selectByDomain, domain)).length,
      count: async () => Number((await db.sql<{ n: number }>(countTraces))[0]?.n),
      close: () => db.destroy(),
    }
  },
}
