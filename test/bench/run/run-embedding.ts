// The embedding rows: texts a second of `daybook/meaning` in a page's worker, alone and for a book that was just filled.
import type { BenchRun, Failure } from '../bench-run.ts'
import type { BookEmbeddingTimes, EmbeddingBench } from '../embedding-page.ts'
import { openPage } from '../open-page.ts'

export interface EmbeddingFigures {
  readonly size: number
  /** Texts of 200 characters a second, in each round. */
  readonly model: readonly number[]
  readonly book: readonly BookEmbeddingTimes[]
  readonly failures: readonly Failure[]
}

declare const bench: EmbeddingBench

/** Embeds 100,000 texts, 10,000 when the run is quick, or as many as it says; in each round others, in a new book. */
export async function runEmbedding(run: BenchRun): Promise<EmbeddingFigures> {
  const size = run.sizes?.[0] ?? (run.quick ? 10_000 : 100_000)
  const model: number[] = []
  const book: BookEmbeddingTimes[] = []
  const failures: Failure[] = []
  try {
    const page = await openPage(run, 'embedding', 'embedding')
    for (let round = 1; round <= run.rounds; round++) {
      run.progress(`embedding, ${size} texts, round ${round} of ${run.rounds}`)
      model.push(await page.evaluate(([count, n]) => bench.runModel(count, n), [size, round] as const))
      book.push(await page.evaluate(([count, n]) => bench.runBook(count, n), [size, round] as const))
    }
    await page.close()
  } catch (error) {
    failures.push({ peer: 'daybook', error: String(error) })
  }
  return { size, model, book, failures }
}
