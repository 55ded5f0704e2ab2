// Daybook as its users have it: through its public API, nothing set that they would not set.
import { openWith } from '../../../src/hosts/browser/page/open-daybook.ts'
import { openDaybook } from '../../../src/index.ts'
import type { StorePeer } from '../peer.ts'

export const openBy =
  (durability: 'opfs' | 'indexeddb', openBook = openDaybook): StorePeer['open'] =>
  async (name) => {
    const book = await openBook({ name, agent: 'bench' })
    const found = (await book.status()).durability
    if (found !== durability) throw new Error(`The book is in ${found}.`)
    return {
      storeOne: (trace) => book.traces.store(trace),
      storeMany: (traces) => book.traces.storeMany({ traces: [...traces] }),
      firstRead: async (_domain, text) => (await book.recall({ text, limit: 20 })).hits.length,
      count: async () => (await book.traces.count()).total,
      close: () => book.close(),
    }
  }

const later = 'its columns and text index are filled behind the write, before the next read'

export const daybook: StorePeer = {
  name: 'Daybook',
  mode: `OPFS, WAL, relaxed; ${later}`,
  open: openBy('opfs'),
}

/** In a page whose workers get no OPFS. */
export const journal: StorePeer = {
  name: 'Daybook without OPFS',
  mode: `IndexedDB, strict, the pages that changed; ${later}`,
  open: openBy('indexeddb'),
}

/** What the log of access costs is the difference to the first. */
export const unaudited: StorePeer = {
  name: 'Daybook without its log of access',
  mode: `OPFS, WAL, relaxed; ${later}`,
  open: openBy('opfs', (options) => openWith(options, { isAudited: false })),
}
