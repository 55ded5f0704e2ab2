// The project's own judged corpora, with any embedder. Tests hold thresholds; this returns the figures.
import type { JudgedCorpus } from '../golden/judged-corpus.ts'
import type { Figures } from '../golden/set-measure.ts'
import type { EvalBook } from './eval-book.ts'

/** Measures each corpus in a book of its own. */
export const evalJudged =
  (corpora: readonly JudgedCorpus[]) =>
  async (_path: string, open: () => Promise<EvalBook>): Promise<Readonly<Record<string, Figures>>> => {
    const figures: Record<string, Figures> = {}
    for (const { fill, measure } of corpora) {
      const one = await open()
      await fill(one.book)
      await one.ready()
      Object.assign(figures, await measure((query) => one.recall(query)))
      await one.close()
    }
    return figures
  }
