// Memories as people write them down: what goes in comes out, by type and category, and what is none is refused.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { type BookCase, failure } from '../book-case.ts'
import { helper, proposed } from './proposal.ts'

/** As the description of such memories writes them, word for word. */
const typed = {
  'a2p:semantic': [
    {
      id: 'mem_001',
      content: 'User prefers dark mode for coding',
      category: 'a2p:preferences.ui',
      confidence: 0.9,
      status: 'approved',
    },
  ],
  'a2p:procedural': [
    {
      id: 'mem_002',
      content: 'User always asks for pros/cons before decisions',
      category: 'a2p:preferences.communication',
      confidence: 0.85,
      status: 'approved',
    },
  ],
  'a2p:episodic': [
    {
      id: 'mem_003',
      content: 'User asked about Python async on 2026-01-15',
      category: 'a2p:interests.technology',
      confidence: 0.8,
      status: 'approved',
    },
  ],
} as const

const memory = {
  id: 'mem_abc123',
  content: 'Prefers TypeScript for new projects',
  category: 'a2p:professional.preferences',
  source: {
    type: 'proposal',
    agentDid: 'did:a2p:agent:local:assistant',
    sessionId: 'sess_xyz',
    timestamp: '2025-12-20T14:30:00Z',
  },
  confidence: 0.88,
  status: 'approved',
  sensitivity: 'standard',
  scope: ['work'],
  metadata: { approvedAt: '2025-12-20T14:35:00Z', useCount: 5, lastUsed: '2025-12-25T10:00:00Z' },
} as const

const proposal = {
  id: 'prop_xyz789',
  agentDid: 'did:a2p:agent:local:assistant',
  content: 'User prefers detailed explanations',
  category: 'a2p:preferences.communication',
  memory_type: 'procedural',
  confidence: 0.85,
  context: 'Based on follow-up questions in conversation',
  status: 'pending',
  proposedAt: '2025-12-25T10:00:00Z',
  expiresAt: '2025-01-01T10:00:00Z',
} as const

const idsOf = ({ memories }: { memories: readonly { id: string }[] }) =>
  memories.map(({ id }) => id).toSorted()

async function storeTyped(book: Daybook): Promise<void> {
  for (const [list, memories] of Object.entries(typed))
    for (const one of memories)
      await book.memories.store({ ...one, memory_type: list.slice('a2p:'.length) as 'semantic' })
}

export function memoryCases({ book: open }: BookCase): void {
  describe('memories', () => {
    it('come out as they went in, by the lists of the profile document', async () => {
      const book = await open()
      await storeTyped(book)
      const { memories, ...head } = await book.memories.profile({ did: 'did:a2p:user:local:alice' })
      expect(head).toEqual({
        id: 'did:a2p:user:local:alice',
        version: '0.1.0',
        profileType: 'human',
        identity: { did: 'did:a2p:user:local:alice' },
      })
      expect(Object.keys(memories)).toEqual(['a2p:episodic', 'a2p:semantic', 'a2p:procedural'])
      expect(memories).toMatchObject(typed)
      // Word for word, stored again it is the same.
      await storeTyped(book)
      expect((await book.memories.query()).memories.length).toBe(3)
    })

    it('tell how often they were of use by the counters of the device, and never store that', async () => {
      const book = await open()
      expect((await book.memories.store({ ...memory, scope: [...memory.scope] })).result).toBe('stored')
      const { useCount: _count, lastUsed: _last, ...kept } = memory.metadata
      const told = (await book.memories.query()).memories[0]
      expect(told).toEqual({ ...memory, memory_type: 'episodic', metadata: kept })
      for (let n = 0; n < 5; n++) await book.use({ ids: [memory.id] })
      const used = (await book.memories.query()).memories[0]
      expect(used?.metadata).toEqual({ ...kept, useCount: 5, lastUsed: expect.any(String) as string })
      expect(JSON.stringify(await book.records.get({ id: memory.id }))).not.toContain('useCount')
      // The document has the word of the protocol's schema for where it comes from.
      const { memories } = await book.memories.profile()
      expect(memories['a2p:episodic']?.[0]?.source).toMatchObject({ type: 'agent_proposal' })
    })

    it('are proposed flat or with the memory inside, and come out in either form', async () => {
      const book = await open()
      const agent = book.with({ agent: helper })
      const wrong = await failure(agent.proposals.propose(proposal))
      expect(wrong).toMatchObject({ code: 'invalid-input', details: { path: 'expiresAt' } })
      const flat = { ...proposal, expiresAt: '2027-01-01T10:00:00Z' }
      await agent.proposals.propose(flat)
      expect((await book.proposals.list()).proposals).toMatchObject([flat])
      const { proposals } = await book.proposals.list({ form: 'schema' })
      const { id, context, status, proposedAt, expiresAt, agentDid, ...said } = flat
      const nested = { id, proposedBy: { agentDid }, proposedAt, memory: said, context, status, expiresAt }
      expect(proposals).toMatchObject([nested])
      const other = await open()
      await other.with({ agent: helper }).proposals.propose(nested)
      expect((await other.proposals.list()).proposals).toEqual((await book.proposals.list()).proposals)
      const both = await failure(agent.proposals.propose({ ...nested, content: 'x' }))
      expect(both).toMatchObject({ code: 'invalid-input', details: { path: 'content' } })
    })

    it('are found by category, by type, and by both: a2p:episodic is read as either', async () => {
      const book = await open()
      await storeTyped(book)
      await book.memories.store({
        id: 'mem_4',
        content: 'A walk',
        category: 'a2p:episodic',
        memory_type: 'semantic',
      })
      await book.memories.store({ id: 'mem_5', content: 'Jazz', category: 'ext:spotify:music.preferences' })
      const within = async (...scopes: string[]) =>
        Object.values((await book.memories.profile({ scopes })).memories)
          .flat()
          .map(({ id }) => id)
          .toSorted()
      expect(await within('a2p:preferences')).toEqual(['mem_001', 'mem_002'])
      expect(await within('a2p:preferences.ui')).toEqual(['mem_001'])
      expect(await within('a2p:episodic')).toEqual(['mem_003', 'mem_4', 'mem_5'])
      expect(await within('a2p:semantic.preferences')).toEqual(['mem_001'])
      expect(await within('ext:spotify:*')).toEqual(['mem_5'])
      expect(await within('ext:spotify', 'a2p:interests')).toEqual(['mem_003', 'mem_5'])
      expect(await within('a2p:pref')).toEqual([])
      expect(await within('a2p:*')).toEqual(['mem_001', 'mem_002', 'mem_003', 'mem_4'])
      expect(idsOf(await book.memories.query({ category: 'a2p:episodic' }))).toEqual(['mem_4'])
      expect(idsOf(await book.memories.query({ memory_type: 'episodic' }))).toEqual(['mem_003', 'mem_5'])
    })

    it('are as guarded as their category is, or more', async () => {
      const book = await open()
      const agent = book.with({ agent: helper })
      const told = await agent.proposals.propose({ ...proposed, sensitivity: 'public' })
      const raised = await agent.proposals.propose({ ...proposed, content: 'x', sensitivity: 'standard' })
      const { proposals } = await book.proposals.list()
      const of = ({ id }: { id: string }) => proposals.find((one) => one.id === id)?.['sensitivity']
      expect([of(told), of(raised)]).toEqual(['standard', 'standard'])
    })

    it('change with their history, go away and come back, and are forgotten', async () => {
      const book = await open()
      const { id } = await book.memories.store({ content: 'Likes tea', category: 'a2p:preferences' })
      await book.memories.edit({ id, content: 'Likes green tea', scope: ['home'] })
      const [edited] = (await book.memories.query()).memories
      expect(edited).toMatchObject({
        content: 'Likes green tea',
        scope: ['home'],
        metadata: { editHistory: [{ previousContent: 'Likes tea', editedBy: 'contract' }] },
      })
      await book.memories.archive({ id })
      expect((await book.recall({ text: 'green tea' })).hits).toEqual([])
      expect((await book.memories.query()).memories).toEqual([])
      expect((await book.memories.query({ status: 'archived' })).memories).toMatchObject([{ id }])
      expect(await book.memories.archive({ id, archived: false })).toMatchObject({
        changed: true,
        status: 'approved',
      })
      expect((await book.recall({ text: 'green tea' })).hits.length).toBe(1)
      expect(await book.memories.forget({ id })).toEqual({ id, forgotten: true })
      expect((await book.memories.query()).memories).toEqual([])
    })

    it('stored twice are unchanged only with the same sensitivity and session', async () => {
      const book = await open()
      const memory = { id: 'mem_1', content: 'Likes tea', category: 'a2p:preferences' } as const
      await book.memories.store({ ...memory, sensitivity: 'standard', session: 's1' })
      for (const same of [{}, { sensitivity: 'standard', session: 's1' }] as const)
        expect((await book.memories.store({ ...memory, ...same })).result).toBe('unchanged')
      for (const other of [{ sensitivity: 'sensitive' }, { session: 's2' }] as const)
        expect(await failure(book.memories.store({ ...memory, ...other }))).toMatchObject({
          code: 'conflict',
          details: { path: 'id' },
        })
    })

    it('may have 2,000 characters, however many bytes, and a confidence of no sign', async () => {
      const book = await open()
      const content = '🙂'.repeat(2000)
      const { id } = await book.memories.store({ content, category: 'a2p:context', confidence: -0 })
      const [told] = (await book.memories.query()).memories
      expect([told?.id, told?.content, Object.is(told?.confidence, 0)]).toEqual([id, content, true])
    })

    it('are not there: so says whoever asks for one by an id that is of none', async () => {
      const book = await open()
      const verbs = {
        'a2p:edit_memory': { confirmed: true },
        'a2p:archive': {},
        'a2p:reopen': {},
        'a2p:withdraw': {},
        'a2p:review': { action: 'reject' },
        'a2p:find_similar': {},
      }
      for (const [verb, more] of Object.entries(verbs)) {
        const error = await failure(book.call(verb as 'a2p:archive', { id: 'mem_1', ...more }))
        expect([verb, error.code, error.details['path']]).toEqual([verb, 'not-found', 'id'])
      }
      expect(await book.memories.forget({ id: 'mem_1' })).toEqual({ id: 'mem_1', forgotten: false })
      expect(await book.memories.profile()).toMatchObject({ memories: { 'a2p:semantic': [] } })
    })
  })
}
