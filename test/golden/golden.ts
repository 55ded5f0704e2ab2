// The golden corpus asked on a host: figures, thresholds, and the same ranking everywhere.
import { expect, it } from 'vitest'
import type { Daybook } from '../../src/book/daybook.ts'
import { corpusSize, fillGolden, keyOf } from './corpus.ts'
import { gradesOf, type Judged, mean, ndcg, recallAt, reciprocalRank } from './measure.ts'
import { heldOut } from './held-out.ts'
import { questions } from './question.ts'
import { ranking } from './ranking.ts'

/** What must be reached over the questions that have an answer: those that the constants were chosen by, and the others. */
const least = {
  fitted: { 'ndcg@10': 0.78, 'recall@5': 0.8, 'recall@10': 0.86, mrr: 0.72, silent: 1 },
  'held out': { 'ndcg@10': 0.84, 'recall@5': 0.88, 'recall@10': 0.88, mrr: 0.79, silent: 1 },
} as const
const sets = { fitted: questions, 'held out': heldOut } as const
type Set = keyof typeof sets

export function goldenCases({ book: open }: { book(): Promise<Daybook> }): void {
  it(
    'answers the golden questions as well as it did, and alike on every host',
    { timeout: 120_000 },
    async () => {
      expect(corpusSize).toBeGreaterThanOrEqual(300)
      expect(questions.length).toBeGreaterThanOrEqual(80)
      const book = await open()
      await fillGolden(book)
      const ranked: Record<string, string> = {}
      for (const name of Object.keys(sets) as Set[]) {
        const [judged, silent]: [(Judged & { of: string })[], number[]] = [[], []]
        for (const { text, grades, never = '', of } of sets[name]) {
          const { hits, degraded } = await book.recall({ text })
          const found = hits.map(keyOf)
          expect(degraded).toEqual([])
          for (const key of never.split(' '))
            expect([text, found]).not.toEqual([text, expect.arrayContaining([key])])
          if (of === 'nothing') silent.push(found.length === 0 ? 1 : 0)
          else if (grades !== '') judged.push({ of, found, grades: gradesOf(grades) })
          ranked[text] = found.slice(0, 5).join(' ')
        }
        const figures = {
          'ndcg@10': mean(judged.map((one) => ndcg(one, 10))),
          'recall@5': mean(judged.map((one) => recallAt(one, 5))),
          'recall@10': mean(judged.map((one) => recallAt(one, 10))),
          mrr: mean(judged.map(reciprocalRank)),
          /** Of the questions that nothing answers, how many got no answer. */
          silent: mean(silent),
        }
        const line = Object.entries(figures).map(([figure, value]) => `${figure} ${value.toFixed(3)}`)
        console.info(`golden corpus, ${name}, ${judged.length} questions with answers: ${line.join(', ')}`)
        for (const [figure, floor] of Object.entries(least[name]))
          expect([name, figure, figures[figure as keyof typeof figures]]).toEqual([
            name,
            figure,
            expect.toSatisfy((n: number) => n >= floor),
          ])
      }
      expect(ranked).toEqual(ranking)
    },
  )
}
