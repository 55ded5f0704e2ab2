// Whole answers: lists, orders and summaries, as every host must give them.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../src/book/daybook.ts'
import { type BookCase, failure } from './book-case.ts'

const places = ['Oslo', 'Lisbon', 'Ghent', 'Turin', 'Bergen', 'Porto', 'Vienna', 'Leeds']
/** Not the order in which the talks are stored. */
const months = [5, 2, 8, 1, 7, 4, 3, 6]

async function fill(book: Daybook): Promise<void> {
  for (const [i, place] of places.entries())
    await book.conversation.storeMany({
      session: `trip-${i}`,
      messages: [
        ['Ann', `I visited the old castle in ${place} today.`],
        ['assistant', `How was it? Castles like that of ${place} are often crowded.`],
        ['Ann', 'It rained, we drank tea and went back early.'],
      ].map(([name = '', content = ''], j) => ({
        id: `${place}-${j}`,
        content,
        timestamp: `2026-0${months[i] ?? 1}-03T10:0${j}:00Z`,
        source: { type: name === 'assistant' ? 'Agent' : 'User', name },
      })),
    })
}

export function wholeAnswerCases({ book: open }: BookCase): void {
  const filled = async () => {
    const book = await open()
    await fill(book)
    return book
  }
  const idsOf = ({ hits }: { readonly hits: readonly { readonly record: object }[] }) =>
    hits.map(({ record }) => ('msg_id' in record ? record.msg_id : undefined))
  const visits = places.map((place) => `${place}-0`)

  describe('a whole answer', () => {
    it('has all records of a list, and says so', async () => {
      const book = await filled()
      const found = await book.recall({ text: 'List every castle that I visited' })
      expect(found.want).toBe('all')
      expect(idsOf(found)).toEqual(expect.arrayContaining(visits))
      expect(found.complete).toBe(1)
      // By the words, as by the option.
      const wanted = await book.recall({ text: 'List every castle that I visited', want: 'all' })
      expect(idsOf(wanted)).toEqual(idsOf(found))
    })

    it('puts an order into the order of time', async () => {
      const book = await filled()
      const found = await book.recall({ text: 'In what order did I visit the castles?', limit: 8 })
      expect(found.want).toBe('order')
      const inOrder = months
        .map((month, i) => ({ month, id: `${places[i] ?? ''}-0` }))
        .sort((a, b) => a.month - b.month)
        .map(({ id }) => id)
      expect(idsOf(found)).toEqual(inOrder)
      expect(found.complete).toBeGreaterThan(0.3)
      expect(found.complete).toBeLessThan(1)
    })

    it('has both messages of an exchange in a summary, one after the other', async () => {
      const book = await filled()
      const found = await book.recall({ text: 'Summarise my visits of castles' })
      expect(found.want).toBe('summary')
      const ids = idsOf(found)
      for (const place of places) expect(ids.indexOf(`${place}-1`)).toBe(ids.indexOf(`${place}-0`) + 1)
    })

    it('does not change the best hits of another question', async () => {
      const book = await filled()
      const text = 'which castle was in Turin?'
      const found = await book.recall({ text })
      expect(found.want).toBe('best')
      expect(found).not.toHaveProperty('complete')
      const wanted = await book.recall({ text, want: 'best' })
      expect(idsOf(wanted)).toEqual(idsOf(found))
      expect(idsOf(found).slice(0, 2)).toContain('Turin-0')
      // The caller's word goes before those of the question.
      const list = await book.recall({ text: 'List every castle that I visited', want: 'best' })
      expect(list.hits.length).toBeLessThanOrEqual(10)
      expect(list.want).toBe('best')
    })

    it('stays within the limit, and returns no fewer at a higher one', async () => {
      const book = await filled()
      const text = 'List every castle that I visited'
      const three = await book.recall({ text, limit: 3 })
      expect(three.hits).toHaveLength(3)
      const all = await book.recall({ text, limit: 200 })
      expect(three.complete ?? 1).toBeLessThan(all.complete ?? 0)
      expect(all.hits.length).toBeGreaterThanOrEqual(8)
    })

    it('is silent where the book knows nothing, whatever is wanted', async () => {
      const book = await filled()
      for (const want of ['all', 'order', 'summary'] as const) {
        const found = await book.recall({ text: 'every zeppelin auction on Mars', want })
        expect(found.hits).toEqual([])
        expect(found.complete).toBeUndefined()
        expect((await book.recall({ text: '', want })).hits).toEqual([])
      }
    })

    it('refuses an unknown sort and a limit out of bounds, with the path', async () => {
      const book = await filled()
      const text = 'castle'
      const ask = (input: object) =>
        failure(book.recall({ text, ...input } as Parameters<Daybook['recall']>[0]))
      for (const want of ['every', '', 1, null, ['all']])
        expect(await ask({ want })).toMatchObject({ code: 'invalid-input', details: { path: 'want' } })
      for (const limit of [0, -1, 201, 1.5])
        expect(await ask({ want: 'all', limit })).toMatchObject({
          code: 'invalid-input',
          details: { path: 'limit' },
        })
    })

    it("has no record out of a guest's reach, nor counts it", async () => {
      const book = await filled()
      await book.conversation.storeMany({
        session: 'guest-trip',
        agent: 'helper',
        messages: [
          {
            id: 'own',
            content: 'I visited the castle in Cork.',
            timestamp: '2026-01-01T10:00:00Z',
            source: { type: 'User', name: 'Bea' },
          },
        ],
      })
      const { token } = await book.tokens.grant({
        scope: 'agent:helper',
        permissions: ['read'],
        granted_to: 'helper',
        expires_at: '2099-01-01T00:00:00Z',
      })
      const text = 'List every castle that I visited'
      for (const want of ['all', 'order', 'summary'] as const) {
        const found = await book.recall({ text, want, limit: 1 }, { as: token.token_id })
        expect(idsOf(found)).toEqual(['own'])
        expect(found.complete).toBe(1)
      }
    })

    it('is quoted in a context in the order of time, with its dates', async () => {
      const book = await filled()
      const { text, items, want, complete } = await book.context({
        text: 'In what order did I visit the castles?',
        limit: 8,
      })
      expect(want).toBe('order')
      expect(complete).toBeLessThan(1)
      const times = items.map(({ happenedAt }) => happenedAt)
      expect(times).toEqual(times.toSorted())
      expect(times).toHaveLength(8)
      const dates = months.toSorted((a, b) => a - b).map((month) => text.indexOf(`2026-0${month}-03`))
      expect(dates).toEqual(dates.toSorted((a, b) => a - b))
      expect(dates[0]).toBeGreaterThan(0)
    })

    it('is what conversation.recall returns, oldest first', async () => {
      const book = await filled()
      const { messages } = await book.conversation.recall({ query: 'List every castle that I visited' })
      expect(messages.length).toBeGreaterThan(10)
      expect(messages.map(({ id }) => id)).toEqual(expect.arrayContaining(visits))
      const times = messages.map(({ timestamp }) => timestamp)
      expect(times).toEqual(times.toSorted())
      const best = await book.conversation.recall({ query: 'List every castle that I visited', want: 'best' })
      expect(best.messages.length).toBeLessThanOrEqual(10)
      const two = await book.conversation.recall({ query: 'List every castle that I visited', limit: 2 })
      expect(two.messages).toHaveLength(2)
      expect(two.want).toBe('all')
      expect(two.complete).toBeLessThan(0.5)
    })

    it('has each event of a list, also in conversation.recall and in the same words', async () => {
      const book = await open()
      const days = [1, 2, 3, 4, 5, 6].map((day) => `2026-03-0${day}T08:00:00.000Z`)
      for (const timestamp of days)
        await book.conversation.store({
          message: { content: 'Took my tablet.', timestamp, source: { type: 'User', name: 'Eva' } },
        })
      const query = 'how many times did I take my tablet?'
      const { messages, ...others } = await book.conversation.recall({ query })
      expect(messages.map(({ timestamp }) => timestamp)).toEqual(days)
      expect(others).toEqual({ want: 'all', complete: 1 })
      const best = await book.conversation.recall({ query, want: 'best' })
      expect(best.messages).toHaveLength(1)
      expect(best).not.toHaveProperty('complete')
    })
  })
}
