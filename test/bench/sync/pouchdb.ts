// PouchDB's replication, in batches as large as Daybook's pages.
import PouchDB from 'pouchdb-browser'
import { createIdSource } from '../trace-source.ts'
import type { SyncPeer } from './sync-peer.ts'

const batch_size = 500

export const pouchdb: SyncPeer = {
  name: 'PouchDB',
  mode: 'CouchDB-style replication, IndexedDB, to express-pouchdb that keeps everything in memory',
  async open(room, server) {
    const db = new PouchDB(room)
    const nextId = createIdSource()
    return {
      async store(traces) {
        const results = await db.bulkDocs(traces.map((trace) => ({ _id: nextId(), ...trace })))
        if (!results.every((result) => 'ok' in result)) throw new Error('PouchDB refused traces')
      },
      sync: () => db.sync(`${server}/${room}`, { batch_size }),
      count: async () => (await db.info()).doc_count,
      close: () => db.close(),
    }
  },
}
