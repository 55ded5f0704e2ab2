// IndexedDB itself, through the thinnest wrapper: the anchor that every store is compared with.
import { type DBSchema, openDB } from 'idb'
import type { BenchTrace, StorePeer } from '../peer.ts'

interface Schema extends DBSchema {
  traces: { key: string; value: BenchTrace; indexes: { timestamp: string; domain: string; action: string } }
}

export const idb: StorePeer = {
  name: 'idb',
  mode: "IndexedDB, Chromium's default durability (relaxed), three indexes",
  idField: 'id',
  async open(name) {
    const db = await openDB<Schema>(name, 1, {
      upgrade(fresh) {
        const traces = fresh.createObjectStore('traces', { keyPath: 'id' })
        traces.createIndex('timestamp', 'timestamp')
        traces.createIndex('domain', 'situation.domain')
        traces.createIndex('action', 'action.type')
      },
    })
    return {
      storeOne: (trace) => db.put('traces', trace),
      storeMany(traces) {
        const transaction = db.transaction('traces', 'readwrite')
        return Promise.all([...traces.map((trace) => transaction.store.put(trace)), transaction.done])
      },
      firstRead: async (domain) => (await db.getAllFromIndex('traces', 'domain', domain, 20)).length,
      count: () => db.count('traces'),
      close: () => Promise.resolve(db.close()),
    }
  },
}
