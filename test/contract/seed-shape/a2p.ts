// The examples of the a2p memory specification as they stand there, in and out: the lists by type, a memory, a proposal in both
// forms, and memories that were made of others.
import { describe, expect, it } from 'vitest'
import { type BookCase, failure } from '../book-case.ts'
import { shaped } from './specification.ts'

const profile = {
  memories: {
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
  },
}

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
  metadata: {
    approvedAt: '2025-12-20T14:35:00Z',
    useCount: 5,
    lastUsed: '2025-12-25T10:00:00Z',
  },
}

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
}

type Told = Readonly<Record<string, unknown>>

export function a2pShapeCases({ book: open }: BookCase): void {
  describe('a2p memories', () => {
    it('go in as a profile by type, and come out as it', async () => {
      const call = shaped(await open())
      const stored: Told = await call('a2p_store_profile', profile)
      expect(stored).toEqual({ memory_ids: ['mem_003', 'mem_001', 'mem_002'] })
      // Told again, it is the same.
      expect(await call('mcp__a2p__store_profile', { profile })).toEqual(stored)
      const document = await call('a2p_get_profile', { did: 'did:a2p:user:local:alice' })
      expect(document).toMatchObject({
        id: 'did:a2p:user:local:alice',
        version: '0.1.0',
        profileType: 'human',
        identity: { did: 'did:a2p:user:local:alice' },
      })
      for (const [list, [example]] of Object.entries(profile.memories)) {
        const { memories } = document as { memories: Record<string, Told[]> }
        // The protocol's schema asks for a source, which the example leaves out; confidence fades with time.
        expect(memories[list]).toMatchObject([{ ...example, confidence: expect.any(Number) as number }])
        expect(memories[list]?.[0]).not.toHaveProperty('memory_type')
        expect(memories[list]?.[0]).toHaveProperty('source.type', 'user_manual')
      }
    })

    it('go in as one memory, and come out as it, with the source that the schema knows', async () => {
      const call = shaped(await open())
      expect(await call('a2p_store_memory', memory)).toMatchObject({ memory_id: 'mem_abc123' })
      const told: Told[] = await call('a2p_query_memories', { category: 'a2p:professional' })
      // How often a memory was of use each device counts for itself.
      const { useCount: _count, lastUsed: _last, ...metadata } = memory.metadata
      expect(told).toMatchObject([
        {
          ...memory,
          confidence: expect.any(Number) as number,
          source: { ...memory.source, type: 'agent_proposal' },
          metadata,
          memory_type: 'episodic',
        },
      ])
    })

    it('are refused in the list of another type, and nothing of what is no list', async () => {
      const book = await open()
      const call = shaped(book)
      const [semantic] = profile.memories['a2p:semantic']
      const wrong = { memories: { 'a2p:episodic': [{ ...semantic, memory_type: 'semantic' }] } }
      expect(await failure(call('a2p_store_profile', wrong))).toMatchObject({
        code: 'invalid-input',
        details: { path: 'memories.a2p:episodic.0.memory_type' },
      })
      for (const list of ['x', {}, ['x'], [null], 7])
        expect(
          await failure(call('a2p_store_profile', { memories: { 'a2p:semantic': list } })),
        ).toMatchObject({
          code: 'invalid-input',
        })
      expect(await call('a2p_query_memories')).toEqual([])
    })

    it('are proposed flat, with the end that comes after the beginning, and listed as they were', async () => {
      const call = shaped((await open()).with({ agent: 'did:a2p:agent:local:assistant' }))
      // As it stands there it ends before it begins.
      expect(await failure(call('a2p_propose_memory', proposal))).toMatchObject({
        code: 'invalid-input',
        details: { path: 'expiresAt' },
      })
      const later = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z')
      const sound = { ...proposal, expiresAt: later }
      expect(await call('a2p_propose_memory', { proposal: sound })).toMatchObject({
        proposal_id: 'prop_xyz789',
        status: 'pending',
        expiresAt: later,
      })
      const { proposedAt: _at, ...said } = sound
      expect(await call('a2p_list_proposals')).toMatchObject([said])
      expect(await call('a2p_list_proposals', { form: 'schema' })).toMatchObject([
        {
          id: 'prop_xyz789',
          proposedBy: { agentDid: proposal.agentDid },
          memory: { content: proposal.content, category: proposal.category, confidence: 0.85 },
          status: 'pending',
        },
      ])
      expect(await call('a2p_withdraw_proposal', { proposal_id: 'prop_xyz789' })).toEqual({
        proposal_id: 'prop_xyz789',
        status: 'withdrawn',
      })
    })

    it('are proposed with the memory inside, as the schema has it', async () => {
      const call = shaped((await open()).with({ agent: 'did:a2p:agent:local:assistant' }))
      const asked = {
        proposedBy: { agentDid: proposal.agentDid, sessionId: 'sess_xyz' },
        memory: { content: proposal.content, category: proposal.category, suggestedTags: ['style'] },
        evidence: [{ type: 'user_statement', quote: 'Tell me more' }],
        priority: 'high',
      }
      await call('a2p_propose_memory', asked)
      expect(await call('a2p_list_proposals', { form: 'schema' })).toMatchObject([asked])
      expect(await call('a2p_list_proposals')).toMatchObject([
        { content: proposal.content, tags: ['style'], memory_type: 'episodic' },
      ])
    })

    it('are made into one, which says of which', async () => {
      const call = shaped(await open())
      const like = (id: string, content: string) =>
        call('a2p_store_memory', { id, content, category: 'a2p:interests.music', memory_type: 'semantic' })
      await like('mem_1', 'Likes jazz music')
      await like('mem_2', 'Enjoys electronic music')
      const { memory_id }: Told = await call('a2p_consolidate_memories', {
        memory_ids: ['mem_1', 'mem_2'],
        content: 'Music preferences: jazz, electronic',
      })
      expect(await call('a2p_query_memories')).toMatchObject([
        {
          id: memory_id,
          content: 'Music preferences: jazz, electronic',
          consolidatedFrom: ['mem_1', 'mem_2'],
          metadata: { mergedFrom: ['mem_1', 'mem_2'] },
        },
      ])
    })
  })
}
