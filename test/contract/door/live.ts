// Live queries: answered at once, and anew for as long as somebody listens.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { grant } from '../access/token-grant.ts'
import { answerOf, type BookCase, failure, snapshotOf } from '../book-case.ts'

const goals = (records: readonly { readonly task: { readonly goal?: unknown } }[] | undefined) =>
  records?.map(({ task }) => task.goal).toSorted()
const thrown = async (work: () => unknown) => failure(Promise.resolve().then(work))

async function storeGoal(book: Daybook, goal: string): Promise<string> {
  return (await book.traces.store(makeTrace({ task: { goal } }))).id
}

export function liveCases({ book: open }: BookCase): void {
  describe('a live query', () => {
    it('is loading, then ready, and is told anew of what is stored, changed and forgotten', async () => {
      const book = await open()
      await storeGoal(book, 'one')
      const live = book.live({ method: 'traces.query', input: {} })
      expect(live.getSnapshot()).toEqual({
        status: 'loading',
        data: undefined,
        error: undefined,
        updatedAt: 0,
      })
      const off = live.subscribe(() => undefined)
      const first = await snapshotOf(live, ({ status }) => status === 'ready')
      expect(goals(first.data?.records)).toEqual(['one'])
      expect(first.updatedAt).toBeGreaterThan(0)
      const id = await storeGoal(book, 'two')
      const second = await snapshotOf(live, ({ data }) => data?.records.length === 2)
      expect(goals(second.data?.records)).toEqual(['one', 'two'])
      await book.traces.forget({ id })
      await snapshotOf(live, ({ data }) => data?.records.length === 1)
      off()
    })

    it('gives the same snapshot until something in it changed', async () => {
      const book = await open()
      const query = { method: 'traces.query', input: { filters: { 'situation.domain': 'other' } } } as const
      const live = book.live(query)
      const counted = book.live({ method: 'traces.count' })
      const offs = [live.subscribe(() => undefined), counted.subscribe(() => undefined)]
      const before = await snapshotOf(live, ({ status }) => status === 'ready')
      await storeGoal(book, 'of another domain')
      await snapshotOf(counted, ({ data }) => data?.total === 1)
      await storeGoal(book, 'of another domain')
      await snapshotOf(counted, ({ data }) => data?.total === 2)
      expect(live.getSnapshot()).toBe(before)
      for (const off of offs) off()
    })

    it('is one with its equals, whatever the order of their fields, and none of another book or handle', async () => {
      const book = await open()
      const live = book.live({ method: 'records.query', input: { kind: 'trace', limit: 5 } })
      expect(book.live({ input: { limit: 5, kind: 'trace' }, method: 'records.query' })).toBe(live)
      expect(book.live({ method: 'records.query', input: { kind: 'trace', limit: 6 } })).not.toBe(live)
      const handle = book.with({ agent: 'tutor' })
      expect(handle.live({ method: 'records.query', input: { kind: 'trace', limit: 5 } })).not.toBe(live)
    })

    it('is still there, loading, with its last answer, when somebody comes back', async () => {
      const book = await open()
      const live = book.live({ method: 'traces.count' })
      await answerOf(live)
      await storeGoal(book, 'while nobody listened')
      const off = live.subscribe(() => undefined)
      expect(live.getSnapshot()).toMatchObject({ status: 'loading', data: { total: 0 } })
      await snapshotOf(live, ({ status, data }) => status === 'ready' && data?.total === 1)
      off()
    })

    it('delivers an error, and nothing that was answered before to whom may not read it any more', async () => {
      const book = await open()
      const { token } = await grant(book, { scope: 'trace:*' })
      const guest = book.with({ as: token.token_id })
      const live = guest.live({ method: 'traces.count' })
      const off = live.subscribe(() => undefined)
      await snapshotOf(live, ({ status }) => status === 'ready')
      await book.tokens.revoke({ token_id: token.token_id, reason: 'over' })
      const again = guest.live({ method: 'traces.query', input: { limit: 1 } })
      expect((await failure(answerOf(again))).code).toBe('unauthorized')
      off()
      const last = await snapshotOf(live, ({ status }) => status === 'error')
      expect(last).toMatchObject({ error: { code: 'unauthorized' }, data: undefined })
    })

    it('through a handle with a token is told of what its holder may read, and of nothing else', async () => {
      const book = await open()
      const { token } = await grant(book, { scope: 'trace:education:**' })
      const guest = book.with({ as: token.token_id })
      const live = guest.live({ method: 'traces.query', input: {} })
      const off = live.subscribe(() => undefined)
      await snapshotOf(live, ({ status }) => status === 'ready')
      await book.traces.store(makeTrace({ task: { goal: 'hidden' }, situation: { domain: 'health' } }))
      await book.traces.store(makeTrace({ task: { goal: 'seen' }, situation: { domain: 'education' } }))
      const { data } = await snapshotOf(live, ({ data: told }) => told?.records.length === 1)
      expect(goals(data?.records)).toEqual(['seen'])
      off()
    })

    it('ends with the book, and with its handle', async () => {
      const book = await open()
      const handle = book.with({ agent: 'tutor' })
      const below = handle.with({ session: 's' })
      const lives = [handle, below].map((one) => one.live({ method: 'traces.count' }))
      for (const live of lives) live.subscribe(() => undefined)
      const own = book.live({ method: 'traces.count' })
      own.subscribe(() => undefined)
      await Promise.all([own, ...lives].map((live) => snapshotOf(live, ({ status }) => status === 'ready')))
      await handle.close()
      for (const live of lives) {
        const { error } = await snapshotOf(live, ({ status }) => status === 'error')
        expect(error?.code).toBe('book-closed')
      }
      expect(own.getSnapshot().status).toBe('ready')
      await book.close()
      expect((await snapshotOf(own, ({ status }) => status === 'error')).error?.code).toBe('book-closed')
    })

    it('that can’t be one is refused where it is asked for', async () => {
      const book = await open()
      const wrong = async (query: object) => {
        const { code, details } = await thrown(() => book.live(query as never))
        return [code, details['path'], details['meant']]
      }
      expect(await wrong({ method: 'traces.store', input: makeTrace() })).toEqual([
        'invalid-input',
        'query.method',
        undefined,
      ])
      expect(await wrong({ method: 'trace.query' })).toEqual([
        'invalid-input',
        'query.method',
        'traces.query',
      ])
      expect(await wrong({})).toEqual(['invalid-input', 'query.method', undefined])
      expect(await wrong({ method: 'stats', kind: 'trace' })).toEqual([
        'invalid-input',
        'query.kind',
        'kinds',
      ])
      const live = book.live({ method: 'traces.query', input: { limit: -1 } })
      expect(await failure(answerOf(live))).toMatchObject({
        code: 'invalid-input',
        details: { path: 'limit' },
      })
    })
  })
}
