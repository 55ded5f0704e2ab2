// What an agent proposes and somebody else decides.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { type BookCase, failure } from '../book-case.ts'

export const helper = 'did:a2p:agent:local:assistant'
export const proposed = {
  content: 'User prefers detailed explanations',
  category: 'a2p:preferences.communication',
  memory_type: 'procedural',
  confidence: 0.85,
} as const

const recalled = async (book: Daybook, text: string) =>
  (await book.recall({ text, kinds: ['memory'] })).hits.map(({ record }) => record.id)

export function proposalCases({ book: open }: BookCase): void {
  describe('a proposal', () => {
    it('is remembered when it is approved, and not before', async () => {
      const book = await open()
      const agent = book.with({ agent: helper })
      const { id, result, status, hidden } = await agent.proposals.propose(proposed)
      expect({ result, status, hidden }).toEqual({ result: 'proposed', status: 'pending', hidden: [] })
      expect(await recalled(book, 'detailed explanations')).toEqual([])
      expect((await book.memories.query()).memories).toEqual([])
      const { memory, status: decided } = await book.proposals.review({ id, action: 'approve' })
      expect(decided).toBe('approved')
      expect(await recalled(book, 'detailed explanations')).toEqual([memory])
      expect((await book.memories.query()).memories).toMatchObject([
        { id: memory, ...proposed, status: 'approved', source: { type: 'agent_proposal', agentDid: helper } },
      ])
      const { memories } = await book.memories.profile({ scopes: ['a2p:procedural.preferences'] })
      expect(memories['a2p:procedural']).toMatchObject([{ id: memory, content: proposed.content }])
      expect(await book.proposals.counts()).toMatchObject({ pending: 0, approved: 1 })
    })

    it('is never decided by whoever made it', async () => {
      const book = await open()
      const agent = book.with({ agent: helper })
      const { id } = await agent.proposals.propose(proposed)
      const error = await failure(agent.proposals.review({ id, action: 'approve' }))
      expect(error).toMatchObject({ code: 'forbidden', details: { reason: 'proposer' } })
      expect((await book.memories.query()).memories).toEqual([])
    })

    it('comes back by a reopening, and what was remembered goes', async () => {
      const book = await open()
      const { id } = await book.with({ agent: helper }).proposals.propose(proposed)
      const first = await book.proposals.review({ id, action: 'approve' })
      expect(await book.proposals.reopen({ id })).toEqual({ id, status: 'pending', forgotten: first.memory })
      expect((await book.memories.query()).memories).toEqual([])
      const edited = { content: 'User prefers short explanations' }
      const second = await book.proposals.review({ id, action: 'edit', edited })
      expect((await book.memories.query()).memories).toMatchObject([{ id: second.memory, ...edited }])
      const { proposals } = await book.proposals.list()
      expect(proposals).toMatchObject([
        {
          id,
          content: proposed.content,
          status: 'edited',
          resolution: {
            action: 'approved_with_edits',
            editedContent: edited.content,
            createdMemoryId: second.memory,
          },
        },
      ])
    })

    it('changes a memory and leaves its class as it is, unless it names another', async () => {
      const book = await open()
      const { propose } = book.with({ agent: helper }).proposals
      const before = { category: 'a2p:interests.music', memory_type: 'semantic', confidence: 1 } as const
      const { id: memory } = await book.memories.store({ content: 'Likes jazz', ...before })
      const approve = async (input: Omit<Parameters<typeof propose>[0], 'supersedes'>) => {
        const { id } = await propose({ ...input, supersedes: [memory] })
        await book.proposals.review({ id, action: 'approve' })
        return (await book.memories.query()).memories
      }
      expect(await approve({ content: 'Likes soul' })).toMatchObject([
        { id: memory, content: 'Likes soul', ...before },
      ])
      const named = { content: 'Goes to a concert', memory_type: 'episodic', confidence: 0.8 } as const
      expect(await approve(named)).toMatchObject([{ id: memory, ...before, ...named }])
    })

    it('leaves a class that the owner has changed since it was proposed', async () => {
      const book = await open()
      const { id: memory } = await book.memories.store({
        content: 'Takes pills',
        category: 'a2p:context.day',
      })
      const correct = (content: string, more = {}) =>
        book.with({ agent: helper }).proposals.propose({ content, supersedes: [memory], ...more })
      const { id } = await correct('Takes two pills')
      const { id: named } = await correct('Takes three pills', { category: 'a2p:context.night' })
      await book.memories.reclassify({
        id: memory,
        category: 'a2p:preferences.meds',
        memory_type: 'procedural',
        reason: 'It is a habit.',
      })
      await book.proposals.review({ id, action: 'approve' })
      const read = async () => (await book.memories.query()).memories
      const kept = { content: 'Takes two pills', category: 'a2p:preferences.meds', memory_type: 'procedural' }
      expect(await read()).toMatchObject([kept])
      await book.proposals.review({ id: named, action: 'approve' })
      expect(await read()).toMatchObject([{ content: 'Takes three pills', category: 'a2p:context.night' }])
    })

    it('of a memory does not take it out of a denied category', async () => {
      const book = await open()
      const { id: memory } = await book.memories.store({
        content: 'Likes hot soup',
        category: 'a2p:preferences.food',
      })
      await book.consent.setPolicy({
        forAgents: 'g',
        allow: ['a2p:context'],
        deny: ['a2p:preferences'],
        permissions: ['read_full'],
      })
      const { token } = await book.tokens.grant({
        granted_to: 'g',
        scope: '**',
        permissions: ['read'],
        expires_at: '2099-01-01T00:00:00.000Z',
      })
      const { id } = await book
        .with({ agent: helper })
        .proposals.propose({ content: 'Likes cold soup', supersedes: [memory] })
      await book.proposals.review({ id, action: 'approve' })
      expect((await book.memories.query()).memories).toMatchObject([
        { content: 'Likes cold soup', category: 'a2p:preferences.food' },
      ])
      expect((await book.with({ as: token.token_id }).memories.query()).memories).toEqual([])
    })
  })
}
