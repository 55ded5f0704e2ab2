// Words that a user wrote while reviewing are gone with the memory that they became, once that review is taken back or loses.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import type { BookCase } from '../book-case.ts'
import { helper } from './proposal.ts'
import { toldOf } from './same-fate.ts'

const plain = { content: 'Likes Tuba', category: 'a2p:interests.music' } as const
const word = 'Zitherabend'
const edited = { content: `Likes ${word}`, tags: [word], scope: [word] }

/** What a proposal says word for word that it names by evidence without a quote, or as similar. */
export function wordForWordCases({ book: open }: BookCase): void {
  describe('a proposal that says a record that it names word for word', () => {
    const content = `Likes ${word}`
    const named = {
      evidence: async (book: Daybook) => {
        const message = { content: `I know: ${content}!`, source: 'assistant' } as const
        const { id = '' } = await book.conversation.store({ message })
        return { id, more: { evidence: [{ record: id }] } }
      },
      similarTo: async (book: Daybook) => {
        const { id } = await book.memories.store({ content, category: plain.category })
        return { id, more: { similarTo: [id] } }
      },
    }
    const cases = (['evidence', 'similarTo'] as const).flatMap((by) =>
      (['forget', 'purge'] as const).map((way) => ({ by, way })),
    )
    it.each(cases)('is gone with it: $by, $way', async ({ by, way }) => {
      const book = await open()
      const { id: record, more } = await named[by](book)
      const { id } = await book.with({ agent: helper }).proposals.propose({ ...plain, content, ...more })
      await book.records[way]({ id: record })
      expect(await toldOf(book, [record, id])).toEqual([])
      expect((await book.proposals.list({ id })).proposals).toEqual([])
    })

    it('stays where it says something else', async () => {
      const book = await open()
      const { id: record, more } = await named.similarTo(book)
      const { id } = await book.with({ agent: helper }).proposals.propose({ ...plain, ...more })
      await book.records.forget({ id: record })
      expect((await book.proposals.list({ id })).proposals).toMatchObject([{ content: plain.content }])
    })
  })
}

export function reviewBackCases({ book: open }: BookCase): void {
  describe('a review with changes that was taken back', () => {
    const takenBack = async () => {
      const book = await open()
      const { id } = await book.with({ agent: helper }).proposals.propose(plain)
      const first = await book.proposals.review({ id, action: 'edit', edited, reason: `not ${word}` })
      await book.proposals.reopen({ id })
      return { book, id, first: first.memory ?? '' }
    }

    it('has left no word of it, in no earlier version either', async () => {
      const { book, id, first } = await takenBack()
      expect(await toldOf(book, [id, first])).toEqual([])
      expect((await book.proposals.list({ id })).proposals).toMatchObject([
        { content: plain.content, status: 'pending' },
      ])
    })

    it.each(['approve', 'reject'] as const)('has left none after the next review: %s', async (action) => {
      const { book, id, first } = await takenBack()
      const { memory } = await book.proposals.review({ id, action, reason: 'so be it' })
      expect(await toldOf(book, [id, first, ...(memory ? [memory] : [])])).toEqual([])
      const [told] = (await book.proposals.list({ id })).proposals
      expect(told).toMatchObject({ resolution: { reason: 'so be it' } })
      // The end of the first round still follows from what is left of it.
      expect(await book.records.get({ id: first })).toBeNull()
    })

    it('leaves the words of the present round as they are', async () => {
      const book = await open()
      const { id } = await book.with({ agent: helper }).proposals.propose(plain)
      await book.proposals.review({ id, action: 'edit', edited: { content: 'Likes Alphorn' } })
      await book.proposals.reopen({ id })
      await book.proposals.review({ id, action: 'edit', edited, reason: 'so it is' })
      expect((await book.proposals.list({ id })).proposals).toMatchObject([
        { resolution: { editedContent: edited.content, reason: 'so it is' } },
      ])
      expect(JSON.stringify(await book.records.history({ id }))).not.toContain('Alphorn')
    })
  })
}
