// The judged corpora asked on a host with the embedder `meaning`: least figures, and the same ranking on every host.
import { expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { judgedCorpora } from '../judged-corpus.ts'
import { leastOf } from './least.ts'
import { measured } from './measured.ts'
import { meaningRanking } from './meaning-ranking.ts'
import { questionOf, rankedLine } from './ranked-line.ts'

/**
 * `open`: a new book with the table of the package as its embedder, in the zone UTC, with `secrets: 'off'`: a host without keys
 * masks the passwords of a corpus, and others seal them.
 */
export function meaningGoldenCases(open: () => Promise<Daybook>): void {
  it.each(judgedCorpora)(
    'with meaning, $name: as good as measured, and ranked alike on every host',
    { timeout: 170_000 },
    async ({ name, fill, measure }) => {
      await using book = await open()
      await fill(book)
      await expect.poll(async () => (await book.embedder.status()).behind, { interval: 20 }).toBe(0)
      const degraded: string[] = []
      const ranked: string[] = []
      const sets = await measure(
        async (query) => {
          const result = await book.recall(query)
          degraded.push(...result.degraded)
          return result
        },
        (text, found) => ranked.push(rankedLine(text, found)),
      )
      expect(degraded).toEqual([])
      expect(Object.keys(measured)).toEqual(expect.arrayContaining(Object.keys(sets)))
      for (const [set, figures] of Object.entries(sets)) {
        const least = leastOf(set)
        const low = Object.entries(figures).filter(([figure, value]) => value < (least[figure] ?? 0))
        expect([set, low, figures['forbidden'] ?? 0]).toEqual([set, [], 0])
      }
      const wanted = (meaningRanking[name] ?? '').trim().split('\n')
      const isWanted = new Set(wanted.map(questionOf))
      expect(ranked.filter((line) => isWanted.has(questionOf(line)))).toEqual(wanted)
    },
  )
}
