// What a guest gives on of its own: never more than it has, never in the name of another, and always on its account.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'
import { type Grant, grant, soon } from '../access/token-grant.ts'
import { createOwner } from '../mirror/signed-token.ts'

const helper = 'did:a2p:agent:local:helper'
const permissions = ['read', 'write', 'propose', 'delegation']
const food = { content: 'Likes pepper', category: 'a2p:preferences.food', memory_type: 'semantic' } as const

/** A book with a memory that `helper` alone may read, and `mallory` who may give on what she has. */
async function opened(book: Daybook) {
  const { id } = await book.memories.store(food)
  await book.consent.setPolicy({ forAgents: helper, allow: ['a2p:preferences'], permissions: ['read_full'] })
  const { token } = await grant(book, { permissions, granted_to: 'mallory' })
  const mallory = { as: token.token_id }
  const below = async (granted_to: string, over: Partial<Grant> = {}, as = mallory.as) => {
    const child = await grant(
      book,
      { permissions: ['read', 'write', 'propose'], expires_at: soon, granted_to, ...over },
      as,
    )
    return { as: child.token.token_id }
  }
  return { id, mallory, below }
}

const ownerOf = async (book: Daybook): Promise<string> => {
  const { id } = await book.traces.store(makeTrace())
  return (await book.traces.get({ id }))?.agent ?? ''
}

export function delegateCases({ book: open }: BookCase): void {
  describe('a token that a guest grants on', () => {
    it('reads nothing that a policy lets the agent read whose name it bears', async () => {
      const book = await open()
      const { id, below, mallory } = await opened(book)
      const other = await grant(book, { granted_to: helper, permissions })
      expect(await book.records.get({ id }, { as: other.token.token_id })).toMatchObject(food)
      for (const who of [mallory, await below(helper), await below('helper')]) {
        expect(await book.records.get({ id }, who)).toBeNull()
        expect((await book.records.query({ kind: 'memory' }, who)).records).toEqual([])
        expect((await failure(book.memories.query({}, who))).code).toBe('consent-required')
      }
      // As soon as its holder may read it, so may the delegate, and no longer than either may.
      const { id: policy } = await book.consent.setPolicy({
        forAgents: 'mallory',
        allow: ['a2p:preferences'],
        permissions: ['read_full'],
      })
      const child = await below(helper)
      expect(await book.records.get({ id }, child)).toMatchObject(food)
      await book.consent.setPolicy({
        forAgents: '* by mallory',
        deny: ['a2p:preferences'],
        permissions: ['none'],
      })
      expect(await book.records.get({ id }, child)).toBeNull()
      expect(await book.records.get({ id }, mallory)).toMatchObject(food)
      await book.consent.removePolicy({ id: policy })
      expect(await book.records.get({ id }, mallory)).toBeNull()
    })

    it('has nothing of a receipt of the agent whose name it bears', async () => {
      const book = await open()
      const { id, below, mallory } = await opened(book)
      const { token } = await grant(book, { granted_to: helper, permissions })
      const asked = { scopes: ['a2p:preferences'], purpose: 'to cook' }
      const { receipt } = await book.consent.request(asked, { as: token.token_id })
      const child = { ...(await below(helper)), receipt: receipt?.id ?? '' }
      expect(await book.records.get({ id }, { as: token.token_id, receipt: child.receipt })).toMatchObject(
        food,
      )
      expect(await book.records.get({ id }, child)).toBeNull()
      expect((await failure(book.records.get({ id }, { ...mallory, receipt: child.receipt }))).code).toBe(
        'unauthorized',
      )
      expect((await book.consent.request(asked, await below(helper))).status).toBe('pending')
    })

    it('writes as `child by holder`, and the log of access says so', async () => {
      const book = await open()
      const { below } = await opened(book)
      const child = await below('helper', { permissions })
      const inner = await below('cook', {}, child.as)
      const names: string[] = []
      for (const who of [child, inner]) {
        const { id } = await book.traces.store(makeTrace(), who)
        names.push((await book.traces.get({ id }))?.agent ?? '')
      }
      expect(names).toEqual(['helper by mallory', 'cook by helper by mallory'])
      const { entries } = await book.access.log({ agent: 'mallory', capability: 'kstar:store_trace' })
      expect(entries.map(({ caller, by, id }) => ({ caller, by, id }))).toEqual([
        { caller: names[1], by: 'token', id: inner.as },
        { caller: names[0], by: 'token', id: child.as },
      ])
      expect((await book.access.log({ agent: 'helper' })).entries).toEqual([])
      expect(
        (await failure(book.traces.store(makeTrace(), { ...child, scope: { agent: 'helper' } }))).code,
      ).toBe('forbidden')
    })

    it('has no letters, proposals or records of the agent whose name it bears', async () => {
      const book = await open()
      const { below } = await opened(book)
      const { token } = await grant(book, { granted_to: 'helper', permissions })
      const real = { as: token.token_id }
      await book.proposals.propose({ ...food, content: 'Likes salt' }, real)
      await book.inbox.send({ to: 'helper', text: 'for helper' })
      const child = await below('helper')
      expect((await book.proposals.list({}, child)).proposals).toEqual([])
      expect((await book.inbox.list({}, child)).messages).toEqual([])
      expect((await book.proposals.list({}, real)).proposals).toHaveLength(1)
      expect((await book.inbox.list({}, real)).messages).toHaveLength(1)
    })

    it('never bears the name of the owner or of the agent that writes for the owner', async () => {
      const book = await open()
      const { below } = await opened(book)
      const owner = await ownerOf(book)
      const spellings = [
        owner,
        `${owner}.`,
        owner.toUpperCase(),
        `agent:${owner}`,
        `${owner}\u200b`,
        'owner',
        'Owner',
      ]
      for (const name of [...spellings, `did:a2p:agent:local:${owner}`, 'did:a2p:user:local:ann'])
        expect(await failure(below(name))).toMatchObject({
          code: 'forbidden',
          details: { path: 'granted_to' },
        })
    })

    it('never bears the name of a holder above it, however it is spelled', async () => {
      const book = await open()
      const { below, mallory } = await opened(book)
      const helped = await below('helper', { permissions })
      const taken = { code: 'invalid-input', details: { path: 'granted_to' } }
      const spellings = (name: string) => [
        name,
        `${name} `,
        name.toUpperCase(),
        `${name}\u200b`,
        name.replace('l', 'ｌ'),
        `agent:${name}`,
        `did:a2p:agent:local:${name}`,
      ]
      for (const name of spellings('mallory')) {
        const refused = await failure(below(name))
        expect([name, refused]).toMatchObject([name, taken])
        expect(refused.message).toContain('a name of its own')
      }
      for (const name of [...spellings('helper'), 'Mallory', 'helper by mallory'])
        expect([name, await failure(below(name, {}, helped.as))]).toMatchObject([name, taken])
      // The owner can't either, nor in another type, for another scope or for one lane.
      const asked = { granted_to: 'mallory', parent: mallory.as, expires_at: soon }
      for (const over of [{}, { scope: 'course:CS101' }, { scope: 'agent:mallory' }, { type: 'session' }])
        expect(await failure(grant(book, { ...asked, ...over }))).toMatchObject(taken)
      // Names that others have are free, and so is a name that contains one.
      for (const name of ['cook', 'mallory-2', 'helper by cook'])
        expect((await below(name, {}, helped.as)).as).not.toBe('')
    })

    it('is not stored with the name of its holder, whoever signed it', async () => {
      const book = await open()
      const holder = await createOwner()
      const { token: parent } = await grant(book, { type: 'delegation', granted_to: holder.key })
      const signed = async (granted_to: string) => {
        const over = { granted_to, permissions: ['read'], expires_at: soon }
        return book.tokens.store((await holder.grant(over, parent)).token)
      }
      for (const name of [holder.key, ` ${holder.key.toUpperCase()}`])
        expect(await failure(signed(name))).toMatchObject({
          code: 'invalid-input',
          details: { path: 'token', reason: 'Token names a holder above it' },
        })
      expect((await signed('cook')).token_id).not.toBe('')
    })

    it('proposes and asks on the account of its holder, however many there are', async () => {
      const book = await open()
      const { below } = await opened(book)
      const codes: string[] = []
      for (let n = 0; n < 21; n++) {
        const child = await below(`child-${n}`)
        const proposed = { ...food, content: `Likes spice ${n}` }
        codes.push(
          await book.proposals.propose(proposed, child).then(
            () => 'ok',
            (error: { code: string }) => error.code,
          ),
        )
      }
      expect(codes).toEqual([...Array.from({ length: 20 }, () => 'ok'), 'rate-limited'])
      // Another guest has its own.
      const { token } = await grant(book, { granted_to: 'other', permissions })
      expect((await book.proposals.propose(food, { as: token.token_id })).result).toBe('proposed')
      const pay: string[] = []
      for (let n = 0; n < 21; n++) {
        const asked = { scopes: ['a2p:health'], purpose: `reason ${n}` }
        pay.push(
          await book.consent.request(asked, await below(`asker-${n}`)).then(
            ({ status }) => status,
            (error: { code: string }) => error.code,
          ),
        )
      }
      expect(pay.at(-1)).toBe('rate-limited')
      expect(pay.filter((one) => one === 'pending')).toHaveLength(20)
    })

    it('is held to a rate that a policy sets for its holder', async () => {
      const book = await open()
      const { id, below, mallory } = await opened(book)
      await book.consent.setPolicy({
        forAgents: 'reader-*',
        allow: ['a2p:preferences'],
        permissions: ['read_full'],
      })
      await book.consent.setPolicy({
        forAgents: 'mallory',
        allow: ['a2p:preferences'],
        permissions: ['read_full'],
        conditions: { rateLimit: { requests: 5, window: '1h' } },
        priority: 1,
      })
      const seen: boolean[] = []
      for (let n = 0; n < 8; n++)
        seen.push((await book.records.get({ id }, await below(`reader-${n}`))) !== null)
      expect(seen.at(-1)).toBe(false)
      expect(await book.records.get({ id }, mallory)).toBeNull()
    })
  })
}

/** Where a pool can be proposed to: on devices. */
export function delegatePoolCases({ book: open }: BookCase): void {
  describe('a token that a guest grants on', () => {
    it('has no voice in the pool beside that of its holder', async () => {
      const book = await open()
      const { below, mallory } = await opened(book)
      const { proposal } = await book.pool.propose({ statement: 'What is so.', tags: ['ops'] })
      const cast = await book.pool.vote({ proposal, vote: 'yes' }, mallory)
      const child = await below('voter')
      for (const refused of [
        () => book.pool.vote({ proposal, vote: 'yes' }, child),
        () => book.pool.announce({ capabilities: ['db.read'] }, child),
      ])
        expect(await failure(refused())).toMatchObject({ code: 'forbidden', details: { reason: 'delegate' } })
      const { proposals } = await book.pool.listProposals({ proposal })
      expect(proposals[0]?.ballots).toMatchObject([{ claw: cast.claw, vote: 'yes' }])
    })
  })
}
