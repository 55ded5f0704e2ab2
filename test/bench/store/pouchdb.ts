// PouchDB. Its indexes are views, built when they are first asked, not by the write.
import PouchDB from 'pouchdb-browser'
import type { StorePeer } from '../peer.ts'

const view = (field: string) => ({ map: `function (doc) { if (doc.timestamp) emit(doc.${field}) }` })

export const pouchdb: StorePeer = {
  name: 'PouchDB',
  mode: 'IndexedDB, relaxed; views are built by the read that asks them',
  idField: '_id',
  async open(name) {
    const db = new PouchDB(name)
    const views = {
      timestamp: view('timestamp'),
      domain: view('situation.domain'),
      action: view('action.type'),
    }
    await db.put({ _id: '_design/trace', views })
    return {
      storeOne: (trace) => db.put(trace),
      async storeMany(traces) {
        const results = await db.bulkDocs(traces)
        if (!results.every((result) => 'ok' in result)) throw new Error('PouchDB refused traces')
      },
      firstRead: async (domain) =>
        (await db.query('trace/domain', { key: domain, limit: 20, include_docs: true })).rows.length,
      count: async () => (await db.info()).doc_count - 1,
      close: () => db.close(),
    }
  },
}
