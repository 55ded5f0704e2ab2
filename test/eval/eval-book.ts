// A book in memory for an evaluation, and a stopwatch on each recall.
import { setTimeout as pause } from 'node:timers/promises'
import type { Daybook } from '../../src/book/daybook.ts'
import { leastTexts } from '../../src/recall/embed/lsa-model.ts'
import { type EmbedderOptions, openDaybook } from '../../src/hosts/node/index.ts'

/** What was measured, by name. */
export type Figures = Readonly<Record<string, number>>

export interface EvalBook {
  readonly book: Daybook
  readonly recall: Daybook['recall']
  /** Waits until every record has its vector, if the book has an embedder. */
  ready(): Promise<void>
  close(): Promise<void>
}

let serial = 0

/** An embedder that fails for so long is not worth waiting for. */
const patienceMs = 60_000

export interface Stopwatch {
  /** Milliseconds of every recall. */
  readonly times: number[]
  /** Recalls that had to do without a leg. */
  degraded: number
}

export async function openEvalBook(embedder: EmbedderOptions, watch: Stopwatch): Promise<EvalBook> {
  const book = await openDaybook({
    name: `eval-${++serial}`,
    agent: 'eval',
    path: ':memory:',
    embedder,
  })
  return {
    book,
    async recall(query) {
      const began = performance.now()
      const result = await book.recall(query)
      watch.times.push(performance.now() - began)
      if (result.degraded.length > 0) watch.degraded += 1
      return result
    },
    async ready() {
      if (embedder.provider === 'none') return
      let failing = 0
      for (;;) {
        const { behind, state, lastError } = await book.embedder.status()
        if (behind === 0 && state !== 'failing') return
        // So few make no model.
        if (embedder.provider === 'lsa' && state === 'waiting' && behind < leastTexts) return
        failing = state === 'failing' ? failing + 1 : 0
        if (failing * 100 > patienceMs) throw new Error(lastError?.message)
        await pause(100)
      }
    },
    close: () => book.close(),
  }
}
