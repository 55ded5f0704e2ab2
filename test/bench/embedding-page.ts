// The page of the embedding rows: the model alone in a worker, and the vectors of a book that was just filled.
import { meaning } from '../../src/hosts/browser/meaning.ts'
import { openDaybook } from '../../src/index.ts'
import type { EmbeddingRequest } from './embedding/embedding.worker.ts'
import { createTextSource } from './text-source.ts'

const batchSize = 1000
/** Characters of a text for the model. */
const chars = 200

/** Texts a second of the model. */
function runModel(count: number, round: number): Promise<number> {
  const worker = new Worker(new URL('./embedding/embedding.worker.ts', import.meta.url), { type: 'module' })
  const { url = '' } = meaning()
  return new Promise<number>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<{ readonly perSecond?: number; readonly error?: string }>) =>
      data.perSecond === undefined ? reject(new Error(data.error)) : resolve(data.perSecond)
    worker.onerror = (event) => reject(new Error(event.message))
    worker.postMessage({ url, count, chars, round } satisfies EmbeddingRequest)
  }).finally(() => worker.terminate())
}

export interface BookEmbeddingTimes {
  /** Records a second, from the first stored vectors to the last. */
  readonly perSecond: number
  /** Milliseconds from the last write until every record has its vector. */
  readonly allMs: number
  /** Milliseconds of each call that was made meanwhile. */
  readonly callMs: readonly number[]
}

/** Fills a new book, and calls it again and again until every record has its vector. */
async function runBook(size: number, round: number): Promise<BookEmbeddingTimes> {
  const book = await openDaybook({ name: `embedding-${round}`, agent: 'bench', embedder: meaning() })
  const { text } = createTextSource(11 + round)
  for (let stored = 0; stored < size; stored += batchSize)
    await book.traces.storeMany({
      traces: Array.from({ length: Math.min(batchSize, size - stored) }, () => ({
        situation: { domain: 'bench' },
        task: { goal: text() },
        action: { type: 'note' },
      })),
    })
  const began = performance.now()
  const callMs: number[] = []
  let first: { readonly embedded: number; readonly ms: number } | undefined
  for (;;) {
    const calledAt = performance.now()
    const { embedded, behind } = await book.embedder.status()
    const ms = performance.now()
    callMs.push(ms - calledAt)
    if (embedded > 0) first ??= { embedded, ms }
    if (behind === 0 && first) {
      await book.close()
      const perSecond = (1000 * (embedded - first.embedded)) / (ms - first.ms)
      return { perSecond, allMs: ms - began, callMs }
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export const bench = { peers: ['daybook'], runModel, runBook }
export type EmbeddingBench = typeof bench
