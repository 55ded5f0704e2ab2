// The project's own judged corpus, with any embedder. Thresholds are held elsewhere; here are the figures.
import { fillGolden, keyOf } from '../golden/corpus.ts'
import { gradesOf, mean, ndcg, recallAt, reciprocalRank } from '../golden/measure.ts'
import { questions } from '../golden/question.ts'
import type { EvalBook, Figures } from './eval-book.ts'

/** `nothing`: of the questions about nothing in the book, the share that was answered with nothing. */
export async function evalGolden(
  _path: string,
  open: () => Promise<EvalBook>,
): Promise<Readonly<Record<string, Figures>>> {
  const one = await open()
  await fillGolden(one.book)
  await one.ready()
  const judged = []
  const empty: number[] = []
  for (const { text, grades, of } of questions) {
    const { hits } = await one.recall({ text })
    if (of === 'nothing') empty.push(hits.length === 0 ? 1 : 0)
    else if (grades !== '') judged.push({ found: hits.map(keyOf), grades: gradesOf(grades) })
  }
  await one.close()
  return {
    golden: {
      'ndcg@10': mean(judged.map((each) => ndcg(each, 10))),
      'recall@5': mean(judged.map((each) => recallAt(each, 5))),
      'recall@10': mean(judged.map((each) => recallAt(each, 10))),
      mrr: mean(judged.map(reciprocalRank)),
      nothing: mean(empty),
      questions: judged.length,
    },
  }
}
