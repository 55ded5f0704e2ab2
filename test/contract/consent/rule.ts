// What holds of proposals beside who decides: how many there are, how long they wait, on what they rest, what they hide.
import { describe, expect, it } from 'vitest'
import { type BookCase, failure } from '../book-case.ts'
import { makeTrace } from '../../support/trace.ts'
import { helper, proposed } from './proposal.ts'

export function ruleCases({ book: open }: BookCase): void {
  describe('proposals', () => {
    const begin = async () => {
      const book = await open()
      return { book, agent: book.with({ agent: helper }) }
    }

    it('of the same text are one as long as it waits, however it is written', async () => {
      const { book, agent } = await begin()
      const { id } = await agent.proposals.propose(proposed)
      const same = { ...proposed, content: `  ${proposed.content.toUpperCase()} ` }
      expect(await agent.proposals.propose(same)).toMatchObject({
        id,
        result: 'duplicate',
        status: 'pending',
      })
      expect(await agent.proposals.propose({ ...proposed, category: 'a2p:interests' })).toMatchObject({
        result: 'proposed',
      })
      const other = await book.with({ agent: 'other' }).proposals.propose(proposed)
      expect(other.result).toBe('proposed')
      await book.proposals.review({ id, action: 'reject', reason: 'no' })
      const again = await agent.proposals.propose(proposed)
      expect([again.result, again.id === id]).toEqual(['proposed', false])
      expect(await book.proposals.counts()).toEqual({
        pending: 3,
        approved: 0,
        rejected: 1,
        expired: 0,
        edited: 0,
        withdrawn: 0,
        memories: 0,
      })
      expect(await book.proposals.counts({ agent: 'other' })).toMatchObject({ pending: 1, rejected: 0 })
    })

    it('are twenty an hour for an agent', async () => {
      const { book, agent } = await begin()
      for (let n = 0; n < 20; n++) await agent.proposals.propose({ ...proposed, content: `User likes ${n}` })
      const error = await failure(agent.proposals.propose(proposed))
      expect(error).toMatchObject({
        code: 'rate-limited',
        retry: true,
        details: { path: 'agent', limit: 20 },
      })
      expect(error.details['retryAfterMs']).toBeGreaterThan(3_500_000)
      expect(await agent.proposals.propose({ ...proposed, content: 'User likes 3' })).toMatchObject({
        result: 'duplicate',
      })
      expect(await book.with({ agent: 'other' }).proposals.propose(proposed)).toMatchObject({
        result: 'proposed',
      })
    })

    it('wait in a book two hundred at a time, for as long as they may', async () => {
      const { book } = await begin()
      const past = { proposedAt: '2025-01-01T00:00:00Z', expiresAt: '2025-01-02T00:00:00Z' }
      for (let n = 0; n < 10; n++) {
        const agent = book.with({ agent: `agent-${n}` })
        for (let i = 0; i < 20; i++)
          await agent.proposals.propose({ ...proposed, content: `User likes ${i}` })
      }
      const error = await failure(book.with({ agent: helper }).proposals.propose(proposed))
      expect(error).toMatchObject({ code: 'rate-limited', details: { path: 'status', limit: 200 } })
      const [{ id } = { id: '' }] = (await book.proposals.list({ limit: 1 })).proposals
      await book.proposals.review({ id, action: 'reject' })
      expect(await book.with({ agent: helper }).proposals.propose({ ...proposed, ...past })).toMatchObject({
        status: 'expired',
      })
      expect(await book.with({ agent: helper }).proposals.propose(proposed)).toMatchObject({
        status: 'pending',
      })
    })

    it('expire when their time is over, which is told and never written', async () => {
      const { book, agent } = await begin()
      const past = { proposedAt: '2025-01-01T00:00:00Z', expiresAt: '2025-01-08T00:00:00Z' }
      const { id } = await agent.proposals.propose({ ...proposed, ...past })
      expect((await book.proposals.list()).proposals).toMatchObject([{ id, status: 'expired', ...past }])
      expect((await book.proposals.list({ status: 'pending' })).proposals).toEqual([])
      expect((await book.proposals.list({ status: 'expired' })).proposals.length).toBe(1)
      expect(await book.proposals.counts()).toMatchObject({ pending: 0, expired: 1 })
      expect((await book.records.get({ id }))?.['status']).toBe('pending')
      for (const action of ['approve', 'reject'] as const) {
        const error = await failure(book.proposals.review({ id, action }))
        expect(error).toMatchObject({ code: 'conflict', details: { path: 'id', status: 'expired' } })
      }
      expect((await failure(agent.proposals.withdraw({ id }))).code).toBe('conflict')
    })

    it('are decided once, and taken back by whoever made them as long as they wait', async () => {
      const { book, agent } = await begin()
      const { id } = await agent.proposals.propose(proposed)
      await book.proposals.review({ id, action: 'reject' })
      const twice = await failure(book.proposals.review({ id, action: 'approve' }))
      expect(twice).toMatchObject({ code: 'conflict', details: { status: 'rejected' } })
      expect((await failure(agent.proposals.withdraw({ id }))).code).toBe('conflict')
      const { id: other } = await agent.proposals.propose(proposed)
      const stranger = await failure(book.proposals.withdraw({ id: other }))
      expect(stranger).toMatchObject({ code: 'forbidden', details: { path: 'id' } })
      expect(await agent.proposals.withdraw({ id: other })).toEqual({ id: other, status: 'withdrawn' })
      expect((await failure(book.proposals.reopen({ id: other }))).code).toBe('conflict')
    })

    it('speak in the name of whoever makes them, and rest on what it can read', async () => {
      const { book, agent } = await begin()
      const another = await failure(
        agent.proposals.propose({ ...proposed, agentDid: 'did:a2p:agent:local:other' }),
      )
      expect(another).toMatchObject({ code: 'forbidden', details: { path: 'agentDid' } })
      const { id: record } = await book.traces.store(makeTrace())
      const evidence = [{ type: 'inferred', record, quote: 'so it said' }] as const
      const { id } = await agent.proposals.propose({ ...proposed, evidence: [...evidence] })
      expect((await book.proposals.list({ id })).proposals).toMatchObject([{ evidence }])
      const nothing = { ...proposed, content: 'x', evidence: [{ record: 'nobody' }] }
      const error = await failure(agent.proposals.propose(nothing))
      expect(error).toMatchObject({ code: 'not-found', details: { path: 'evidence.0.record' } })
    })

    const hiding: readonly (readonly [
      what: string,
      content: string,
      found: readonly { at: number; character: string }[],
    ])[] = [
      ['a zero-width space', 'a\u200bb', [{ at: 1, character: 'zero-width space U+200B' }]],
      ['a control of direction', 'ab \u202etxt', [{ at: 3, character: 'control of direction U+202E' }]],
      ['a control character', 'a\u0007', [{ at: 1, character: 'control character U+0007' }]],
      ['tag characters', 'hi\u{e0041}', [{ at: 2, character: 'tag character U+E0041' }]],
      [
        'letters of two scripts in a word',
        'pay p\u0430ypal',
        [{ at: 4, character: 'mixed scripts in a word: Latin, Cyrillic' }],
      ],
    ]
    it.each(hiding)(
      'with %s say so, and are approved only by whoever knows of it',
      async (_what, content, hidden) => {
        const { book, agent } = await begin()
        const told = await agent.proposals.propose({ ...proposed, content })
        expect(told.hidden).toEqual(hidden)
        const { id } = told
        expect((await book.proposals.list()).proposals).toMatchObject([{ id, hidden }])
        const error = await failure(book.proposals.review({ id, action: 'approve' }))
        expect(error).toMatchObject({ code: 'invalid-input', details: { path: 'despiteHidden', hidden } })
        expect((await book.memories.query()).memories).toEqual([])
        await book.proposals.review({ id, action: 'edit', edited: { content: 'plain' } })
        await book.proposals.reopen({ id })
        expect(await book.proposals.review({ id, action: 'approve', despiteHidden: true })).toMatchObject({
          status: 'approved',
        })
        expect((await book.memories.query()).memories).toMatchObject([{ content }])
      },
    )

    it('hide nothing with what people write: pictures, joined letters, several scripts side by side', async () => {
      const { agent } = await begin()
      const plain = ['👩‍👩‍👧‍👦 family ❤️', 'می‌خواهم', 'tea 茶 чай', 'naïve café', 'a\nb\tc', '日本語のテキスト']
      for (const content of plain)
        expect([content, (await agent.proposals.propose({ ...proposed, content })).hidden]).toEqual([
          content,
          [],
        ])
    })

    it('tell whoever listens what becomes of them', async () => {
      const { book, agent } = await begin()
      const heard: string[] = []
      let enough: (() => void) | undefined
      const all = new Promise<void>((resolve) => (enough = resolve))
      book.on('proposal', ({ status, by }) => {
        heard.push(`${by} ${status}`)
        if (heard.length === 3) enough?.()
      })
      const { id } = await agent.proposals.propose(proposed)
      await book.proposals.review({ id, action: 'approve' })
      await book.proposals.reopen({ id })
      await all
      expect(heard).toEqual([`${helper} pending`, `${helper} approved`, `${helper} pending`])
    })
  })
}
