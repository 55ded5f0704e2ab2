// The project's own judged corpora, with any embedder. Thresholds are held elsewhere; here are the figures.
import { keyOf } from '../golden/corpus.ts'
import { corpora, type Corpus, type GoldenSet, synonymCorpus } from '../golden/golden-set.ts'
import { gradesOf, mean, ndcg, precision, recallAt, reciprocalRank } from '../golden/measure.ts'
import type { EvalBook, Figures } from './eval-book.ts'

type Sets = Readonly<Record<string, Figures>>

export const evalGolden = (_path: string, open: () => Promise<EvalBook>): Promise<Sets> =>
  evalCorpora(corpora, open)

/** Questions that share no word with their answers. */
export const evalSynonym = (_path: string, open: () => Promise<EvalBook>): Promise<Sets> =>
  evalCorpora([synonymCorpus], open)

/** `silent`: of the questions about nothing in the book, the share that was answered with nothing. */
async function evalCorpora(corpora: readonly Corpus[], open: () => Promise<EvalBook>): Promise<Sets> {
  const figures: Record<string, Figures> = {}
  for (const { fill, sets } of corpora) {
    const one = await open()
    await fill(one.book)
    await one.ready()
    for (const set of sets) figures[set.name] = await figuresOf(one, set)
    await one.close()
  }
  return figures
}

async function figuresOf(one: Pick<EvalBook, 'recall'>, { questions }: GoldenSet): Promise<Figures> {
  const judged = []
  const empty: number[] = []
  for (const { text, grades, of } of questions) {
    const { hits } = await one.recall({ text })
    if (of === 'nothing') empty.push(hits.length === 0 ? 1 : 0)
    else if (grades !== '') judged.push({ found: hits.map(keyOf), grades: gradesOf(grades) })
  }
  return {
    'ndcg@10': mean(judged.map((each) => ndcg(each, 10))),
    'recall@5': mean(judged.map((each) => recallAt(each, 5))),
    'recall@10': mean(judged.map((each) => recallAt(each, 10))),
    mrr: mean(judged.map(reciprocalRank)),
    precision: mean(judged.map(precision)),
    silent: mean(empty),
    questions: judged.length,
  }
}
