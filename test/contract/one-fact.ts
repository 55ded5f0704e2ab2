// One fact is one hit, however often and in however many kinds it is stored; the hit names the other records.
import { describe, expect, it } from 'vitest'
import type { BookCase } from './book-case.ts'

export function oneFactCases({ book: open }: BookCase): void {
  describe('one fact', () => {
    it('of a perception, a memory and a thought is one hit, which names the others', async () => {
      const book = await open()
      const content = 'I live in Oslo.'
      await book.personas.register({ name: 'Ada' })
      const perception = await book.perceptions.store({ content: 'I live in Oslo' })
      const memory = await book.memories.store({ content, category: 'a2p:context' })
      const thought = await book.thoughts.remember({ persona: 'Ada', content })
      const all = [perception.id, memory.id, thought.id]
      const { hits } = await book.recall({ text: 'where do I live, in Oslo?' })
      expect(hits).toHaveLength(1)
      const [hit] = hits
      expect([hit?.record.id, ...(hit?.because.also ?? [])].toSorted()).toEqual(all.toSorted())
      const whole = await book.recall({ text: 'live Oslo', want: 'all' })
      expect(whole.hits).toHaveLength(1)
      expect((await book.recall({ text: 'live Oslo', distinct: false })).hits).toHaveLength(3)
    })

    it('of two people, or with another word, is two', async () => {
      const book = await open()
      await book.perceptions.store({ subject: 'alice', content: 'Likes green tea' })
      await book.memories.store({ content: 'Likes green tea', category: 'a2p:context' })
      await book.memories.store({ content: 'Likes no green tea', category: 'a2p:context' })
      const { hits } = await book.recall({ text: 'green tea' })
      expect(hits.map(({ because }) => because.also)).toEqual([undefined, undefined, undefined])
    })

    it('hides from a guest the records that it may not read', async () => {
      const book = await open()
      const perception = await book.perceptions.store({ content: 'The gate is green' })
      const memory = await book.memories.store({ content: 'The gate is green', category: 'a2p:context' })
      const { token } = await book.tokens.grant({
        granted_to: 'helper',
        scope: 'perception',
        permissions: ['read'],
        expires_at: '2099-01-01',
      })
      const { hits } = await book.with({ as: token.token_id }).recall({ text: 'green gate' })
      expect(hits.map(({ record, because }) => [record.id, because.also])).toEqual([
        [perception.id, undefined],
      ])
      expect(JSON.stringify(hits)).not.toContain(memory.id)
    })
  })
}
