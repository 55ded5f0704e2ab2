// Measures the answers to a set of judged questions. Every evaluation and every host measures by it.
import type { RecallQuery, RecallResult } from '../../src/core/capability/port/recall-port.ts'
import { keyOf } from './corpus.ts'
import type { GoldenSet } from './golden-set.ts'
import { gradesOf, keptShare, mean, ndcg, precision, recallAt, reciprocalRank } from './measure.ts'

/** By name; all but counts are shares from 0 to 1. */
export type Figures = Readonly<Record<string, number>>

export type Ask = (query: RecallQuery) => Promise<RecallResult>

/** Is called with each question, and the keys of its hits. */
export type Note = (text: string, found: readonly string[]) => void

/**
 * `silent`: of the questions about nothing in the book, the share with no hits. `forbidden`: questions whose hits have a record
 * that nothing may return. `cut precision`, `cut recall`: of the hits that `cut: 'sharp'` leaves, and 0.6 of the best score.
 */
export async function measureSet(
  ask: Ask,
  { questions, isCut = false }: GoldenSet,
  note: Note = () => undefined,
): Promise<Figures> {
  const judged = []
  const cut = []
  const silent: number[] = []
  let forbidden = 0
  for (const { text, grades, never, of } of questions) {
    const found = (await ask({ text })).hits.map(keyOf)
    note(text, found)
    if (never?.split(' ').some((key) => found.includes(key))) forbidden += 1
    if (of === 'nothing') silent.push(found.length === 0 ? 1 : 0)
    else if (grades !== '') {
      judged.push({ found, grades: gradesOf(grades) })
      if (isCut) cut.push({ found: await cutOf(ask, text), grades: gradesOf(grades) })
    }
  }
  return {
    'ndcg@10': mean(judged.map((each) => ndcg(each, 10))),
    'recall@5': mean(judged.map((each) => recallAt(each, 5))),
    'recall@10': mean(judged.map((each) => recallAt(each, 10))),
    mrr: mean(judged.map(reciprocalRank)),
    precision: mean(judged.map(precision)),
    ...(isCut && {
      'cut precision': mean(cut.map(precision)),
      'cut recall': mean(cut.map((each) => recallAt(each, 20))),
    }),
    silent: mean(silent),
    forbidden,
    questions: judged.length,
  }
}

async function cutOf(ask: Ask, text: string): Promise<readonly string[]> {
  const { hits } = await ask({ text, cut: 'sharp', limit: 20 })
  const best = hits[0]?.score ?? 0
  return hits.filter(({ score }) => score >= keptShare * best).map(keyOf)
}
