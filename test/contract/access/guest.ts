// What a guest may see and do by its token, as every host must.
import { describe, expect, it } from 'vitest'
import { capabilityTable } from '../../../src/engine/capability-table.ts'
import { rights } from '../../../src/core/access/permission.ts'
import type { Daybook } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'
import { grant, soon } from './token-grant.ts'
import { type HostPlace, letIn } from './verb-place.ts'
import { everyPermission, rightsBut, verbRights, verbs } from './verb-right.ts'

/** A token that has ended, with the reason that is told of it. Asked until the host's own clock has gone on. */
async function expired(book: Daybook): Promise<{ id: string; reason: string }> {
  const expires_at = new Date(Date.now() + 1500).toISOString()
  const { token } = await grant(book, { permissions: ['**'], expires_at })
  for (;;) {
    const { reason } = await book.tokens.verify({ token_id: token.token_id, scope: '**' })
    if (reason !== undefined) return { id: token.token_id, reason }
  }
}

/** Records of two courses and two domains; `out` ones say the same words. */
async function fill(book: Daybook): Promise<void> {
  const one = (id: string, resource: string, domain: string, more: object = {}) =>
    makeTrace({
      id,
      resource,
      situation: { domain, context: {} },
      task: { goal: `secret recursion ${id}` },
      ...more,
    })
  await book.traces.storeMany({
    traces: [
      one('in-1', 'course:CS101', 'education.evaluation'),
      one('in-2', 'course:CS101', 'education.evaluation', { metadata: { linked_traces: ['in-1'] } }),
      one('out-1', 'course:CS102', 'education.evaluation', { metadata: { linked_traces: ['in-1'] } }),
      one('out-2', 'course:CS103', 'finance.audit'),
    ],
  })
  await book.perceptions.store({
    type: 'note',
    subject: 'student:alice',
    content: 'secret recursion',
    confidence: 0.9,
  })
}

/** Permissions that one token has at most. */
const grantLimit = 64

export function guestCases({ book: open }: BookCase, place: HostPlace): void {
  describe('a guest', () => {
    it('finds nothing outside its scope by any way of reading', async () => {
      const book = await open()
      await fill(book)
      const { token } = await grant(book, { scope: 'course:CS101', permissions: ['read', 'export'] })
      const as = { as: token.token_id }
      const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id).toSorted()
      const inside = ['in-1', 'in-2']
      expect(ids((await book.traces.query({}, as)).records)).toEqual(inside)
      expect(ids((await book.records.query({}, as)).records)).toEqual(inside)
      expect(ids((await book.traces.search({ query: 'secret recursion' }, as)).records)).toEqual(inside)
      expect(
        ids((await book.recall({ text: 'secret recursion' }, as)).hits.map(({ record }) => record)),
      ).toEqual(inside)
      expect((await book.traces.count({}, as)).total).toBe(2)
      expect((await book.stats({}, as)).kinds).toMatchObject({ trace: { count: 2 } })
      expect(Object.keys((await book.stats({}, as)).kinds)).toEqual(['trace'])
      expect((await book.status({}, as)).records).toEqual({ trace: 2 })
      expect(ids((await book.traces.linked({ id: 'in-1' }, as)).from)).toEqual(['in-2'])
      expect((await book.perceptions.query({}, as)).records).toEqual([])
      for (const id of ['out-1', 'out-2', token.token_id, token.granted_by, 'nobody']) {
        expect(await book.records.get({ id }, as)).toBeNull()
        expect((await failure(book.records.history({ id }, as))).code).toBe('not-found')
        // As for an unused id, whether the question has its words or not.
        for (const text of ['secret recursion', id])
          expect(await book.recall.explain({ text, id }, as)).toEqual({
            ...(await book.recall.explain({ text, id: 'unused' }, as)),
            id,
          })
      }
      const explained = await book.recall.explain({ text: 'secret recursion', id: 'in-1', limit: 1 }, as)
      expect(JSON.stringify(explained)).not.toMatch(/out-|alice|CS102/)
      expect((await book.records.query({ kind: 'token' }, as)).records).toEqual([])
      expect((await book.traces.get({ id: 'in-1' }, as))?.id).toBe('in-1')
      const { text, total } = await book.bundles.export({}, as)
      expect([total, inside.every((id) => text.includes(`"${id}"`))]).toEqual([2, true])
      expect(text).not.toMatch(/out-|alice|did:key|CS102/)
      for (const own of ['sign', 'includeTokens']) {
        const error = await failure(book.bundles.export({ [own]: true }, as))
        expect(error).toMatchObject({ code: 'forbidden', details: { path: own } })
      }
    })

    it('writes inside its scope, in its own name, and nowhere else', async () => {
      const book = await open()
      await fill(book)
      const { token } = await grant(book, { scope: 'course:CS101', permissions: ['read', 'write', 'forget'] })
      const as = { as: token.token_id }
      const { id } = await book.traces.store(makeTrace(), as)
      expect(await book.traces.get({ id })).toMatchObject({ agent: 'grader', resource: 'course:CS101' })
      const refused = [
        book.traces.store(makeTrace({ resource: 'course:CS102' }), as),
        book.traces.store(makeTrace({ agent: 'teacher' }), as),
        book.traces.store(makeTrace({ id: 'out-1' }), as),
        book.traces.store(makeTrace({ id: 'in-1', resource: 'course:CS102', replace: true }), as),
      ]
      // All are listened to from the beginning: whichever fails first.
      const codes = refused.map(async (one) => (await failure(one)).code)
      expect(new Set(await Promise.all(codes))).toEqual(new Set(['forbidden']))
      expect(await book.traces.forget({ id: 'out-1' }, as)).toMatchObject({ forgotten: false })
      expect(await book.traces.forget({ id: token.token_id }, as)).toMatchObject({ forgotten: false })
      expect(await book.traces.forget({ id: 'in-2' }, as)).toMatchObject({ forgotten: true })
      expect((await book.traces.get({ id: 'out-1' }))?.resource).toBe('course:CS102')
    })

    it('is answered by its own requestId, not by another’s', async () => {
      const book = await open()
      const [one, other] = [
        await grant(book, { permissions: ['write'] }),
        await grant(book, { permissions: ['write'] }),
      ]
      const store = (options: object) => book.traces.store(makeTrace(), { requestId: 'same', ...options })
      const ids = new Set([
        (await store({})).id,
        (await store({ as: one.token.token_id })).id,
        (await store({ as: other.token.token_id })).id,
      ])
      expect(ids.size).toBe(3)
      expect((await store({ as: one.token.token_id })).id).toBe([...ids][1])
    })

    it('grants below its own token, sees its own line without signatures and hashes, and revokes what is below', async () => {
      const book = await open()
      const root = (await grant(book, { permissions: ['read', 'delegation'], scope: 'course:**' })).token
        .token_id
      const stranger = (await grant(book, { scope: 'course:CS101' })).token.token_id
      const as = { as: root }
      expect((await failure(grant(book, { scope: '**' }, root))).code).toBe('forbidden')
      expect((await failure(grant(book, { scope: 'course:CS101', parent: stranger }, root))).code).toBe(
        'forbidden',
      )
      const child = (await grant(book, { scope: 'course:CS101' }, root)).token
      expect(child.delegation_chain).toEqual([root])
      const { tokens } = await book.tokens.list({}, as)
      expect(tokens.map(({ token_id }) => token_id).toSorted()).toEqual([root, child.token_id].toSorted())
      const { tokens: line } = await book.tokens.lineage({ token_id: child.token_id }, as)
      const { token: verified } = await book.tokens.verify({ token_id: root, scope: 'course:CS101' }, as)
      for (const one of [...tokens, ...line, verified])
        for (const name of ['signature', 'secret_hash', 'lineage_hash']) expect(one).not.toHaveProperty(name)
      // The signature covers the hashes, so the owner sees both: it can verify a token by itself.
      for (const one of (await book.tokens.list()).tokens)
        for (const name of ['signature', 'secret_hash', 'lineage_hash']) expect(one).toHaveProperty(name)
      const first = await book.tokens.list({ limit: 1 }, as)
      const { cursor = '' } = first
      const second = await book.tokens.list({ limit: 1, cursor }, as)
      expect([...first.tokens, ...second.tokens, second.cursor]).toEqual([...tokens, undefined])
      expect((await failure(book.tokens.list({ cursor: stranger }, as))).code).toBe('invalid-filter')
      expect((await book.tokens.lineage({ token_id: stranger }, as)).tokens).toEqual([])
      expect((await book.tokens.verify({ token_id: stranger, scope: 'course:CS101' }, as)).reason).toBe(
        'Token not found',
      )
      expect(await book.tokens.revoke({ token_id: stranger, reason: '' }, as)).toEqual({ revoked: false })
      expect(await book.tokens.revoke({ token_id: child.token_id, reason: '' }, as)).toMatchObject({
        revoked: true,
      })
      expect((await book.tokens.verify({ token_id: stranger, scope: 'course:CS101' })).valid).toBe(true)
    })

    it('may call only what declares a right that its token has: the whole table', async () => {
      const book = await open()
      const tokens = {
        none: (await grant(book, { permissions: [] })).token.token_id,
        words: (await grant(book, { permissions: ['evaluate', '*', 'kstar'] })).token.token_id,
        revoked: (await grant(book, { permissions: ['**'] })).token.token_id,
        later: (await grant(book, { permissions: ['**'], not_before: soon })).token.token_id,
      }
      await book.tokens.revoke({ token_id: tokens.revoked, reason: 'test' })
      const { token: parent } = await grant(book, { permissions: ['**'] })
      const { token: orphan } = await grant(book, { permissions: ['**'], parent: parent.token_id })
      await book.tokens.revoke({ token_id: parent.token_id, reason: 'test' })
      const ended = await expired(book)
      expect(ended.reason).toBe('Token expired')
      const everything = (await grant(book, { permissions: [...everyPermission] })).token.token_id
      const narrow = (await grant(book, { permissions: ['**'], scope: 'course:CS101' })).token.token_id
      for (const [id, right] of verbs) {
        const code = async (as: string) => (await failure(book.call(id, { '': 0 }, { as }))).code
        expect([id, await code(tokens.none)]).toEqual([id, 'forbidden'])
        expect([id, await code(tokens.words)]).toEqual([id, 'forbidden'])
        expect([id, await code(tokens.revoked)]).toEqual([id, 'unauthorized'])
        expect([id, await code(tokens.later)]).toEqual([id, 'unauthorized'])
        expect([id, await code(ended.id)]).toEqual([id, 'unauthorized'])
        expect([id, await code(orphan.token_id)]).toEqual([id, 'unauthorized'])
        expect([id, await code('nobody')]).toEqual([id, 'unauthorized'])
        // What is let in finds its input wrong; what is the owner's alone is not let in by any token.
        expect([id, await code(everything)]).toEqual([id, right === 'owner' ? 'forbidden' : letIn(id, place)])
        expect([id, await code(narrow)]).toEqual([
          id,
          right === 'owner' || right === 'sync' ? 'forbidden' : letIn(id, place),
        ])
      }
    })

    it('needs for each verb the very right that is listed for it, and no other one will do', async () => {
      expect(
        Object.fromEntries(
          capabilityTable.map(({ id, ...verb }) => [id, 'permission' in verb ? verb.permission : 'owner']),
        ),
      ).toEqual(verbRights)
      const book = await open()
      for (const right of [...rights, 'owner'] as const) {
        const but = (await grant(book, { permissions: rightsBut(right) })).token.token_id
        // By name too: a pattern over ids opens nothing that is the owner's.
        const named = verbs.flatMap(([id, needed]) => (needed === right ? [id] : []))
        let holder = ''
        for (const [i, id] of named.entries()) {
          if (i % grantLimit === 0) {
            const only = right === 'owner' ? named.slice(i, i + grantLimit) : [right]
            holder = (await grant(book, { permissions: only })).token.token_id
          }
          const code = async (as: string) => (await failure(book.call(id, { '': 0 }, { as }))).code
          expect([id, await code(but)]).toEqual([id, 'forbidden'])
          expect([id, await code(holder)]).toEqual([id, right === 'owner' ? 'forbidden' : letIn(id, place)])
        }
      }
    })
  })
}
