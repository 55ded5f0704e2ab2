// Daybook as its users have it: through its public API, nothing set that they would not set.
import { openDaybook } from '../../../src/index.ts'
import type { StorePeer } from '../peer.ts'

export const daybook: StorePeer = {
  name: 'Daybook',
  mode: 'OPFS, WAL, relaxed; its columns and text index are filled behind the write, before the next read',
  async open(name) {
    const book = await openDaybook({ name, agent: 'bench' })
    return {
      storeOne: (trace) => book.traces.store(trace),
      storeMany: (traces) => book.traces.storeMany({ traces: [...traces] }),
      firstRead: async (_domain, text) => (await book.recall({ text, limit: 20 })).hits.length,
      count: async () => (await book.traces.count()).total,
      close: () => book.close(),
    }
  },
}
