// The page that measures one store. Every round opens a new database, warms it up, and takes the rows in turn.
import type { BenchTrace, StorePeer, TraceStore } from './peer.ts'
import { type Budget, measureRate } from './rate.ts'
import { createIdSource, createTraceSource, domains } from './trace-source.ts'

/** Loaded when asked for, so that a page holds one peer only. */
const peers: Readonly<Record<string, () => Promise<StorePeer>>> = {
  daybook: async () => (await import('./store/daybook.ts')).daybook,
  unaudited: async () => (await import('./store/daybook.ts')).unaudited,
  'daybook-before': async () => (await import('./store/daybook-before.ts')).daybookBefore,
  journal: async () => (await import('./store/daybook.ts')).journal,
  idb: async () => (await import('./store/idb.ts')).idb,
  dexie: async () => (await import('./store/dexie.ts')).dexie,
  rxdb: async () => (await import('./store/rxdb.ts')).rxdb,
  pouchdb: async () => (await import('./store/pouchdb.ts')).pouchdb,
  sqlocal: async () => (await import('./store/sqlocal.ts')).sqlocal,
  'wa-sqlite': async () => (await import('./store/wa-sqlite.ts')).waSqlite,
  pglite: async () => (await import('./store/pglite.ts')).pglite,
}

/** Traces a second in each row, and what the read after the last row took. */
export interface StoreRound {
  readonly single: number
  readonly concurrent: number
  readonly batch: number
  readonly batchThenRead: number
  readonly firstReadMs: number
}

const warmUp: Readonly<Record<'single' | 'concurrent' | 'batch', Budget>> = {
  single: { steps: 500, ms: 600 },
  concurrent: { steps: 20, ms: 500 },
  batch: { steps: 3, ms: 500 },
}
const measured: typeof warmUp = {
  single: { steps: 1500, ms: 1200 },
  concurrent: { steps: 100, ms: 1200 },
  batch: { steps: 10, ms: 1200 },
}
/** Traces a second. */
const slow = 50
const poolSeed = 3
const poolSize = 6000
let pool: readonly BenchTrace[] | undefined
const callsAtOnce = 64
const batchSize = 1000
const batchesBeforeRead = 5

/** Measures the peer of that key once; round `n` of every peer stores the same traces. */
async function runRound(key: string, n: number, shorter: number): Promise<StoreRound> {
  const peer = await loadPeer(key)
  const store = await peer.open(`bench-${n}`)
  const traces = withIds(n, peer.idField)
  const shorten = ({ steps, ms }: Budget) => ({
    steps: Math.max(1, Math.round(steps / shorter)),
    ms: ms / shorter,
  })
  let stored = 0
  const run = async (row: keyof typeof warmUp, budget: Budget) => {
    const size = { single: 1, concurrent: callsAtOnce, batch: batchSize }[row]
    const ready = Array.from({ length: budget.steps }, () => Array.from({ length: size }, traces))
    let at = 0
    return measureRate(budget, async () => {
      const next = ready[at++] ?? []
      await keep(store, row, next)
      stored += next.length
      return next.length
    })
  }
  const warm = await run('single', shorten(warmUp.single))
  // What takes tens of milliseconds a trace waits for its storage: there is nothing to warm up.
  if (warm > slow) for (const row of ['concurrent', 'batch'] as const) await run(row, shorten(warmUp[row]))
  await store.firstRead(domains[0] ?? '', 'where was the plan')
  const single = await run('single', shorten(measured.single))
  const concurrent = await run('concurrent', shorten(measured.concurrent))
  const batch = await run('batch', shorten(measured.batch))
  await store.firstRead(domains[0] ?? '', 'where was the plan')

  const ready = Array.from({ length: batchesBeforeRead }, () => Array.from({ length: batchSize }, traces))
  const last = ready.at(-1)?.at(-1)
  const began = performance.now()
  for (const batch of ready) await keep(store, 'batch', batch)
  const kept = performance.now()
  const found = await store.firstRead(last?.situation.domain ?? '', last?.task.goal ?? '')
  const ended = performance.now()
  stored += batchesBeforeRead * batchSize

  if (found === 0) throw new Error(`${peer.name} found nothing after it had stored`)
  const count = await store.count()
  if (count !== stored) throw new Error(`${peer.name} has ${count} traces of ${stored}`)
  await store.close()
  const batchThenRead = (batchesBeforeRead * batchSize * 1000) / (ended - began)
  return { single, concurrent, batch, batchThenRead, firstReadMs: ended - kept }
}

async function keep(
  store: TraceStore,
  row: keyof typeof warmUp,
  traces: readonly BenchTrace[],
): Promise<void> {
  if (row === 'batch') await store.storeMany(traces)
  else await Promise.all(traces.map((trace) => store.storeOne(trace)))
}

/** Traces over and over from a pool, which costs no time to make again; those of round `n` begin elsewhere in it. */
function withIds(n: number, field: StorePeer['idField']): () => BenchTrace {
  const nextId = createIdSource()
  const nextTrace = createTraceSource(poolSeed)
  pool ??= Array.from({ length: poolSize }, nextTrace)
  const traces = pool
  let at = n * 997
  return () => {
    const trace = traces[at++ % poolSize] as BenchTrace
    return field === undefined ? trace : { [field]: nextId(), ...trace }
  }
}

async function loadPeer(key: string): Promise<StorePeer> {
  const load = peers[key]
  if (!load) throw new Error(`There is no store ${key}; there are ${Object.keys(peers).join(', ')}.`)
  return load()
}

export const bench = {
  peers: Object.keys(peers),
  async describe(key: string) {
    const { name, mode } = await loadPeer(key)
    return { name, mode }
  },
  runRound,
}
export type StoreBench = typeof bench
