// The pool for somebody with a control token, on every host that takes part in one.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { type BookCase, failure } from '../book-case.ts'

async function guest(book: Daybook, scope: string, permissions: string[]): Promise<{ as: string }> {
  const expiresAt = '2099-01-01T00:00:00Z'
  const { token } = await book.tokens.grant({
    scope,
    permissions,
    granted_to: 'helper',
    expires_at: expiresAt,
  })
  return { as: token.token_id }
}

const words = { statement: 'What is so.', tags: ['ops'] }

export function guestPoolCases({ book: open }: BookCase): void {
  describe('a guest of the pool', () => {
    it('votes, proposes and announces in the name of its own agent, and nobody else’s vote is changed by it', async () => {
      const book = await open()
      const as = await guest(book, 'pool:daybook', ['read', 'write'])
      const { proposal, claw } = await book.with({ agent: 'ada' }).pool.propose(words)
      await book.pool.vote({ proposal, vote: 'no', reason: 'The owner’s own' })
      const cast = await book.pool.vote({ proposal, vote: 'yes' }, as)
      expect(cast).toMatchObject({ vote: 'yes', n: 1, counts: true })
      expect(cast.claw).toBe(claw.replace('ada@', 'helper@'))
      const { proposals } = await book.pool.listProposals({ proposal })
      const votes = proposals[0]?.ballots.map((one) => [one.claw.split('@')[0], one.vote])
      expect(Object.fromEntries(votes ?? [])).toEqual({
        helper: 'yes',
        [(await book.pool.claws()).own.split('@')[0] ?? '']: 'no',
      })
      const own = await book.pool.propose(words, as)
      expect(own.claw).toBe(cast.claw)
      expect(await book.pool.announce({ capabilities: ['db.read'] }, as)).toMatchObject({ claw: cast.claw })
    })

    it('publishes no record but its own, and neither configures the pool nor hands it envelopes', async () => {
      const book = await open()
      const as = await guest(book, '**', ['**'])
      const { id } = await book.with({ agent: 'ada' }).perceptions.store({
        subject: 'orders',
        content: 'The table has no index',
        confidence: 0.9,
      })
      const refused = await failure(book.pool.publish({ record: id, tags: ['ops'] }, as))
      expect(refused).toMatchObject({ code: 'forbidden', details: { path: 'record', reason: 'other-agent' } })
      for (const call of [
        () => book.pool.configure({ selfVote: true }, as),
        () => book.pool.takeIn({ envelope: '{}' }, as),
        () => book.pool.audit({}, as),
      ])
        expect(await failure(call())).toMatchObject({ code: 'forbidden' })
      expect((await book.pool.listProposals()).proposals).toEqual([])
      const { config } = await book.pool.configure()
      expect(config).toMatchObject({ selfVote: false })
      // What rules the owner set is told to the owner alone.
      const told = [await book.pool.claws(), await book.pool.claws({}, as)]
      expect(told.map((one) => one.config)).toEqual([config, undefined])
    })

    it('without the right to write it votes on nothing, and sees what its scope reaches', async () => {
      const book = await open()
      const { proposal } = await book.pool.propose(words)
      const reader = await guest(book, 'pool:daybook', ['read'])
      expect(await failure(book.pool.vote({ proposal, vote: 'yes' }, reader))).toMatchObject({
        code: 'forbidden',
      })
      expect((await book.pool.listProposals({}, reader)).proposals).toMatchObject([{ proposal, ballots: [] }])
      const elsewhere = await guest(book, 'pool:other', ['read'])
      expect((await book.pool.listProposals({}, elsewhere)).proposals).toEqual([])
    })
  })
}
