// A proposal that is forgotten or purged leaves the memory that was made of it, and none of its own words.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import type { BookCase } from '../book-case.ts'
import { helper } from './proposal.ts'
import { toldOf } from './same-fate.ts'

const category = 'a2p:interests.music'
const word = 'Zitherabend'
const ways = ['forget', 'purge'] as const

interface Texts {
  readonly metadata: { readonly editHistory?: readonly { readonly previousContent: string }[] }
}
const textsOf = async (book: Daybook, id: string) =>
  ((await book.records.get({ id })) as unknown as Texts).metadata.editHistory?.map(
    (one) => one.previousContent,
  )

export function goneProposalCases({ book: open }: BookCase): void {
  const proposed = async (content = `Likes ${word}`) => {
    const book = await open()
    const asked = { content, category, context: `because ${word}` }
    const { id } = await book.with({ agent: helper }).proposals.propose(asked)
    return { book, id }
  }

  describe('a memory of a proposal that is gone', () => {
    it.each(ways)('says what the user made of it, and nothing that the proposal said: %s', async (way) => {
      const { book, id } = await proposed()
      const edited = { content: 'Likes Tuba' }
      const { memory = '' } = await book.proposals.review({ id, action: 'edit', edited })
      await book.memories.edit({ id: memory, content: 'Likes Alphorn' })
      await book.records[way]({ id })
      expect(await toldOf(book, [memory, id])).toEqual([])
      expect((await book.memories.query()).memories).toMatchObject([{ id: memory, content: 'Likes Alphorn' }])
      expect(await textsOf(book, memory)).toEqual(['', 'Likes Tuba'])
      await book.memories.edit({ id: memory, content: 'Likes Horn' })
      expect(await textsOf(book, memory)).toEqual(['', 'Likes Tuba', 'Likes Alphorn'])
      const { versions } = await book.records.history({ id: memory })
      const said = ['Likes Tuba', 'Likes Alphorn', 'Likes Alphorn', 'Likes Horn']
      expect(versions.map(({ body }) => body?.['content'])).toEqual(said)
    })

    it.each(ways)('keeps what was approved as it was until that is changed: %s', async (way) => {
      const { book, id } = await proposed()
      const { memory = '' } = await book.proposals.review({ id, action: 'approve' })
      await book.records[way]({ id })
      const found = (await book.records.get({ id: memory })) as { content?: string; source?: object }
      expect(found.content).toBe(`Likes ${word}`)
      expect(JSON.stringify(found.source)).not.toContain(word)
      await book.memories.edit({ id: memory, content: 'Likes Tuba' })
      expect(await toldOf(book, [memory, id])).toEqual([])
      expect(await textsOf(book, memory)).toEqual([''])
    })

    it.each(ways)('says no more what was approved as it was and changed since: %s', async (way) => {
      const { book, id } = await proposed()
      const { memory = '' } = await book.proposals.review({ id, action: 'approve' })
      await book.memories.edit({ id: memory, content: 'Likes Tuba' })
      await book.records[way]({ id })
      expect(await toldOf(book, [memory, id])).toEqual([])
      expect((await book.memories.query()).memories).toMatchObject([{ id: memory, content: 'Likes Tuba' }])
    })

    it.each(ways)('is in the class that was proposed, without the reason: %s', async (way) => {
      const book = await open()
      const { id: memory } = await book.memories.store({ content: 'Likes Tuba', category })
      const asked = { id: memory, category: 'a2p:preferences', reason: `because ${word}` }
      const { id } = await book.with({ agent: helper }).memories.reclassify(asked)
      await book.proposals.review({ id, action: 'approve' })
      await book.records[way]({ id })
      expect(await toldOf(book, [memory, id])).toEqual([])
      expect(await book.records.get({ id: memory })).toMatchObject({
        content: 'Likes Tuba',
        category: 'a2p:preferences',
        reclassified: [{ reason: '', by: 'proposal' }],
      })
    })

    it('keeps the text that it had first among its earlier ones, however often it is changed', async () => {
      const { book, id } = await proposed()
      const { memory = '' } = await book.proposals.review({ id, action: 'approve' })
      for (let n = 0; n < 52; n++) await book.memories.edit({ id: memory, content: `Likes Tuba ${n}` })
      const texts = (await textsOf(book, memory)) ?? []
      expect([texts.length, texts[0], texts.at(-1)]).toEqual([50, `Likes ${word}`, 'Likes Tuba 50'])
      await book.records.purge({ id })
      expect(await toldOf(book, [memory, id])).toEqual([])
      expect((await textsOf(book, memory))?.slice(1)).toEqual(texts.slice(1))
    })

    it('is brought back without those words by an older bundle', async () => {
      const { book, id } = await proposed()
      const edited = { content: 'Likes Tuba' }
      const { memory = '' } = await book.proposals.review({ id, action: 'edit', edited })
      const older = await new Response(await book.export()).text()
      await book.records.purge({ id })
      await book.records.forget({ id: memory })
      await book.import(older, { mode: 'replace', decisions: 'keep' })
      expect(await toldOf(book, [memory, id])).toEqual([])
    })
  })
}
