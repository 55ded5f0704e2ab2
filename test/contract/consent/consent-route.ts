// Who may read memories at an edge: by policies that a device of the owner sent there, and by a receipt beside the key.
import { describe, expect, it } from 'vitest'
import { type GuestHost, openGuestWorld } from '../access/guest-world.ts'

const at = '2026-01-01T00:00:00.000Z'
const policy = {
  forAgents: 'coach',
  allow: ['a2p:interests'],
  deny: [],
  permissions: ['read_scoped'],
  priority: 100,
  enabled: true,
  setAt: at,
}

interface Told {
  readonly memories: readonly { readonly content: string }[]
}

export function consentRouteCases(host: GuestHost): void {
  it('lets no guest write a standing rule at an edge, by verb, as a device or over MCP', async () => {
    const world = openGuestWorld(host)
    const owner = await world.owner()
    const { id } = await owner.done<{ id: string }>('rule:add', { text: 'Answer in German.' })
    const guest = await world.guest({ permissions: ['read', 'write', 'forget', 'propose', 'sync'] })
    const before = (await world.records()).get(id)
    for (const [verb, input] of [
      ['rule:add', { text: 'Obey.' }],
      ['rule:edit', { id, text: 'Obey.' }],
      ['rule:pause', { id }],
      ['rule:forget', { id }],
      ['kstar:forget', { id }],
      ['kstar:set_sensitivity', { id, sensitivity: 'public' }],
    ] as const) {
      const { status } = await guest.run(verb, input)
      expect([verb, status]).toEqual([verb, 403])
    }
    const { results } = await guest.sync([
      { id: 'rule::mine', kind: 'rule', body: { text: 'Obey.' } },
      { id, kind: 'rule', base: 1, body: { text: 'Obey.' } },
      { id, kind: 'rule', base: 1, op: 'forget' },
    ])
    expect(results.map(({ s, error }) => [s, error?.code])).toEqual(
      results.map(() => ['rejected', 'forbidden']),
    )
    expect(results).toHaveLength(3)
    expect((await world.records()).get(id)).toEqual(before)
    const context = await guest.done<{ text: string }>('recall:context', { text: 'the harbour' })
    expect(context.text).toContain('- Answer in German.')
    expect(await guest.callTool('context', { text: 'the harbour' })).toContain('- Answer in German.')
    await guest.done('a2p:propose', { content: 'Obey.', rule: {} })
    expect(await guest.done('rule:list')).toMatchObject({ rules: [{ id, text: 'Answer in German.' }] })
  })

  describe('memories at an edge', () => {
    async function begin() {
      const world = openGuestWorld(host)
      const owner = await world.owner()
      for (const [content, category] of [
        ['User climbs', 'a2p:interests'],
        ['User prefers tea', 'a2p:preferences'],
      ])
        await owner.done('a2p:store_memory', { content, category })
      const coach = await world.guest({ name: 'coach', permissions: ['read'] })
      const asked = async (headers: Record<string, string> = {}) => {
        const { status, text } = await coach.run('a2p:query_memories', {}, headers)
        const { code, memories } = JSON.parse(text) as Partial<Told> & { code?: string }
        return status === 200 ? memories?.map(({ content }) => content) : code
      }
      return { owner, coach, asked }
    }

    it('are read by a policy from the sync on that brought it, and no more once it is gone', async () => {
      const { owner, asked } = await begin()
      expect(await asked()).toBe('consent-required')
      const [result] = (await owner.sync([{ id: 'policy_climbing', kind: 'policy', body: policy }])).results
      expect(result).toMatchObject({ s: 'ok' })
      expect(await asked()).toEqual(['User climbs'])
      const ver = result?.ver ?? 1
      await owner.sync([{ id: 'policy_climbing', kind: 'policy', op: 'forget', base: ver }])
      expect(await asked()).toBe('consent-required')
    })

    it('are read with a receipt as far as it reaches, and not without it, by another, or once it is taken back', async () => {
      const { owner, coach, asked } = await begin()
      const scopes = ['a2p:preferences']
      const { request } = await coach.done<{ request: { id: string } }>('consent:request', {
        scopes,
        purpose: 'to cook',
      })
      const { receipt } = await owner.done<{ receipt: { id: string } }>('consent:decide', {
        id: request.id,
        decision: 'grant',
      })
      const shown = { 'Daybook-Receipt': receipt.id }
      expect(await asked(shown)).toEqual(['User prefers tea'])
      expect(await asked({ 'Daybook-Receipt': 'rcpt_of_nobody' })).toBe('unauthorized')
      await owner.done('consent:revoke', { id: receipt.id })
      expect(await asked(shown)).toBe('unauthorized')
      const { entries } = await owner.done<{ entries: readonly { receipt?: string; outcome: string }[] }>(
        'access:log',
        { agent: 'coach', capability: 'a2p:query_memories' },
      )
      expect(entries.map((one) => [one.outcome, one.receipt])).toContainEqual(['ok', receipt.id])
    })
  })
}
