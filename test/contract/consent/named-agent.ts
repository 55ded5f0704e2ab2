// What a handle with an agent's name may do in its owner's book: write and change what is its own, and decide nothing.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { type BookCase, failure } from '../book-case.ts'
import { makeTrace } from '../../support/trace.ts'

const agent = 'did:a2p:agent:local:assistant'
const expiresAt = '2099-01-01T00:00:00.000Z'
const category = 'a2p:interests'

async function begin(book: Daybook, keepsKeys: boolean) {
  const sensitivity = keepsKeys ? 'sensitive' : 'standard'
  const { id: perception } = await book.perceptions.store({ content: 'It rains.', sensitivity })
  const { id: memory } = await book.memories.store({ content: 'Likes tea.', category })
  const { id: fact } = await book.facts.store({ schema: 'note', data: { n: 1 } })
  const { id: trace } = await book.traces.store(makeTrace())
  await book.skills.store({
    name: 'brew',
    description: 'Brews tea.',
    definition: { procedure: 'Boil water.' },
  })
  const { token } = await book.tokens.grant({
    granted_to: 'a',
    scope: '**',
    permissions: ['read'],
    expires_at: expiresAt,
  })
  return { perception, memory, fact, trace, token: token.token_id }
}
type Begun = Awaited<ReturnType<typeof begin>>

const attempts: Readonly<Record<string, (handle: Daybook, ids: Begun) => Promise<unknown>>> = {
  'grants a token': (handle) =>
    handle.tokens.grant({ granted_to: 'friend', scope: '**', permissions: ['read'], expires_at: expiresAt }),
  'revokes a token': (handle, { token }) => handle.tokens.revoke({ token_id: token, reason: 'r' }),
  'changes a record of the owner': (handle, { perception }) =>
    handle.perceptions.update({ id: perception, updates: { content: 'It is dry.' } }),
  'forgets a record of the owner': (handle, { perception }) => handle.records.forget({ id: perception }),
  'forgets it by the verb of its kind': (handle, { trace }) => handle.traces.forget({ id: trace }),
  'forgets an approved memory': (handle, { memory }) => handle.memories.forget({ id: memory }),
  'forgets an approved memory as a record': (handle, { memory }) => handle.records.forget({ id: memory }),
  'purges a record of the owner': (handle, { perception }) => handle.records.purge({ id: perception }),
  'lowers how sensitive a record is': (handle, { perception }) =>
    handle.records.setSensitivity({ id: perception, sensitivity: 'public' }),
  'raises how sensitive a record is': (handle, { trace }) =>
    handle.records.setSensitivity({ id: trace, sensitivity: 'sensitive' }),
  'supersedes a fact of the owner': (handle, { fact }) =>
    handle.facts.supersede({ id: fact, data: { n: 2 } }),
  'stores a fact in the place of the owner’s': (handle, { fact }) =>
    handle.facts.store({ schema: 'note', data: { n: 2 }, supersedes: fact }),
  'marks a record of the owner': (handle, { trace }) => handle.records.mark({ id: trace, pinned: true }),
  'stores in the name of another agent': (handle) => handle.traces.store(makeTrace({ agent: 'other' })),
  'forgets all of another agent’s messages': (handle) =>
    handle.conversation.forgetAgent({ agent: 'contract' }),
}

export function namedAgentCases({ book: open }: BookCase, keepsKeys: boolean): void {
  describe('a handle with an agent’s name', () => {
    it.each(Object.entries(attempts))('never %s', async (_title, attempt) => {
      const book = await open()
      const ids = await begin(book, keepsKeys)
      await book.conversation.store({ agent: 'contract', message: { content: 'Hello.' } })
      const all = async () => [
        (await book.records.query({ limit: 100 })).records,
        (await book.tokens.list({})).tokens,
        (await book.records.get({ id: ids.memory })) !== null,
      ]
      const before = await all()
      expect((await failure(attempt(book.with({ agent }), ids))).code).toBe('forbidden')
      expect(await all()).toEqual(before)
    })

    it('that is the book’s own never undoes or forgets a policy, a definition, a setting or a token', async () => {
      const book = await open()
      const { token } = await begin(book, keepsKeys)
      const rule = { forAgents: '*', deny: [], permissions: ['read_scoped' as const] }
      const { id: policy } = await book.consent.setPolicy({ ...rule, allow: ['a2p:preferences'] })
      await book.consent.setPolicy({ ...rule, id: policy, allow: ['a2p:interests'] })
      for (const required of [['a'], ['a', 'b']])
        await book.facts.schemas.register({ name: 's', schema: { type: 'object', required } })
      for (const verify of ['off', 'require'] as const) await book.pool.configure({ verify })
      const { agent: ownName = '' } = (await book.records.get({ id: 'fact_schema::s' })) ?? {}
      const handle = book.with({ agent: ownName })
      const refused = { code: 'forbidden', details: { path: 'id', reason: 'proposer' } }
      for (const id of [policy, 'fact_schema::s', 'pool_config::book', token]) {
        const before = await book.records.get({ id })
        expect([id, await failure(handle.records.restore({ id, version: 1 }))]).toMatchObject([id, refused])
        expect([id, await failure(handle.records.forget({ id }))]).toMatchObject([id, refused])
        expect(await book.records.get({ id })).toEqual(before)
        expect((await book.records.restore({ id, version: 1 })).id).toBe(id)
      }
    })

    it('changes and forgets what it wrote itself, counts the use of skills, and shares documents', async () => {
      const book = await open()
      await begin(book, keepsKeys)
      const handle = book.with({ agent })
      const { id } = await handle.perceptions.store({ content: 'Mine.' })
      await handle.perceptions.update({ id, updates: { content: 'Mine, changed.' } })
      await handle.records.mark({ id, collection: 'work' })
      expect(await book.records.get({ id })).toMatchObject({ agent, content: 'Mine, changed.' })
      expect((await handle.records.forget({ id })).forgotten).toBe(true)
      await handle.skills.recordOutcome({ skillName: 'brew', outcome: true })
      const written = { folder: 'f/', key: 'k', value: { n: 1 } }
      await book.documents.write({ changes: [written] })
      await handle.documents.write({ changes: [{ ...written, value: { n: 2 } }] })
      expect((await book.documents.read({ folder: 'f/', key: 'k' }))?.value).toEqual({ n: 2 })
    })
  })
}
