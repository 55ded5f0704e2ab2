// The log of access on every host: every call of a guest is in it, what the owner wrote, and nothing of what was said.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'
import { exported } from '../bundle.ts'

const later = '2099-01-01T00:00:00Z'

async function grant(book: Daybook, permissions: string[], scope = '**') {
  const asked = { scope, permissions, granted_to: 'helper', expires_at: later }
  return (await book.tokens.grant(asked)).token.token_id
}

/** The newest entries, in the order in which they were made. */
async function log(book: Daybook, query: object = {}) {
  const { entries } = await book.access.log(query)
  return entries
    .toReversed()
    .map(({ caller, by, capability, outcome, kinds, count }) => [
      caller,
      by,
      capability,
      outcome,
      kinds.join(' '),
      count,
    ])
}

export function accessLogCases({ book: open, reopen }: BookCase): void {
  describe('the log of access', () => {
    it('has what the owner wrote, in one entry for a batch, and not what the owner read', async () => {
      const book = await open()
      const { id } = await book.traces.store(makeTrace())
      await book.traces.storeMany({ traces: [makeTrace(), makeTrace(), makeTrace()] })
      await book.traces.get({ id })
      await book.traces.query({})
      await book.records.forget({ id }, { purpose: 'tidying up' })
      await failure(book.traces.complete({ id, result: { success: true } }))
      expect(await log(book)).toEqual([
        ['contract', 'owner', 'kstar:store_trace', 'ok', 'trace', 1],
        ['contract', 'owner', 'kstar:store_traces', 'ok', 'trace', 3],
        ['contract', 'owner', 'kstar:forget', 'ok', 'trace', 1],
        ['contract', 'owner', 'kstar:complete_trace', 'not-found', '', 0],
      ])
      const { entries } = await book.access.log({ outcome: 'ok' })
      expect(entries.map(({ purpose }) => purpose)).toEqual(['tidying up', undefined, undefined])
      expect(entries[0]).not.toHaveProperty('id')
    })

    it('has every call of a guest, whatever came of it, and of nobody what is known', async () => {
      const book = await open()
      await book.traces.store(makeTrace({ id: 't-1' }))
      const token = await grant(book, ['read', 'write'])
      const as = { as: token, purpose: 'grading' }
      await book.traces.get({ id: 't-1' }, as)
      await book.traces.query({}, as)
      await book.traces.get({ id: 'nothing' }, as)
      await book.traces.store(makeTrace({ id: 't-2' }), as)
      await failure(book.records.forget({ id: 't-1' }, as))
      await failure(book.call('kstar:query_traces', { secret: 'SECRET' } as never, as))
      await failure(book.call('no:SECRET', {}, as))
      await failure(book.access.log({}, as))
      await book.tokens.revoke({ token_id: token, reason: 'over' })
      await failure(book.traces.query({}, as))
      await failure(book.traces.query({}, { as: 'SECRET' }))
      const guests = (await log(book)).filter(([, by]) => by !== 'owner')
      expect(guests).toEqual([
        ['helper', 'token', 'kstar:get_trace', 'ok', 'trace', 1],
        ['helper', 'token', 'kstar:query_traces', 'ok', 'trace', 1],
        ['helper', 'token', 'kstar:get_trace', 'ok', '', 0],
        ['helper', 'token', 'kstar:store_trace', 'ok', 'trace', 1],
        ['helper', 'token', 'kstar:forget', 'forbidden', '', 0],
        ['helper', 'token', 'kstar:query_traces', 'invalid-input', '', 0],
        ['helper', 'token', '', 'unknown-capability', '', 0],
        ['helper', 'token', 'access:log', 'forbidden', '', 0],
        ['helper', 'token', 'kstar:query_traces', 'unauthorized', '', 0],
        ['', 'unknown', 'kstar:query_traces', 'unauthorized', '', 0],
      ])
      const { entries } = await book.access.log({ agent: 'helper' })
      expect(new Set(entries.map(({ id, purpose }) => `${id} ${purpose}`))).toEqual(
        new Set([`${token} grading`]),
      )
      expect(JSON.stringify(await book.access.log())).not.toMatch(/SECRET|recursion|t-1|t-2/)
    })

    it('is found by agent, verb, outcome and time, and read page by page', async () => {
      const book = await open()
      const as = { as: await grant(book, ['read']) }
      for (let i = 0; i < 5; i++) {
        await book.traces.query({}, as)
        await failure(book.traces.store(makeTrace(), as))
      }
      expect(await log(book, { agent: 'helper', outcome: 'forbidden' })).toHaveLength(5)
      expect(await log(book, { capability: 'kstar:query_traces', agent: 'helper' })).toHaveLength(5)
      expect(await log(book, { agent: 'nobody' })).toEqual([])
      expect(await log(book, { from: later })).toEqual([])
      expect(await log(book, { to: '2020-01-01T00:00:00Z' })).toEqual([])
      const found: number[] = []
      let cursor: string | undefined
      do {
        const page = await book.access.log({ agent: 'helper', limit: 3, ...(cursor ? { cursor } : {}) })
        expect(page.entries.length).toBeLessThanOrEqual(3)
        found.push(...page.entries.map(({ n }) => n))
        cursor = page.cursor
      } while (cursor !== undefined)
      expect(found).toHaveLength(10)
      expect(found).toEqual([...new Set(found)].toSorted((a, b) => b - a))
      const wrong = await failure(book.access.log({ cursor: 'c1.x' }))
      expect(wrong).toMatchObject({ code: 'invalid-filter', details: { path: 'cursor' } })
    })

    it('stays with this copy of the book, through a close, and in no bundle', async () => {
      const book = await open()
      const as = { as: await grant(book, ['read']), purpose: 'looking around' }
      await book.traces.query({}, as)
      expect(await exported(book)).not.toContain('looking around')
      await book.traces.query({}, as)
      const again = await reopen(book)
      expect(await log(again, { agent: 'helper' })).toHaveLength(2)
      expect((await failure(again.access.log({ where: 'mirror' }))).code).toBe('sync-off')
    })
  })
}
