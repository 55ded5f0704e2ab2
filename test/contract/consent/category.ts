// One spelling of a category: what is denied under one is denied under all, and what is guarded is guarded under all. And what
// a policy denies is neither read nor proposed.
import { describe, expect, it } from 'vitest'
import { grant } from '../access/token-grant.ts'
import { type BookCase, failure } from '../book-case.ts'

const permissions = ['read', 'write', 'propose']
const spelled = ['a2p:health.lungs', 'a2p:Health.lungs', 'a2p:HEALTH.Lungs'] as const

export function categoryCases(
  { book: open }: BookCase,
  { keepsKeys = true }: { readonly keepsKeys?: boolean },
): void {
  describe('a category', () => {
    it.skipIf(!keepsKeys)('is as guarded as it usually is, however it is written', async () => {
      const book = await open()
      for (const category of spelled) {
        const { id } = await book.memories.store({
          content: `Coughs at night, ${category}`,
          category,
          memory_type: 'semantic',
        })
        expect(await book.records.get({ id })).toMatchObject({
          category: spelled[0],
          sensitivity: 'restricted',
        })
      }
      expect((await book.memories.query({ category: 'a2p:Health' })).memories).toHaveLength(3)
    })

    it('is denied by a policy or a token, however either is written', async () => {
      const book = await open()
      const said = { content: 'Likes hot pepper', memory_type: 'semantic' } as const
      const { id } = await book.memories.store({ ...said, category: 'a2p:Preferences.Food' })
      const { id: ext } = await book.memories.store({ ...said, category: 'ext:Spotify:Music' })
      const read = { forAgents: 'coach', permissions: ['read_full'] as ['read_full'] }
      await book.consent.setPolicy({ ...read, allow: ['a2p:*', 'ext:*'] })
      const token = async (deny: string[]) => ({
        as: (await grant(book, { permissions, granted_to: 'coach', ...(deny.length > 0 ? { deny } : {}) }))
          .token.token_id,
      })
      const all = await token([])
      expect([
        (await book.records.get({ id }, all))?.id,
        (await book.records.get({ id: ext }, all))?.id,
      ]).toEqual([id, ext])
      for (const deny of ['a2p:preferences.**', 'a2p:Preferences.**', 'a2p:semantic.PREFERENCES.food'])
        expect(await book.records.get({ id }, await token([deny]))).toBeNull()
      expect(await book.records.get({ id: ext }, await token(['ext:SPOTIFY:**']))).toBeNull()
      for (const deny of ['a2p:preferences', 'a2p:PREFERENCES.food', 'a2p:semantic.Preferences']) {
        const { id: policy } = await book.consent.setPolicy({ ...read, deny: [deny] })
        expect(await book.records.get({ id }, all)).toBeNull()
        expect((await book.memories.query({}, all)).memories.map((one) => one.id)).toEqual([ext])
        await book.consent.removePolicy({ id: policy })
      }
    })

    it('that a policy denies to an agent takes no proposal of it either, nor of its delegates', async () => {
      const book = await open()
      await book.consent.setPolicy({
        forAgents: 'coach',
        allow: ['a2p:*'],
        deny: ['a2p:professional'],
        permissions: ['propose'],
      })
      const { token } = await grant(book, {
        permissions: [...permissions, 'delegation'],
        granted_to: 'coach',
      })
      const as = { as: token.token_id }
      const child = { as: (await grant(book, { permissions, granted_to: 'helper' }, as.as)).token.token_id }
      const said = { content: 'Sells pepper mills', memory_type: 'semantic' } as const
      for (const category of ['a2p:professional', 'a2p:professional.sales', 'a2p:Professional'])
        for (const who of [as, child])
          expect(await failure(book.proposals.propose({ ...said, category }, who))).toMatchObject({
            code: 'consent-required',
            details: { path: 'category', reason: 'policy' },
          })
      expect((await book.proposals.propose({ ...said, category: 'a2p:interests' }, as)).result).toBe(
        'proposed',
      )
      const { id } = await book.memories.store({ ...said, category: 'a2p:interests' })
      const asked = { id, category: 'a2p:professional', reason: 'r' }
      expect((await failure(book.memories.reclassify(asked, as))).code).toBe('consent-required')
      expect((await book.proposals.list({ status: 'pending' })).proposals).toHaveLength(1)
    })
  })
}
