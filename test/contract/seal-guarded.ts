// What says again the words of a record that becomes sensitive: sealed with it, in the same call.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../src/book/daybook.ts'
import type { BookCase } from './book-case.ts'

const levelOf = async (book: Daybook, id: string) => (await book.records.get({ id }))?.['sensitivity']
const seal = (book: Daybook, id: string, sensitivity: 'sensitive' | 'restricted' | 'standard') =>
  book.records.setSensitivity({ id, sensitivity })

/** Of every host that keeps keys. */
export function sealGuardedCases({ book: open }: BookCase): void {
  describe('what says again a record that becomes sensitive', () => {
    it('is as sensitive: a fact in its place, and what stands in the place of that', async () => {
      const book = await open()
      const { id: one } = await book.facts.store({ schema: 's', data: { n: 1 } })
      const { id: two } = await book.facts.supersede({ id: one, data: { n: 2 }, sensitivity: 'standard' })
      const { id: three } = await book.facts.supersede({ id: two, data: { n: 3 } })
      await seal(book, one, 'restricted')
      for (const id of [one, two, three]) expect(await levelOf(book, id)).toBe('restricted')
      await book.records.forget({ id: one })
      const { id: four } = await book.facts.supersede({ id: three, data: { n: 4 } })
      for (const id of [two, three, four]) expect(await levelOf(book, id)).toBe('restricted')
    })

    it('is as sensitive: the memory of a proposal, with what it said before', async () => {
      const book = await open()
      const agent = book.with({ agent: 'helper' })
      const { id } = await agent.proposals.propose({ content: 'Likes jazz', category: 'a2p:interests' })
      const edited = { content: 'Likes music' }
      const { memory = '' } = await book.proposals.review({ id, action: 'edit', edited })
      expect(await levelOf(book, memory)).not.toBe('sensitive')
      await seal(book, id, 'sensitive')
      expect(await levelOf(book, memory)).toBe('sensitive')
      expect(await book.seal.status()).toMatchObject({ sealed: 2 })
      expect((await book.bundles.export({ includeSensitive: false })).text).not.toMatch(/jazz|music/)
    })

    it('is as sensitive: the memory that a proposal has changed', async () => {
      const book = await open()
      const agent = book.with({ agent: 'helper' })
      const { id: memory } = await book.memories.store({ content: 'Likes tea', category: 'a2p:interests' })
      const { id } = await agent.memories.reclassify({
        id: memory,
        category: 'a2p:preferences',
        reason: 'fits',
      })
      await seal(book, id, 'sensitive')
      expect(await levelOf(book, memory)).not.toBe('sensitive')
      await seal(book, id, 'standard')
      await book.proposals.review({ id, action: 'approve' })
      await seal(book, id, 'sensitive')
      expect(await levelOf(book, memory)).toBe('sensitive')
    })

    it('stays in clear once its owner has made it `standard`', async () => {
      const book = await open()
      const agent = book.with({ agent: 'helper' })
      const { id } = await agent.proposals.propose({ content: 'Likes jazz', category: 'a2p:interests' })
      const { memory = '' } = await book.proposals.review({ id, action: 'approve' })
      await seal(book, id, 'sensitive')
      await seal(book, memory, 'standard')
      await book.memories.edit({ id: memory, content: 'Likes music' })
      await seal(book, id, 'restricted')
      expect(await levelOf(book, memory)).toBe('standard')
      // The proposal follows its memory, too: both can be opened again.
      await seal(book, id, 'standard')
      expect(await book.seal.status()).toMatchObject({ sealed: 0 })
      const { id: fact } = await book.facts.store({ schema: 's', data: { n: 1 }, sensitivity: 'sensitive' })
      const { id: heir } = await book.facts.supersede({ id: fact, data: { n: 2 }, sensitivity: 'standard' })
      expect(await levelOf(book, heir)).toBe('standard')
    })

    it('has its marks sealed with it, as an episode has with a message', async () => {
      const book = await open()
      const message = { id: 'm', content: 'Zanzibar is warm', source: { User: 'ann' } }
      const { id = '' } = await book.conversation.store({ message, session: 'c' })
      await book.conversation.archive({ session: 'c' })
      const [episode] = (await book.records.query({ kind: 'episode' })).records
      await book.records.mark({ id: episode?.id ?? '', collection: 'Zanzibar' })
      await seal(book, id, 'sensitive')
      const { records } = await book.seal.list()
      expect(records.map(({ kind }) => kind).toSorted()).toEqual(['episode', 'mark', 'message'])
    })
  })
}
