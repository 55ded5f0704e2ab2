// The golden corpus asked on a host: figures, thresholds, and the same ranking everywhere.
import { expect, it } from 'vitest'
import type { Daybook } from '../../src/daybook.ts'
import { corpusSize, fillGolden, keyOf } from './corpus.ts'
import { gradesOf, mean, ndcg, recallAt, reciprocalRank } from './measure.ts'
import { questions } from './question.ts'
import { ranking } from './ranking.ts'

/** What must be reached over all questions that have an answer. */
const least = { 'ndcg@10': 0.78, 'recall@5': 0.8, 'recall@10': 0.86, mrr: 0.72 } as const

export function goldenCases({ book: open }: { book(): Promise<Daybook> }): void {
  it(
    'answers the golden questions as well as it did, and alike on every host',
    { timeout: 120_000 },
    async () => {
      expect(corpusSize).toBeGreaterThanOrEqual(300)
      expect(questions.length).toBeGreaterThanOrEqual(80)
      const book = await open()
      await fillGolden(book)
      const judged = []
      const ranked: Record<string, string> = {}
      for (const { text, grades, never = '', of } of questions) {
        const { hits, degraded } = await book.recall({ text })
        const found = hits.map(keyOf)
        expect(degraded).toEqual([])
        for (const key of never.split(' '))
          expect([text, found]).not.toEqual([text, expect.arrayContaining([key])])
        if (of === 'nothing') expect([text, found]).toEqual([text, []])
        else if (grades !== '') judged.push({ of, found, grades: gradesOf(grades) })
        ranked[text] = found.slice(0, 5).join(' ')
      }
      const figures = {
        'ndcg@10': mean(judged.map((one) => ndcg(one, 10))),
        'recall@5': mean(judged.map((one) => recallAt(one, 5))),
        'recall@10': mean(judged.map((one) => recallAt(one, 10))),
        mrr: mean(judged.map(reciprocalRank)),
      }
      const line = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(3)}`)
      console.info(`golden corpus, ${judged.length} questions with answers: ${line.join(', ')}`)
      for (const [name, floor] of Object.entries(least))
        expect([name, figures[name as keyof typeof least]]).toEqual([
          name,
          expect.toSatisfy((n: number) => n >= floor),
        ])
      expect(ranked).toEqual(ranking)
    },
  )
}
