// A question for a whole to several books: its limit, its order, and the share that was returned.
import { afterEach, expect, it } from 'vitest'
import { recallAcross, type RecallingBook } from '../../../src/book/across/across.ts'
import type { Daybook } from '../../../src/book/daybook.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'

const opened: Daybook[] = []
afterEach(async () => {
  for (const book of opened.splice(0)) await book.close()
})

/** A book with a castle for each day of 2026. */
async function castles(name: string, days: readonly number[]): Promise<Daybook> {
  // Without vectors, which come while the test runs and change the scores.
  const embedder = { provider: 'none' } as const
  const book = await openDaybook({ name, path: ':memory:', agent: 'ana', timeZone: 'UTC', embedder })
  opened.push(book)
  const traces = days.map((day) => ({
    situation: { domain: 'travel' },
    action: { type: 'visit' },
    result: { success: true, outcome: {} },
    task: { goal: `Visited castle number ${day}` },
    timestamp: new Date(Date.UTC(2026, 0, day)).toISOString(),
  }))
  await book.traces.storeMany({ traces })
  return book
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const daysOf = (hits: readonly { readonly record: object }[]) =>
  hits.map(({ record }) => Number(/\d+$/.exec((record as { task: { goal: string } }).task.goal)?.[0]))

it('returns as many hits as a whole answer of one book', async () => {
  const books = [await castles('mine', range(1, 30)), await castles('team', range(31, 60))]
  const answer = await recallAcross(books, { text: 'List every castle that I visited' })
  expect([answer.want, answer.hits.length]).toEqual(['all', 40])
  const given = await recallAcross(books, { text: 'castle', want: 'summary', limit: 7 })
  expect([given.want, given.hits.length]).toEqual(['summary', 7])
  const best = await recallAcross(books, { text: 'castle number 12' })
  expect([best.want, best.hits.length, 'complete' in best]).toEqual(['best', 10, false])
  expect(best.hits[0]).not.toHaveProperty('happenedAt')
})

it('gives an order by time over all books', async () => {
  const books = [await castles('mine', [3, 1, 8]), await castles('team', [2, 9, 4])]
  const { want, hits, complete } = await recallAcross(books, {
    text: 'In what order did I visit the castles?',
  })
  expect([want, daysOf(hits), complete]).toEqual(['order', [1, 2, 3, 4, 8, 9], 1])
  expect(hits[0]?.happenedAt).toBe('2026-01-01T00:00:00.000Z')
})

it('gives a list book by book, each in the order of its own answer', async () => {
  const [mine, team] = [await castles('mine', range(1, 4)), await castles('team', range(5, 8))]
  const { hits } = await recallAcross([mine, team], { text: 'List every castle that I visited' })
  const blocks = hits.filter(({ book }, i) => book !== hits[i - 1]?.book)
  expect([hits.length, blocks.length]).toEqual([8, 2])
  const own = await team.recall({ text: 'List every castle that I visited' })
  expect(daysOf(hits.filter(({ book }) => book === 'book 2'))).toEqual(daysOf(own.hits))
})

it('says which share of the books it returned', async () => {
  const [mine, team] = [await castles('mine', range(1, 20)), await castles('team', range(21, 40))]
  const question = { text: 'List every castle that I visited', distinct: false }
  expect((await recallAcross([mine, team], question)).complete).toBeCloseTo(1)
  const half = await recallAcross([mine, team], { ...question, limit: 20 })
  expect(half.complete).toBeGreaterThan(0.4)
  expect(half.complete).toBeLessThan(0.65)
  // Each book returns half of its records, and the joint answer half of those.
  const quarter = await recallAcross([mine, team], { ...question, limit: 10 })
  expect(quarter.complete).toBeGreaterThan(0.2)
  expect(quarter.complete).toBeLessThan(0.4)
  // One book alone says the same as itself.
  const own = await mine.recall({ ...question, limit: 5 })
  expect((await recallAcross([mine], { ...question, limit: 5 })).complete).toBeCloseTo(own.complete ?? 0)
  // A record that two books have is returned once and counts as returned.
  const twin = await castles('twin', range(1, 20))
  const folded = await recallAcross([mine, twin], { text: question.text })
  expect([folded.hits.length, folded.complete]).toEqual([20, 1])
  const none = await recallAcross([mine], { text: 'List every yacht of the harbour master' })
  expect([none.hits, none.want, none.complete]).toEqual([[], 'all', undefined])
})

it('counts no record below the least score', async () => {
  const mine = await castles('mine', range(1, 20))
  const question = { text: 'List every castle that I visited', at: '2026-06-01T00:00:00Z' }
  const [best] = (await recallAcross([mine], question)).hits.toSorted((a, b) => b.score - a.score)
  const { hits, complete } = await recallAcross([mine], { ...question, minScore: best?.score ?? 1 })
  expect(hits.length).toBeGreaterThan(0)
  expect(complete).toBe(1)
})

it('takes the answer of a book that knows no wholes', async () => {
  const mine = await castles('mine', [1, 3])
  const team = await castles('team', [2])
  const older = {
    recall: async (query: { readonly text: string }) => {
      const { want: _want, ...answer } = await team.recall({ ...query, want: 'best' })
      return answer
    },
  } as unknown as RecallingBook
  const { want, hits } = await recallAcross([older, mine], { text: 'In what order did I visit the castles?' })
  // Without a time, its hits are last.
  expect([want, daysOf(hits)]).toEqual(['order', [1, 3, 2]])
})
