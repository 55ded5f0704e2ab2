// What the user took out of a memory, or removed, is told to nobody else, and stays nowhere else.
import { describe, expect, it } from 'vitest'
import { grant } from '../access/token-grant.ts'
import { type BookCase, failure } from '../book-case.ts'

const helper = 'did:a2p:agent:local:assistant'
const proposed = {
  content: 'Lives at 5 Elm Street and likes tea',
  category: 'a2p:preferences.food',
  memory_type: 'semantic',
  confidence: 0.8,
} as const

export function ownerWordCases({ book: open }: BookCase): void {
  describe('a memory that the user changed', () => {
    it('tells its earlier texts to the owner alone, by whatever way somebody else reads', async () => {
      const book = await open()
      const { id } = await book.with({ agent: helper }).proposals.propose(proposed)
      const edited = { content: 'Likes tea' }
      const { memory = '' } = await book.proposals.review({ id, action: 'edit', edited })
      await book.memories.edit({ id: memory, content: 'Likes black tea' })
      await book.memories.edit({ id: memory, content: 'Likes green tea' })
      await book.consent.setPolicy({
        forAgents: 'coach',
        permissions: ['read_full'],
        allow: ['a2p:preferences'],
      })
      const { token } = await grant(book, { permissions: ['read', 'export', 'propose'], granted_to: 'coach' })
      const as = { as: token.token_id }
      const said = [
        await book.records.get({ id: memory }, as),
        await book.records.history({ id: memory }, as),
        await book.records.query({ kind: 'memory' }, as),
        await book.records.search({ query: 'tea' }, as),
        await book.recall({ text: 'tea', kinds: ['memory'] }, as),
        await book.context({ text: 'tea' }, as),
        await book.memories.query({}, as),
        await book.memories.profile({}, as),
        (await book.bundles.export({}, as)).text,
      ]
      for (const one of said) {
        const text = JSON.stringify(one)
        expect([text.includes('green'), /Elm|black|editHistory/.exec(text)]).toEqual([true, null])
      }
      // Nor by what a filter finds.
      const found = async (filters: object) =>
        (await book.records.query({ kind: 'memory', filters: filters as never }, as)).records.length
      expect(await found({ 'metadata.editHistory': { exists: true } })).toBe(0)
      expect(await found({ 'metadata.approvedAt': { exists: true } })).toBe(1)
      const own = await book.records.get({ id: memory })
      expect(JSON.stringify(own)).toMatch(/Elm.*black/)
      expect(JSON.stringify(await book.memories.query())).toContain('Elm')
    })
  })

  describe('a memory that an agent proposed', () => {
    it.each(['forget', 'purge'] as const)('takes its proposal with it: %s', async (how) => {
      const book = await open()
      const agent = book.with({ agent: helper })
      const { id } = await agent.proposals.propose(proposed)
      const edited = { content: 'Likes strong tea' }
      const { memory = '' } = await book.proposals.review({ id, action: 'edit', edited })
      const { id: other } = await agent.proposals.propose({ ...proposed, content: 'Likes rye bread' })
      await book.records[how]({ id: memory })
      expect((await book.proposals.list()).proposals.map((one) => one.id)).toEqual([other])
      expect((await agent.proposals.list()).proposals.map((one) => one.id)).toEqual([other])
      expect(await book.records.get({ id })).toBeNull()
      expect((await failure(book.proposals.review({ id, action: 'approve' }))).code).toBe('not-found')
      const { text } = await book.bundles.export({})
      expect([text.includes('rye'), /Elm|strong/.exec(text)]).toEqual([true, null])
    })

    it('leaves its proposal to be decided again when the review is taken back', async () => {
      const book = await open()
      const { id } = await book.with({ agent: helper }).proposals.propose(proposed)
      await book.proposals.review({ id, action: 'approve' })
      await book.proposals.reopen({ id })
      expect((await book.proposals.list()).proposals).toMatchObject([{ id, status: 'pending' }])
    })
  })
}
