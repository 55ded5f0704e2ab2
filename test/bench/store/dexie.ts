// Dexie with its own bulk call for batches.
import { Dexie, type EntityTable } from 'dexie'
import type { BenchTrace, StorePeer } from '../peer.ts'

export const dexie: StorePeer = {
  name: 'Dexie',
  mode: 'IndexedDB, relaxed, three indexes',
  idField: 'id',
  async open(name) {
    const db = new Dexie(name)
    db.version(1).stores({ traces: 'id, timestamp, situation.domain, action.type' })
    await db.open()
    const table = db.table('traces') as EntityTable<BenchTrace & { id: string }, 'id'>
    return {
      storeOne: (trace) => table.put(trace as BenchTrace & { id: string }),
      storeMany: (traces) => table.bulkPut(traces as (BenchTrace & { id: string })[]),
      firstRead: async (domain) =>
        (await table.where('situation.domain').equals(domain).limit(20).toArray()).length,
      count: () => table.count(),
      close: () => Promise.resolve(db.close()),
    }
  },
}
