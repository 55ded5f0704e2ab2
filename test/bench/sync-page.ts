// The page of one device that syncs. Each step is timed in the page; the run decides which device does what.
import type { SyncDevice, SyncPeer } from './sync/sync-peer.ts'
import { createTraceSource } from './trace-source.ts'

/** Loaded when asked for, so that a page holds one peer only. */
const peers: Readonly<Record<string, () => Promise<SyncPeer>>> = {
  daybook: async () => (await import('./sync/daybook.ts')).daybook,
  rxdb: async () => (await import('./sync/rxdb.ts')).rxdb,
  pouchdb: async () => (await import('./sync/pouchdb.ts')).pouchdb,
}

const batchSize = 1000
let device: SyncDevice | undefined
const nextTrace = createTraceSource(5)

async function loadPeer(key: string): Promise<SyncPeer> {
  const load = peers[key]
  if (!load) throw new Error(`There is no ${key} that syncs; there are ${Object.keys(peers).join(', ')}.`)
  return load()
}

function opened(): SyncDevice {
  if (!device) throw new Error('No device is open.')
  return device
}

export const bench = {
  peers: Object.keys(peers),
  async describe(key: string) {
    const { name, mode } = await loadPeer(key)
    return { name, mode }
  },
  async open(key: string, room: string, server: string) {
    device = await (await loadPeer(key)).open(room, server)
  },
  /** Stores `count` new traces; answers how long they are as JSON. */
  async store(count: number) {
    let bytes = 0
    for (let left = count; left > 0; left -= batchSize) {
      const traces = Array.from({ length: Math.min(left, batchSize) }, nextTrace)
      for (const trace of traces) bytes += JSON.stringify(trace).length
      await opened().store(traces)
    }
    return bytes
  },
  /** Milliseconds that a sync takes. */
  async sync() {
    const began = performance.now()
    await opened().sync()
    return performance.now() - began
  },
  count: () => opened().count(),
  async close() {
    await opened().close()
    device = undefined
  },
}
export type SyncBench = typeof bench
