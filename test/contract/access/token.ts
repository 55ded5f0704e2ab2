// Control tokens and what they enforce, as every host must.
import { describe, expect, it } from 'vitest'
import { capabilityTable } from '../../../src/engine/capability-table.ts'
import { rights } from '../../../src/core/access/permission.ts'
import type { Daybook } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'
import { exported } from '../bundle.ts'
import { everyPermission, rightsBut, verbRights, verbs } from './verb-right.ts'

const later = '2099-01-01T00:00:00.000Z'
const soon = '2098-01-01T00:00:00.000Z'
type Grant = Parameters<Daybook['tokens']['grant']>[0]

const grant = async (book: Daybook, over: Partial<Grant> = {}, as?: string) =>
  book.tokens.grant(
    { scope: '**', permissions: ['read'], granted_to: 'grader', expires_at: later, ...over },
    as === undefined ? {} : { as },
  )

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

export function tokenCases({ book: open }: BookCase): void {
  describe('control tokens', () => {
    it('are granted, verified and listed, with the reasons in their order', async () => {
      const book = await open()
      const { token } = await grant(book, {
        type: 'resource_access',
        scope: 'course:CS101',
        permissions: ['read', 'evaluate'],
      })
      const verify = async (scope: string, permission?: string, id = token.token_id) => {
        const { valid, reason } = await book.tokens.verify({
          token_id: id,
          scope,
          ...(permission ? { permission } : {}),
        })
        return valid ? 'valid' : reason
      }
      expect(await verify('course:CS101')).toBe('valid')
      expect(await verify('course:CS101', 'evaluate')).toBe('valid')
      expect(await verify('course:CS101', 'write')).toBe('Permission denied')
      expect(await verify('course:CS102')).toBe('Scope mismatch')
      expect(await verify('course:*')).toBe('Scope mismatch')
      expect(await verify('course:CS101', undefined, 'nobody')).toBe('Token not found')
      const { tokens } = await book.tokens.list({ type: 'resource_access' })
      expect(tokens.map(({ token_id, state }) => [token_id, state])).toEqual([[token.token_id, 'active']])
      expect((await book.tokens.list({ type: 'session' })).tokens).toEqual([])
      expect(await book.tokens.revoke({ token_id: token.token_id, reason: 'over' })).toMatchObject({
        revoked: true,
      })
      expect(await verify('course:CS102')).toBe('Token revoked')
      expect(await book.tokens.revoke({ token_id: 'nobody', reason: '' })).toEqual({ revoked: false })
    })

    it('delegate only what is narrower, and fall with their ancestors', async () => {
      const book = await open()
      const root = await grant(book, {
        type: 'delegation',
        scope: 'course:**',
        permissions: ['read', 'write'],
        expires_at: soon,
      })
      const parent = root.token.token_id
      const wider: Partial<Grant>[] = [
        { scope: '**' },
        { scope: 'course:CS101', permissions: ['forget'] },
        { scope: 'course:CS101', expires_at: later },
      ]
      for (const over of wider)
        expect((await failure(grant(book, { expires_at: soon, ...over, parent }))).code).toBe('forbidden')
      const child = await grant(book, { scope: 'course:CS101', expires_at: soon, parent })
      const below = failure(
        grant(book, { scope: 'course:CS101', expires_at: soon, parent: child.token.token_id }),
      )
      expect((await below).message).toMatch(/delegation/)
      const { tokens } = await book.tokens.lineage({ token_id: child.token.token_id })
      expect(tokens.map(({ token_id }) => token_id)).toEqual([child.token.token_id, parent])
      expect((await book.traces.query({}, { as: child.token.token_id })).records).toEqual([])
      await book.tokens.revoke({ token_id: parent, reason: 'left' })
      expect(await book.tokens.verify({ token_id: child.token.token_id, scope: 'course:CS101' })).toEqual({
        valid: false,
        reason: 'Token revoked',
      })
      expect((await failure(book.traces.query({}, { as: child.token.token_id }))).code).toBe('unauthorized')
      expect((await failure(grant(book, { scope: 'course:CS1', expires_at: soon, parent }))).message).toMatch(
        /revoked/,
      )
    })

    it('of a registered type keep to its scope and its permissions', async () => {
      const book = await open()
      const type = 'evaluation_authority'
      expect((await failure(grant(book, { type, scope: 'course:CS101' }))).details).toMatchObject({
        path: 'type',
      })
      await book.tokens.types.register({
        name: type,
        description: 'To evaluate',
        scope_pattern: 'course:{course_id}',
        required_permissions: ['evaluate', 'feedback'],
      })
      const permissions = ['evaluate', 'feedback']
      expect(
        (await failure(grant(book, { type, scope: 'assignment:1', permissions }))).details,
      ).toMatchObject({ path: 'scope' })
      expect((await failure(grant(book, { type, scope: 'course:1' }))).details).toMatchObject({
        path: 'permissions',
      })
      const { token } = await grant(book, { type, scope: 'course:CS101', permissions })
      // Words of the owner permit nothing here.
      expect((await failure(book.traces.query({}, { as: token.token_id }))).code).toBe('forbidden')
    })

    it('are not stored when anything of them was altered, and not under an id that was taken', async () => {
      const book = await open()
      const { token } = await grant(book, { scope: 'course:CS101' })
      expect(await book.tokens.store(token)).toEqual({ token_id: token.token_id })
      const { secret_hash: _hash, ...bare } = token
      const altered = [
        { ...token, token_id: 'another' },
        { ...token, token_id: 'another', scope: '**' },
        { ...token, token_id: 'another', permissions: ['read', 'write'] },
        { ...token, token_id: 'another', expires_at: '2100-01-01T00:00:00.000Z' },
        { ...token, token_id: 'another', granted_to: 'mallory' },
        { ...token, token_id: 'another', lineage_hash: '0'.repeat(64) },
        { ...token, token_id: 'another', delegation_chain: [token.token_id] },
        { ...token, secret_hash: '0'.repeat(64) },
        bare,
        {
          ...token,
          token_id: 'another',
          signature: token.signature.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')),
        },
      ]
      for (const one of altered) {
        const error = await failure(book.tokens.store(one))
        expect([error.code, error.details['reason']]).toEqual(['invalid-input', 'Invalid signature'])
      }
      expect((await book.tokens.list()).tokens).toHaveLength(1)
      await book.tokens.revoke({ token_id: token.token_id, reason: '' })
      // The same grant again, as it was before: it stays revoked.
      await book.tokens.store(token)
      expect((await book.tokens.list()).tokens.map(({ state }) => state)).toEqual(['revoked'])
      await book.records.forget({ id: token.token_id })
      expect((await failure(book.tokens.store(token))).code).toBe('conflict')
    })

    it('are taken once for one requestId, and show their secret once', async () => {
      const book = await open()
      const input = { scope: '**', permissions: ['read'], granted_to: 'x', expires_at: later }
      const { token, bearer } = await book.tokens.grant(input, { requestId: 'g-1' })
      expect(bearer).toMatch(/^dbt2\.[\w-]+\.[\w-]{43}$/)
      expect(await book.tokens.grant(input, { requestId: 'g-1' })).toEqual({ token })
      expect((await book.tokens.list()).tokens).toHaveLength(1)
      const other = await book.tokens.grant(input, { requestId: 'g-2' })
      expect(other.token.secret_hash).not.toBe(token.secret_hash)
    })

    it('have a secret that nothing tells afterwards', async () => {
      const book = await open()
      const { token, bearer = '' } = await grant(book, { permissions: ['read', 'delegation'] })
      const secret = bearer.split('.').at(-1) ?? ''
      expect(secret).toMatch(/^[\w-]{43}$/)
      const { token_id } = token
      const told = await Promise.all([
        book.tokens.list(),
        book.tokens.lineage({ token_id }),
        book.tokens.list({}, { as: token_id }),
        book.tokens.verify({ token_id, scope: '**' }),
        book.records.get({ id: token_id }),
        book.records.query({ kind: 'token' }),
        book.records.history({ id: token_id }),
        book.outbox.list(),
        exported(book, { include_tokens: true }),
      ])
      expect(JSON.stringify([token, told])).not.toContain(secret)
    })

    it('are not granted by the task queue, which keeps what it is answered', async () => {
      const book = await open()
      const dead = new Promise<string | undefined>((resolve) =>
        book.on('task', ({ state, error }) => state === 'dead' && resolve(error?.code)),
      )
      const input = { scope: '**', permissions: ['read'], granted_to: 'x', expires_at: later }
      const { id } = await book.tasks.add({ capability: 'kstar:grant_control_token', input })
      expect(await dead).toBe('invalid-input')
      expect(await book.tasks.get({ id })).not.toHaveProperty('result')
      expect((await book.tokens.list()).tokens).toEqual([])
    })
  })

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
      }
      expect((await book.records.query({ kind: 'token' }, as)).records).toEqual([])
      expect((await book.traces.get({ id: 'in-1' }, as))?.id).toBe('in-1')
      const { text, total } = await book.bundles.export({}, as)
      expect([total, inside.every((id) => text.includes(`"${id}"`))]).toEqual([2, true])
      expect(text).not.toMatch(/out-|alice|did:key|CS102/)
      for (const own of ['sign', 'include_tokens']) {
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
        book.traces.store(makeTrace({ id: 'in-1', resource: 'course:CS102' }), as),
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

    it('grants below its own token, sees its own line without signatures, and revokes what is below', async () => {
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
      for (const one of tokens) expect(one).not.toHaveProperty('signature')
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
        expect([id, await code(everything)]).toEqual([id, right === 'owner' ? 'forbidden' : 'invalid-input'])
        expect([id, await code(narrow)]).toEqual([
          id,
          right === 'owner' || right === 'sync' ? 'forbidden' : 'invalid-input',
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
        const only = right === 'owner' ? named : [right]
        const holder = (await grant(book, { permissions: only })).token.token_id
        for (const id of named) {
          const code = async (as: string) => (await failure(book.call(id, { '': 0 }, { as }))).code
          expect([id, await code(but)]).toEqual([id, 'forbidden'])
          expect([id, await code(holder)]).toEqual([id, right === 'owner' ? 'forbidden' : 'invalid-input'])
        }
      }
    })
  })
}
