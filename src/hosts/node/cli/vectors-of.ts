// Time for the vectors of a book, before a command that asks one question and ends.
import { setTimeout } from 'node:timers/promises'
import type { Daybook } from '../../../book/daybook.ts'

/** Longest wait. Vectors that are not made by then are made at the next command. */
const longestWaitMs = 1000
const pauseMs = 20

/** Waits until all records have a vector, for a second at most: without them the question is answered by words. */
export async function vectorsOf(book: Daybook): Promise<void> {
  for (let waitedMs = 0; waitedMs < longestWaitMs; waitedMs += pauseMs) {
    const { state } = await book.embedder.status()
    if (state !== 'working') return
    await setTimeout(pauseMs)
  }
}
