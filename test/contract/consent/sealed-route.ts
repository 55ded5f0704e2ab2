// Memories and proposals of health at an edge, which has no keys: left there sealed, counted, and decided by nobody there.
import { describe, expect, it } from 'vitest'
import type { SealedBody } from '../../../src/core/sealed.ts'
import { openKeys } from '../access/sealed-route.ts'
import { type GuestHost, openGuestWorld, sealed as foreign } from '../access/guest-world.ts'

const health = { content: 'Takes insulin before breakfast', category: 'a2p:health' } as const
const plain = { content: 'Prefers tea', category: 'a2p:preferences' } as const

interface Listed {
  readonly proposals: readonly { readonly content: string }[]
  readonly sealed?: number
}
interface Queried {
  readonly memories: readonly { readonly content: string }[]
  readonly sealed?: number
}

export function sealedConsentRouteCases(host: GuestHost): void {
  describe('what is proposed of health at an edge', () => {
    async function begin() {
      const world = openGuestWorld(host)
      const owner = await world.owner()
      const keys = await openKeys('b')
      const permissions = ['read', 'propose', 'sync', 'write', 'forget']
      const helper = await world.guest({ name: 'helper', permissions })
      const other = await world.guest({ name: 'other', permissions })
      return { world, owner, keys, helper, other }
    }

    it('is refused until the book has a public key, and lies sealed to it from then on', async () => {
      const { world, owner, keys, helper } = await begin()
      const early = await helper.run('a2p:propose', health)
      expect([early.status, JSON.parse(early.text)]).toMatchObject([
        423,
        { code: 'locked', details: { missing: 'public_key' } },
      ])
      await owner.sync([keys.record])
      const answer = await helper.run('a2p:propose', health)
      expect([answer.status, answer.text]).toEqual([200, expect.not.stringContaining('insulin')])
      const { id } = JSON.parse(answer.text) as { id: string }
      const left = (await world.records()).get(id)
      expect(left).toMatchObject({ kind: 'proposal', agent: 'helper', sensitivity: 'restricted' })
      expect(left?.body).toBeUndefined()
      expect(await keys.open({ kind: 'proposal', id }, left?.enc as SealedBody)).toMatchObject({
        ...health,
        by: 'helper',
        status: 'pending',
      })
      // The same text has another name each time: by trying texts nobody finds what was said.
      const again = await helper.done<{ id: string }>('a2p:propose', health)
      expect(again.id).not.toBe(id)
    })

    it('is counted for whoever has it, and neither decided nor taken back there', async () => {
      const { world, owner, keys, helper, other } = await begin()
      await owner.sync([keys.record])
      const { id } = await helper.done<{ id: string }>('a2p:propose', health)
      await helper.done('a2p:propose', plain)
      for (const [who, known, unread] of [
        [owner, [plain.content], 1],
        [helper, [plain.content], 1],
        [other, [], undefined],
      ] as const) {
        const listed = await who.done<Listed>('a2p:list_proposals')
        expect([listed.proposals.map(({ content }) => content), listed.sealed]).toEqual([known, unread])
        const counts = await who.done<{ pending: number; sealed?: number }>('a2p:proposal_counts')
        expect([counts.pending, counts.sealed]).toEqual([known.length, unread])
      }
      for (const [who, verb, input] of [
        [owner, 'a2p:review', { id, action: 'approve' }],
        [owner, 'a2p:review', { id, action: 'reject' }],
        [owner, 'a2p:reopen', { id }],
        [helper, 'a2p:withdraw', { id }],
      ] as const) {
        const { status, text } = await who.run(verb, input)
        expect([verb, status, JSON.parse(text)]).toMatchObject([verb, 423, { code: 'locked' }])
      }
      expect((await other.run('a2p:withdraw', { id })).status).toBe(404)
      expect((await world.records()).get(id)).toMatchObject({ op: 'put', sensitivity: 'restricted' })
    })

    it('is sealed with its memory where the owner decides so while reviewing', async () => {
      const { world, owner, keys, helper } = await begin()
      await owner.sync([keys.record])
      const { id } = await helper.done<{ id: string }>('a2p:propose', plain)
      const edited = { content: health.content, category: health.category }
      const { memory } = await owner.done<{ memory: string }>('a2p:review', { id, action: 'edit', edited })
      const records = await world.records()
      for (const one of [id, memory]) {
        expect(records.get(one)).toMatchObject({ op: 'put', sensitivity: 'restricted' })
        expect(JSON.stringify(records.get(one))).not.toMatch(/insulin|tea/)
      }
      const listed = await helper.run('a2p:list_proposals')
      expect(listed.text).not.toMatch(/insulin/)
    })

    it('is withheld from its proposer where the memory that was made of it is', async () => {
      const { owner, helper } = await begin()
      await owner.done('consent:set_policy', {
        forAgents: 'helper',
        allow: ['a2p:preferences'],
        permissions: ['read_scoped', 'propose'],
      })
      const { id } = await helper.done<{ id: string }>('a2p:propose', plain)
      const { id: other } = await helper.done<{ id: string }>('a2p:propose', {
        ...plain,
        content: 'Likes jam',
      })
      await owner.done('a2p:review', { id: other, action: 'approve' })
      const edited = { content: 'Works at the mint', category: 'a2p:professional' }
      await owner.done('a2p:review', { id, action: 'edit', edited })
      const { text } = await helper.run('a2p:list_proposals')
      expect(text).toMatch(/Likes jam/)
      expect(text).not.toMatch(/mint|professional|Prefers tea/)
    })

    it('is told to nobody by its memory: the owner hears how many are sealed, an agent with a policy nothing', async () => {
      const { owner, keys, other } = await begin()
      await owner.sync([keys.record])
      await owner.done('a2p:store_memory', health)
      await owner.done('a2p:store_memory', plain)
      await owner.done('consent:set_policy', {
        forAgents: 'other',
        allow: ['a2p:preferences', 'a2p:health'],
        permissions: ['read_full'],
      })
      const asked = async (who: typeof owner) => {
        const { memories, sealed } = await who.done<Queried>('a2p:query_memories')
        const profile = await who.done<{ sealed?: number }>('a2p:get_profile')
        return [memories.map(({ content }) => content), sealed, profile.sealed]
      }
      expect(await asked(owner)).toEqual([[plain.content], 1, 1])
      expect(await asked(other)).toEqual([[plain.content], undefined, undefined])
      const found = await other.done<object>('daybook:recall', { text: 'insulin' })
      expect(found).toMatchObject({ hits: [] })
      expect(found).not.toHaveProperty('sealed')
    })

    it('is brought by no device of an agent, sealed or not', async () => {
      const { world, helper, owner, keys } = await begin()
      await owner.sync([keys.record])
      const { id } = await helper.done<{ id: string }>('a2p:propose', health)
      const sealed = { enc: foreign, sensitivity: 'restricted' }
      const { results } = await helper.sync([
        { id: 'mem_1', kind: 'memory', ...sealed },
        { id: 'prop_1', kind: 'proposal', ...sealed },
        { id, kind: 'proposal', base: 1, ...sealed },
        { id, kind: 'proposal', base: 1, op: 'forget' },
      ])
      expect(results.map(({ s, error }) => error?.code ?? s)).toEqual(
        Array.from({ length: 4 }, () => 'forbidden'),
      )
      expect([...(await world.records()).keys()].filter((one) => /^(?:mem|prop)_/.test(one))).toEqual([id])
    })
  })
}
