// Control tokens and what they enforce, as every host must.
import { describe, expect, it } from 'vitest'
import type { HostPlace } from './verb-place.ts'
import { type BookCase, failure } from '../book-case.ts'
import { exported } from '../bundle.ts'
import { type Grant, grant, later, soon } from './token-grant.ts'

export function tokenCases({ book: open }: BookCase, { role }: HostPlace): void {
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

    it('name their lineage so that anybody can verify it by RFC 8785 and SHA-256', async () => {
      const book = await open()
      const parent = await grant(book, { type: 'delegation', scope: 'course:CS101', permissions: ['read'] })
      const child = await grant(book, {
        scope: 'course:CS101',
        permissions: ['read'],
        parent: parent.token.token_id,
      })
      const sha256 = async (text: string) => {
        const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
        return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')
      }
      const sorted = (value: unknown): unknown =>
        Array.isArray(value) || typeof value !== 'object' || value === null
          ? value
          : Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      const { signature: _signature, ...granted } = parent.token
      const own = await sha256(JSON.stringify(sorted(granted)))
      expect(parent.token.lineage_hash).toBe(await sha256(''))
      expect(child.token.lineage_hash).toBe(await sha256(`${parent.token.lineage_hash}:${own}`))
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

    it('of another book are kept and shown as foreign, and open nothing here', async () => {
      const book = await open()
      const other = await open()
      const { token } = await grant(other, { permissions: ['**'] })
      const { token_id } = token
      await book.tokens.store(token)
      // A bundle brings them as well.
      const third = await open()
      await third.import(await exported(other, { includeTokens: true }), { includeTokens: true })
      for (const stranger of [book, third]) {
        expect((await stranger.tokens.list()).tokens).toMatchObject([{ token_id, state: 'foreign' }])
        expect((await stranger.tokens.lineage({ token_id })).tokens).toMatchObject([{ state: 'foreign' }])
        expect(await stranger.tokens.verify({ token_id, scope: '**' })).toEqual({
          valid: false,
          reason: 'Token of another book',
        })
        expect((await failure(stranger.traces.query({}, { as: token_id }))).code).toBe('unauthorized')
        const below = failure(grant(stranger, { permissions: ['read'], parent: token_id }))
        expect(await below).toMatchObject({ code: 'forbidden', details: { path: 'parent' } })
      }
      expect((await other.tokens.list()).tokens).toMatchObject([{ token_id, state: 'active' }])
      expect(await other.tokens.verify({ token_id, scope: '**' })).toMatchObject({ valid: true })
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
        role === 'mirror' ? undefined : book.outbox.list(),
        exported(book, { includeTokens: true }),
      ])
      expect(JSON.stringify([token, told])).not.toContain(secret)
    })

    it('are not granted by the task queue, which keeps what it is answered', async () => {
      const book = await open()
      const input = { scope: '**', permissions: ['read'], granted_to: 'x', expires_at: later }
      const refused = await failure(book.tasks.add({ capability: 'kstar:grant_control_token', input }))
      expect([refused.code, refused.details]).toEqual(['invalid-input', { path: 'capability' }])
      expect((await book.tasks.list()).tasks).toEqual([])
      expect((await book.tokens.list()).tokens).toEqual([])
    })
  })
}
