// What an agent may do over the a2p protocol: read what policies let it, propose in its own name, and decide nothing.
import { describe, expect, it } from 'vitest'
import { type A2pHost, createA2pWorld, example, expectRefused, openReadable } from './a2p-world.ts'

export function agentCases(host: A2pHost): void {
  const newBook = createA2pWorld(host)
  const openBook = () => openReadable(newBook)

  describe('an agent of the protocol', () => {
    it('reads nothing without a policy, and what a receipt narrows with it', async () => {
      const book = newBook()
      const agent = await book.agent()
      await book.run('a2p:store_memory', { content: 'Likes jazz', category: 'a2p:preferences.music' })
      await book.run('a2p:store_memory', { content: 'Likes red', category: 'a2p:preferences.ui' })
      expectRefused(await agent.get(`/profile/${book.did}`), 403, 'A2P004')
      expectRefused(await agent.get(`/profile/${book.did}/memories`), 403, 'A2P004')
      expect(await book.log(agent.did)).toContain('a2p:get_profile consent-required')
      expectRefused(await agent.post(`/profile/${book.did}/memories/propose`, example), 403, 'A2P004')
      expect((await book.user('GET', `/profile/${book.did}/proposals`)).body.meta['count']).toBe(0)
      await book.run('consent:set_policy', {
        forAgents: agent.did,
        allow: ['a2p:preferences'],
        permissions: ['read_scoped'],
      })
      expect((await agent.get(`/profile/${book.did}`)).text).toMatch(/jazz.*red|red.*jazz/)
      const asked = { scopes: ['a2p:preferences.ui'], purpose: { type: 'personalization' } }
      const { receiptId } = (await agent.post(`/profile/${book.did}/access`, asked)).body.data as {
        receiptId: string
      }
      const headers = { 'daybook-receipt': receiptId }
      const narrowed = await agent.get(`/profile/${book.did}`, { headers })
      expect(narrowed.text).toContain('red')
      expect(narrowed.text).not.toContain('jazz')
      const revoked = await book.user('POST', `/profile/${book.did}/receipts/${receiptId}/revoke`)
      expect(revoked.body.data).toMatchObject({ receiptId, status: 'revoked' })
      expectRefused(await agent.get(`/profile/${book.did}`, { headers }), 401, 'A2P001')
      const { body } = await agent.get(`/profile/${book.did}/receipts`)
      expect(body.data).toMatchObject([{ receiptId, status: 'revoked' }])
      expectRefused(await agent.post(`/profile/${book.did}/receipts/${receiptId}/revoke`, {}), 403, 'A2P002')
    })

    it('stores nothing itself, and takes back what it has proposed itself', async () => {
      const { book, agent } = await openBook()
      const other = await book.agent('other')
      const memory = { content: 'Likes jazz', category: 'a2p:preferences.music' }
      expectRefused(await agent.post(`/profile/${book.did}/memories`, memory), 403, 'A2P002')
      const { body } = await agent.post(`/profile/${book.did}/memories/propose`, memory)
      const { proposalId } = body.data as { proposalId: string }
      const withdraw = `/profile/${book.did}/proposals/${proposalId}/withdraw`
      expectRefused(await other.post(withdraw, {}), 404, 'A2P003')
      expect((await agent.post(withdraw, {})).body.data).toEqual({ proposalId, status: 'withdrawn' })
      expectRefused(await agent.post(withdraw, {}), 400, 'A2P006')
      const stored = await book.user('POST', `/profile/${book.did}/memories`, memory)
      expect([stored.status, stored.body.data]).toMatchObject([201, { status: 'approved' }])
    })

    it('proposes nothing of what a policy denies to it, however that is written', async () => {
      const { book, agent } = await openBook()
      const path = `/profile/${book.did}/memories/propose`
      const said = { content: 'Coughs at night', memory_type: 'semantic', confidence: 0.9 }
      for (const category of ['a2p:health', 'a2p:Health.lungs', 'a2p:HEALTH.lungs', 'a2p:professional'])
        expectRefused(await agent.post(path, { ...said, category }), 403, 'A2P004')
      expect((await book.user('GET', `/profile/${book.did}/proposals`)).body.meta['count']).toBe(0)
      expect((await agent.post(path, { ...said, category: 'a2p:preferences.air' })).status).toBe(201)
    })

    it('proposes in no other name than its own', async () => {
      const { book, agent } = await openBook()
      const path = `/profile/${book.did}/memories/propose`
      expect((await agent.post(path, { ...example, agentDid: agent.did })).status).toBe(201)
      const forged = await agent.post(path, {
        ...example,
        content: 'Forged',
        agentDid: 'did:a2p:agent:local:other',
      })
      expectRefused(forged, 403, 'A2P002')
      expect((await book.user('GET', `/profile/${book.did}/proposals`)).body.meta['count']).toBe(1)
    })

    it.each<readonly [string, object]>([
      ['content', { content: '' }],
      ['content', { content: 'x'.repeat(2001) }],
      ['content', { content: '\ud800' }],
      ['content', { content: 7 }],
      ['content', { content: undefined }],
      ['category', { category: 'everything' }],
      ['category', { category: 'a2p:' }],
      ['category', { category: 'a2p:preferences\u0000' }],
      ['category', { category: `a2p:${'x'.repeat(200)}` }],
      ['confidence', { confidence: -0.0001 }],
      ['confidence', { confidence: 1.0001 }],
      ['confidence', { confidence: '1' }],
      ['confidence', { confidence: null }],
      ['context', { context: 'x'.repeat(1001) }],
      ['expiresAt', { proposedAt: '2025-12-25T10:00:00Z', expiresAt: '2025-01-01T10:00:00Z' }],
      ['priority', { priority: 0 }],
      ['evidence', { evidence: [{ type: 'rumour' }] }],
      ['unknown', { unknown: 1 }],
    ])(
      'is told of a wrong `%s` in a proposal, nothing is stored, and it is in the log',
      async (path, over) => {
        const { book, agent } = await openBook()
        const answer = await agent.post(`/profile/${book.did}/memories/propose`, { ...example, ...over })
        expectRefused(answer, 400, 'A2P006')
        if (path !== 'unknown' && JSON.stringify(over) !== JSON.stringify({ content: '\ud800' }))
          expect(String(answer.body.error.details['path'])).toContain(path)
        expect((await book.user('GET', `/profile/${book.did}/proposals`)).body.meta['count']).toBe(0)
        expect(await book.log(agent.did)).toEqual(['a2p:propose invalid-input'])
      },
    )

    it('may propose up to every edge', async () => {
      const { book, agent } = await openBook()
      await book.run('consent:set_policy', {
        forAgents: 'did:a2p:agent:*',
        allow: ['ext:spotify'],
        permissions: ['propose'],
      })
      const path = `/profile/${book.did}/memories/propose`
      for (const over of [
        { content: 'x'.repeat(2000) },
        { content: 'Minus zero', confidence: -0 },
        { content: 'One', confidence: 1 },
        { content: 'Of another', category: 'ext:spotify:music.preferences' },
        { content: 'Long context', context: 'x'.repeat(1000) },
      ])
        expect([over, (await agent.post(path, { ...example, ...over })).status]).toEqual([over, 201])
    })
  })
}
