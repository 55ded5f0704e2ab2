// A book in memory for an evaluation, and a stopwatch on each recall.
import { setTimeout as pause } from 'node:timers/promises'
import type { Daybook } from '../../src/daybook.ts'
import { openDaybook } from '../../src/hosts/node/index.ts'

export interface EvalBook {
  readonly book: Daybook
  readonly recall: Daybook['recall']
  /** Waits until every record has its vector, if the book has an embedder. */
  ready(): Promise<void>
  close(): Promise<void>
}

let serial = 0

/** `times` gets the milliseconds of every recall. */
export async function openEvalBook(embedder: 'none' | 'lsa', times: number[]): Promise<EvalBook> {
  const book = await openDaybook({
    name: `eval-${++serial}`,
    agent: 'eval',
    path: ':memory:',
    ...(embedder === 'lsa' ? { embedder: { provider: 'lsa' } } : {}),
  })
  return {
    book,
    async recall(query) {
      const began = performance.now()
      const result = await book.recall(query)
      times.push(performance.now() - began)
      return result
    },
    async ready() {
      if (embedder === 'none') return
      for (let behind = 1; behind > 0; behind = (await book.embedder.status()).behind) await pause(100)
    },
    close: () => book.close(),
  }
}
