// Questions that share no word with their answers, and questions that several records answer, asked on a host: figures, thresholds,
// and the same ranking everywhere.
import { expect, it } from 'vitest'
import type { Daybook } from '../../src/book/daybook.ts'
import { measureSynonyms, measureWholes } from './judged-measure.ts'
import { judgedRanking } from './judged-ranking.ts'

/** The least figures of each set by words alone. Words cannot find a synonym, so there only silence counts. */
const least: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  synonym: { silent: 0.8 },
  'synonym, held out': { silent: 1 },
  whole: { 'all@40': 0.4, 'list@40': 0.6, 'summary@40': 0.56, 'order@10': 0.51, silent: 1 },
  'whole, held out': { 'all@40': 0.36, 'list@40': 0.72, 'summary@40': 0.61, 'order@10': 0.39, silent: 0.8 },
}

export function judgedCases({ book: open }: { book(): Promise<Daybook> }): void {
  it(
    'answers synonyms, lists, orders and summaries as well as it did, and alike on every host',
    { timeout: 170_000 },
    async () => {
      const ranked: string[] = []
      const sets = {
        ...(await measureSynonyms(await open(), ranked)),
        ...(await measureWholes(await open(), ranked)),
      }
      for (const [name, figures] of Object.entries(sets)) {
        const line = Object.entries(figures).map(([figure, value]) => `${figure} ${value.toFixed(3)}`)
        console.info(`${name}: ${line.join(', ')}`)
        for (const [figure, floor] of Object.entries(least[name] ?? {}))
          expect([name, figure, figures[figure]]).toEqual([
            name,
            figure,
            expect.toSatisfy((n: number) => n >= floor),
          ])
      }
      expect(ranked).toEqual(judgedRanking.trim().split('\n'))
    },
  )
}
