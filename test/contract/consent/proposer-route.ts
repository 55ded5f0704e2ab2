// The proposer over HTTP, with an access key: as a caller of verbs and as a device that syncs. And what the log says of it.
import { expect, it } from 'vitest'
import { type GuestHost, openGuestWorld } from '../access/guest-world.ts'

const at = '2026-01-01T00:00:00.000Z'
const input = { content: 'User prefers tea', category: 'a2p:preferences', memory_type: 'semantic' }
const body = {
  ...input,
  by: 'helper',
  agentDid: 'did:a2p:agent:local:helper',
  confidence: 0.7,
  proposedAt: at,
  expiresAt: '2099-01-01T00:00:00.000Z',
  status: 'pending',
}
const decided = { round: 0, action: 'approve', at, by: 'user' }
const memory = {
  ...input,
  confidence: 1,
  status: 'approved',
  source: { type: 'user_manual', timestamp: at },
  metadata: { approvedAt: at },
}

export function proposerRouteCases(host: GuestHost): void {
  it('a proposer with a key decides nothing over HTTP and by sync, and the log says that it tried', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    const permissions = ['read', 'write', 'propose', 'forget', 'sync', '**']
    const helper = await world.guest({ name: 'helper', permissions })
    const other = await world.guest({ name: 'other', permissions: ['read', 'propose'] })
    const { id } = await helper.done<{ id: string }>('a2p:propose', input)
    for (const [verb, asked] of [
      ['a2p:review', { id, action: 'approve' }],
      ['a2p:reopen', { id }],
      ['a2p:store_memory', { content: input.content, category: input.category }],
    ] as const)
      expect([verb, (await helper.run(verb, asked)).status]).toEqual([verb, 403])
    const { results } = await helper.sync([
      { id, kind: 'proposal', base: 1, body: { ...body, status: 'approved' } },
      { id, kind: 'proposal', base: 1, body: { ...body, decisions: { '0-a': decided } } },
      { id: 'prop_2', kind: 'proposal', body },
      { id: 'mem_2', kind: 'memory', body: memory },
      { id: 'mem_3', kind: 'memory', body: { ...memory, status: 'pending' } },
    ])
    expect(results.map(({ s, error }) => error?.code ?? s)).toEqual(
      Array.from({ length: 5 }, () => 'forbidden'),
    )
    // Nor does it fetch what another has proposed, or see it.
    const { changes } = await other.sync([]).catch(() => ({ changes: [] }))
    expect(changes).toEqual([])
    expect(await other.done('a2p:list_proposals')).toMatchObject({ proposals: [] })
    expect(await other.done('kstar:query_memory', { kind: 'proposal' })).toMatchObject({ records: [] })
    expect(await other.done('kstar:get_record', { id })).toBe(null)
    expect(await helper.done('a2p:list_proposals')).toMatchObject({ proposals: [{ id, status: 'pending' }] })
    expect(await owner.done('a2p:query_memories')).toMatchObject({ memories: [] })
    const { entries } = await owner.done<{ entries: { capability: string; outcome: string }[] }>(
      'access:log',
      {
        agent: 'helper',
        outcome: 'forbidden',
      },
    )
    expect(entries.map(({ capability }) => capability).filter((one) => one.startsWith('a2p:'))).toEqual([
      'a2p:store_memory',
      'a2p:reopen',
      'a2p:review',
    ])
    const synced = await owner.done<{ entries: readonly object[] }>('access:log', {
      agent: 'helper',
      capability: 'daybook:sync',
      outcome: 'forbidden',
    })
    expect(synced.entries).toMatchObject([{ kinds: ['proposal', 'memory'], count: 5 }])
    // Somebody else does.
    const approved = await owner.done<{ memory: string }>('a2p:review', { id, action: 'approve' })
    await owner.done('consent:set_policy', {
      forAgents: 'other',
      allow: ['a2p:*'],
      permissions: ['read_scoped'],
    })
    expect(await other.done('a2p:query_memories')).toMatchObject({ memories: [{ id: approved.memory }] })
    const late = await helper.sync([
      { id: approved.memory, kind: 'memory', base: 1, body: { ...memory, content: 'x' } },
    ])
    expect(late.results.map(({ s, error }) => error?.code ?? s)).toEqual(['forbidden'])
  })
}
