// What the a2p protocol asks of every host: ten tests made from its description, and its documents by its schemas. An outsider's
// client speaks, and what it is answered is what the protocol's own words say.
import { describe, expect, it } from 'vitest'
import { bearerClient } from './a2p-client.ts'
import { expectValid, profileSchema, proposalSchema, receiptSchema } from './document-schema.ts'
import {
  type A2pHost,
  createA2pWorld,
  example,
  expectEnvelope,
  expectRefused,
  openReadable,
} from './a2p-world.ts'

export function conformanceCases(host: A2pHost): void {
  const newBook = createA2pWorld(host)
  const nobody = (...asked: Parameters<ReturnType<typeof bearerClient>>) =>
    bearerClient(null, host.base, host.fetch)(...asked)

  const openBook = () => openReadable(newBook)

  describe('a host of the protocol', () => {
    it('1 says that it is there', async () => {
      const { status, body } = await nobody('GET', '/health')
      expect([status, body.data]).toEqual([200, { status: 'ok', version: '0.1.0' }])
    })

    it('2 lets nobody in who does not say who it is', async () => {
      const { did: user } = newBook()
      for (const [method, path] of [
        ['GET', `/profile/${user}`],
        ['GET', `/profile/${user}/memories`],
        ['GET', `/profile/${user}/proposals`],
        ['POST', `/profile/${user}/access`],
        ['POST', `/profile/${user}/memories/propose`],
        ['POST', `/profile/${user}/proposals/prop_x/review`],
        ['GET', '/agents/did:a2p:agent:local:x'],
      ] as const)
        expectRefused(await nobody(method, path, method === 'POST' ? {} : undefined), 401, 'A2P001')
    })

    it('3 tells what is no DID, and does not find one without a namespace', async () => {
      const { agent } = await openBook()
      expectRefused(await agent.get('/profile/not-a-did'), 400, 'A2P010')
      expectRefused(await agent.get('/profile/did:a2p:user:alice'), 404, 'A2P003')
    })

    it('4 gives the profile that the policies let an agent have, in its envelope', async () => {
      const { book, agent } = await openBook()
      const said = { memory_type: 'semantic', content: 'Likes jazz', category: 'a2p:preferences.music' }
      await book.run('a2p:store_memory', said)
      await book.run('a2p:store_memory', { ...said, category: 'a2p:interests', content: 'Collects stamps' })
      const answer = await agent.get(`/profile/${book.did}?scopes=a2p:preferences,a2p:interests`)
      expectEnvelope(answer)
      expect(answer.body).toMatchObject({
        success: true,
        data: { id: book.did, identity: { did: book.did }, profileType: 'human' },
        meta: { agentDid: agent.did },
      })
      expectValid(profileSchema, answer.body.data)
      expect(answer.text).toContain('Likes jazz')
      expect(answer.text).not.toContain('stamps')
    })

    it('5 lists memories, by category and page by page', async () => {
      const { book, agent } = await openBook()
      for (let i = 0; i < 5; i++)
        await book.run('a2p:store_memory', { content: `Number ${i}`, category: 'a2p:preferences.number' })
      await book.run('a2p:store_memory', { content: 'Another', category: 'a2p:preferences.other' })
      const page = async (query: string) => {
        const { body } = await agent.get(`/profile/${book.did}/memories?${query}`)
        return [(body.data as { content: string }[]).map(({ content }) => content), body.meta['more']]
      }
      const path = 'category=a2p:preferences.number'
      expect(await page(path)).toEqual([['Number 4', 'Number 3', 'Number 2', 'Number 1', 'Number 0'], false])
      expect(await page(`${path}&limit=2`)).toEqual([['Number 4', 'Number 3'], true])
      expect(await page(`${path}&limit=2&offset=4`)).toEqual([['Number 0'], false])
      expect(await page(`${path}&offset=9`)).toEqual([[], false])
      const found: string[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        const next = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
        const { body } = await agent.get(`/profile/${book.did}/memories?${path}&limit=2${next}`)
        found.push(...(body.data as { content: string }[]).map(({ content }) => content))
        cursor = body.meta['cursor'] as string | undefined
      }
      expect(found).toEqual(['Number 4', 'Number 3', 'Number 2', 'Number 1', 'Number 0'])
      for (const wrong of [
        'cursor=x',
        'limit=x',
        'limit=-1',
        'limit=1001',
        'offset=1.5',
        'category=everything',
        'memory_type=x',
      ])
        expect([wrong, (await agent.get(`/profile/${book.did}/memories?${wrong}`)).status]).toEqual([
          wrong,
          400,
        ])
    })

    it('6 gives a receipt for what policies grant, and asks the user for the rest', async () => {
      const { book, agent } = await openBook()
      const purpose = {
        type: 'personalization',
        description: 'To answer as you like it',
        legalBasis: 'consent',
      }
      const path = `/profile/${book.did}/access`
      const granted = await agent.post(path, { scopes: ['a2p:preferences', 'a2p:interests'], purpose })
      expectEnvelope(granted)
      expectValid(receiptSchema, granted.body.data)
      expect(granted.body.data).toMatchObject({
        userDid: book.did,
        agentDid: agent.did,
        grantedScopes: ['a2p:preferences'],
        deniedScopes: ['a2p:interests'],
        purpose,
        consentMethod: 'policy_match',
      })
      const { grantedAt, expiresAt } = granted.body.data as { grantedAt: string; expiresAt: string }
      expect(Date.parse(expiresAt) - Date.parse(grantedAt)).toBe(86_400_000)
      const pending = await agent.post(path, { scopes: ['a2p:interests'], purpose })
      expectRefused(pending, 403, 'A2P004')
      const { deniedScopes, requestId } = pending.body.error.details
      expect(deniedScopes).toEqual(['a2p:interests'])
      await book.run('consent:decide', { id: requestId, decision: 'grant' })
      const decided = await agent.post(path, { scopes: ['a2p:interests'], purpose })
      expect(decided.body.data).toMatchObject({ consentMethod: 'explicit_grant' })
      expectRefused(await agent.post(path, { scopes: ['a2p:health'], purpose }), 403, 'A2P002')
    })

    it('7 takes a proposal in either form, which waits for the user', async () => {
      const { book, agent } = await openBook()
      const path = `/profile/${book.did}/memories/propose`
      const flat = await agent.post(path, example)
      expectEnvelope(flat)
      expect(flat.status).toBe(201)
      const { proposalId, status, expiresAt, createdAt } = flat.body.data as Record<string, string>
      expect([proposalId, status]).toEqual([expect.stringMatching(/^prop_[A-Za-z0-9]{16,}$/), 'pending'])
      expect(Date.parse(expiresAt ?? '') - Date.parse(createdAt ?? '')).toBe(7 * 86_400_000)
      const memory = { content: 'Likes tea', category: 'a2p:preferences.food', suggestedTags: ['drink'] }
      const nested = await agent.post(path, { proposedBy: { agentDid: agent.did }, memory })
      expect(nested.status).toBe(201)
      const again = await agent.post(path, example)
      expect([again.status, again.body.data]).toMatchObject([201, { proposalId, result: 'duplicate' }])
      expect((await agent.get(`/profile/${book.did}`)).text).not.toContain('tea')
      const wrong = await agent.post(path, { ...example, memory_type: 'factual' })
      expectRefused(wrong, 400, 'A2P023')
      expect(wrong.body.error.details['valid']).toEqual(['episodic', 'semantic', 'procedural'])
    })

    it('8 lists proposals: to an agent its own, to the user all, flat and by the schema', async () => {
      const { book, agent } = await openBook()
      const other = await book.agent('other')
      const path = `/profile/${book.did}/proposals`
      await agent.post(`/profile/${book.did}/memories/propose`, example)
      await other.post(`/profile/${book.did}/memories/propose`, { ...example, content: 'Likes tea' })
      const own = await agent.get(path)
      expect(own.body.meta['count']).toBe(1)
      expect(own.body.data).toMatchObject([{ agentDid: agent.did, ...example, status: 'pending' }])
      const [{ id }] = own.body.data as [{ id: string }]
      expect((await agent.get(`${path}/${id}`)).body.data).toMatchObject({ id, status: 'pending' })
      expect((await other.get(`${path}/${id}`)).status).toBe(404)
      const all = await book.user('GET', `${path}?form=schema`)
      expect(all.body.meta['count']).toBe(2)
      for (const one of all.body.data as object[]) expectValid(proposalSchema, one)
      expect((await agent.get(`${path}?status=approved`)).body.meta['count']).toBe(0)
      expectRefused(await agent.get(`${path}?status=lost`), 400, 'A2P006', 'status')
    })

    it('9 lets the user decide, once, and nobody else', async () => {
      const { book, agent } = await openBook()
      const propose = async (content: string) => {
        const { body } = await agent.post(`/profile/${book.did}/memories/propose`, { ...example, content })
        return (body.data as { proposalId: string }).proposalId
      }
      const review = (id: string) => `/profile/${book.did}/proposals/${id}/review`
      const [one, two, three] = [
        await propose('Likes tea'),
        await propose('Likes milk'),
        await propose('Likes wine'),
      ]
      expectRefused(await agent.post(review(one), { action: 'approve' }), 403, 'A2P002')
      expect(await book.log(agent.did)).toContain('a2p:review forbidden')
      const approved = await book.user('POST', review(one), { action: 'approve' })
      expect(approved.body.data).toMatchObject({
        proposalId: one,
        status: 'approved',
        memoryId: expect.stringMatching(/^mem_/) as string,
      })
      const edited = await book.user('POST', review(two), {
        action: 'approve',
        editedContent: 'Likes oat milk',
        editedMemoryType: 'semantic',
      })
      expect(edited.body.data).toMatchObject({ status: 'approved', edited: true })
      const rejected = await book.user('POST', review(three), { action: 'reject', reason: 'No' })
      expect(rejected.body.data).toMatchObject({ proposalId: three, status: 'rejected' })
      expect(rejected.body.data).not.toHaveProperty('memoryId')
      const twice = await book.user('POST', review(one), { action: 'reject' })
      expectRefused(twice, 400, 'A2P006')
      expect(twice.body.error.message).toMatch(/^Proposal already reviewed/)
      expectRefused(await book.user('POST', review('prop_nothing'), { action: 'approve' }), 404, 'A2P003')
      expectRefused(await book.user('POST', review(one), { action: 'ponder' }), 400, 'A2P006', 'action')
      const { memories } = (await agent.get(`/profile/${book.did}`)).body.data as {
        memories: Record<string, object[]>
      }
      expect(memories).toMatchObject({
        'a2p:procedural': [{ content: 'Likes tea', source: { type: 'agent_proposal', agentDid: agent.did } }],
        'a2p:semantic': [{ content: 'Likes oat milk' }],
        'a2p:episodic': [],
      })
    })

    it('10 does a signed request once, and says with every answer what is left to ask', async () => {
      const { book, agent } = await openBook()
      const { url, init } = await agent.request('POST', `/profile/${book.did}/memories/propose`, example)
      const send = async () => host.fetch(url, init)
      const first = await send()
      expect([
        first.status,
        first.headers.get('x-ratelimit-limit'),
        first.headers.get('x-ratelimit-remaining'),
      ]).toEqual([201, '20', '19'])
      const second = await send()
      expect([second.status, ((await second.json()) as { error: { code: string } }).error.code]).toEqual([
        401,
        'A2P008',
      ])
      await first.text()
      expect((await agent.get(`/profile/${book.did}/proposals`)).body.meta['count']).toBe(1)
    })
  })
}
