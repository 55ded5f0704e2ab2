// wa-sqlite in a worker, called from the page like everything that SQLite runs here.
import { wrap } from 'comlink'
import type { StorePeer } from '../peer.ts'
import { traceRow } from './sql.ts'
import type { WaSqliteWorker } from './wa-sqlite.worker.ts'

export const waSqlite: StorePeer = {
  name: 'wa-sqlite',
  mode: 'AccessHandlePoolVFS, exclusive, WAL, synchronous=NORMAL, three indexes',
  idField: 'id',
  async open(name) {
    const worker = new Worker(new URL('./wa-sqlite.worker.ts', import.meta.url), { type: 'module' })
    const remote = wrap<WaSqliteWorker>(worker)
    await remote.open(name)
    return {
      storeOne: (trace) => remote.store([traceRow(trace)]),
      storeMany: (traces) => remote.store(traces.map(traceRow)),
      firstRead: async (domain) => (await remote.byDomain(domain)).length,
      count: () => remote.count(),
      async close() {
        await remote.close()
        worker.terminate()
      },
    }
  },
}
