// Daybook as its users have it, with a key.
import { openDaybook } from '../../../src/index.ts'
import type { SyncPeer } from './sync-peer.ts'

export const daybook: SyncPeer = {
  name: 'Daybook',
  mode: 'OPFS; to local workerd, a Durable Object with SQLite on disk; columns and text index are filled afterwards',
  async open(room, server) {
    const sync = { url: server, key: 'development', triggers: 'manual' } as const
    const book = await openDaybook({ name: room, agent: 'bench', sync })
    return {
      store: (traces) => book.traces.storeMany({ traces: [...traces] }),
      sync: () => book.sync(),
      // The first read after a flood fills columns and text index.
      count: async () => (await book.traces.count({}, { deadlineMs: 600_000 })).total,
      close: () => book.close(),
    }
  },
}
