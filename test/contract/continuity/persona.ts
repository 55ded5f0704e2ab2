// Personas: an id that never changes, one for each name, and none that reads another's.
import { describe, expect, it } from 'vitest'
import { type BookCase, failure } from '../book-case.ts'

export function personaCases({ book: open, reopen }: BookCase): void {
  describe('a persona', () => {
    it('has an id made of its name and the time, keeps it for ever, and is found again by its name', async () => {
      let book = await open()
      const first = await book.personas.register({ name: 'Alice', role: 'developer' })
      expect(first).toMatchObject({ isNew: true, sessions: 0, role: 'developer', time_zone: 'UTC' })
      expect(first.ci_id).toMatch(/^mcp_Alice_[0-9a-f]{8}_\d{10}$/)
      const { session } = await book.sessions.start({ persona: 'Alice' })
      book = await reopen(book)
      const again = await book.personas.register({ name: 'Alice', role: 'developer' })
      expect(again).toMatchObject({ ci_id: first.ci_id, isNew: false, sessions: 1 })
      expect(await book.with(again.scope).personas.whoami()).toMatchObject({ name: 'Alice', session })
      expect((await book.personas.list()).personas.map(({ name }) => name)).toEqual(['Alice'])
    })

    it('is not registered a second time as something else, unless that is meant', async () => {
      const book = await open()
      const { ci_id } = await book.personas.register({ name: 'Alice', role: 'developer' })
      const error = await failure(book.personas.register({ name: 'Alice', role: 'tester' }))
      expect(error).toMatchObject({
        code: 'conflict',
        details: { path: 'role', reason: 'already-initialized', role: 'developer', ci_id },
      })
      expect((await book.personas.whoami({ persona: 'Alice' })).role).toBe('developer')
      const changed = await book.personas.register({ name: 'Alice', role: 'tester', update: true })
      expect(changed).toMatchObject({ ci_id, role: 'tester', isNew: false })
    })

    it('has a name that people can read, in any script, the same however it is composed', async () => {
      const book = await open()
      const wrong = ['', ' ', 'a\u0000b', 'a\nb', ' Alice', 'Alice ', 'x'.repeat(65), '\ud800', 'a\u2028b']
      for (const name of wrong) {
        const error = await failure(book.personas.register({ name }))
        expect([name, error.code, error.details['path']]).toEqual([name, 'invalid-input', 'name'])
      }
      expect((await book.personas.list()).personas).toEqual([])
      const composed = await book.personas.register({ name: 'Zoë 二' })
      const parted = await book.personas.register({ name: 'Zoe\u0308 二' })
      expect(parted).toMatchObject({ ci_id: composed.ci_id, isNew: false })
      const long = await book.personas.register({ name: '𝕏'.repeat(32) })
      expect(long.ci_id.length).toBeLessThanOrEqual(128)
    })

    it('reads no other persona’s days without a token for them', async () => {
      const book = await open()
      const alice = await book.personas.register({ name: 'Alice' })
      const bob = await book.personas.register({ name: 'Bob' })
      const asAlice = book.with(alice.scope)
      await asAlice.thoughts.learn({ knowledge: 'The vault code is on the fridge.' })
      const asBob = book.with(bob.scope)
      expect((await asBob.thoughts.recent()).records).toEqual([])
      expect((await asBob.thoughts.topic({ topic: 'vault code' })).records).toEqual([])
      const error = await failure(asBob.thoughts.recent({ persona: 'Alice' }))
      expect(error).toMatchObject({ code: 'forbidden', details: { path: 'persona' } })
      // The owner, in its own name, sees everybody's.
      expect((await book.thoughts.recent({ persona: 'Alice' })).records).toHaveLength(1)

      const { token } = await book.tokens.grant({
        scope: `agent:${alice.ci_id}`,
        permissions: ['read'],
        granted_to: bob.ci_id,
        expires_at: '2099-01-01',
      })
      const allowed = book.with({ as: token.token_id })
      expect((await allowed.thoughts.recent({ persona: alice.ci_id })).records).toMatchObject([
        { kind: 'thought', content: 'The vault code is on the fridge.' },
      ])
      const none = await book.tokens.grant({
        scope: `agent:${bob.ci_id}`,
        permissions: ['read', 'write'],
        granted_to: bob.ci_id,
        expires_at: '2099-01-01',
      })
      const narrow = book.with({ as: none.token.token_id })
      expect((await failure(narrow.thoughts.recent({ persona: 'Alice' }))).code).toBe('not-found')
      expect(await narrow.personas.whoami()).toMatchObject({ ci_id: bob.ci_id })
    })

    it('that came with a token is that token’s, and takes nobody’s name', async () => {
      const book = await open()
      const alice = await book.personas.register({ name: 'Alice' })
      await book.with(alice.scope).thoughts.learn({ knowledge: 'Tea at four.' })
      const { token } = await book.tokens.grant({
        scope: 'agent:guest',
        permissions: ['read', 'write'],
        granted_to: 'guest',
        expires_at: '2099-01-01',
      })
      const guest = book.with({ as: token.token_id })
      const taken = await guest.personas.register({ name: 'Alice' })
      expect(taken).toMatchObject({ isNew: true, scope: { agent: 'guest' } })
      expect(taken.ci_id).not.toBe('')
      expect((await guest.thoughts.recent()).records).toEqual([])
      expect((await book.thoughts.recent({ persona: alice.ci_id })).records).toHaveLength(1)
      const other = await failure(guest.personas.register({ name: 'Carol' }))
      expect(other).toMatchObject({
        code: 'conflict',
        details: { reason: 'already-initialized', path: 'name' },
      })
      const { session, scope } = await guest.sessions.start()
      await guest.thoughts.remember({ content: 'I was here.', context: 'notable' })
      expect(await guest.sessions.end({ session })).toMatchObject({ state: 'ended' })
      expect(scope).toEqual({ agent: 'guest', session })
    })
  })
}
