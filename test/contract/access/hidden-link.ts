// The ids of other records in what a guest reads: of those that it may see, and of no others; and what it does not see of a
// record stays there when it writes that back. On every host.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, snapshotOf } from '../book-case.ts'
import { exported } from '../bundle.ts'
import { grant } from './token-grant.ts'

const course = 'course:CS101'

/** A book with a perception that rests on a trace that the guest sees, and on one that it does not. */
async function filled(book: Daybook) {
  await book.traces.store(makeTrace({ id: 'trace-hidden' }))
  await book.traces.store(makeTrace({ id: 'trace-seen', resource: course }))
  await book.perceptions.store({
    id: 'belief',
    content: 'Likes green tea',
    evidence: ['trace-hidden', 'trace-seen'],
    resource: course,
  })
  const trace = makeTrace({ id: 'next', resource: course })
  await book.traces.store({
    ...trace,
    metadata: { ...trace.metadata, linked_traces: ['trace-hidden', 'trace-seen'] },
  })
  const permissions = ['read', 'write', 'export', 'forget']
  const { token } = await grant(book, { scope: course, permissions })
  return { guest: book.with({ as: token.token_id }) }
}

const evidenceOf = (record: unknown) => (record as { evidence?: readonly string[] } | null)?.evidence

export function hiddenLinkCases({ book: open }: BookCase): void {
  describe('the ids of other records', () => {
    it('are shown to a guest where it may see those, by every way of reading', async () => {
      const book = await open()
      const { guest } = await filled(book)
      const live = guest.live({ method: 'perceptions.query', input: {} })
      const told = [
        await guest.records.get({ id: 'belief' }),
        await guest.records.query({}),
        await guest.records.search({ query: 'green tea' }),
        await guest.perceptions.query(),
        await guest.traces.query(),
        await guest.traces.get({ id: 'next' }),
        await guest.recall({ text: 'green tea' }),
        await guest.context({ text: 'green tea' }),
        await guest.records.history({ id: 'belief' }),
        (await snapshotOf(live, ({ status }) => status === 'ready')).data,
        await exported(guest),
      ]
      for (const one of told) expect(JSON.stringify(one)).not.toContain('trace-hidden')
      expect(evidenceOf(await guest.records.get({ id: 'belief' }))).toEqual(['trace-seen'])
      expect(evidenceOf(await book.records.get({ id: 'belief' }))).toEqual(['trace-hidden', 'trace-seen'])
    })

    it('of the list of closed records is no filter value that a guest can send', async () => {
      const { guest } = await filled(await open())
      const query = (content: object) => guest.perceptions.query({ filters: { content } })
      expect((await query({ gt: '\u0000closed' })).records.length).toBe(1)
      expect((await query({ lt: '\u0000closed' })).records.length).toBe(0)
    })

    it('are found by no filter, order or look-up of a guest that may not see them', async () => {
      const book = await open()
      const { guest } = await filled(book)
      const found = async (filters: object) => (await guest.perceptions.query({ filters })).records.length
      expect(await found({ evidence: { contains: 'trace-seen' } })).toBe(1)
      for (const test of [{ contains: 'trace-hidden' }, { contains: 'trace-h' }, { eq: 'trace-hidden' }])
        expect([test, await found({ evidence: test })]).toEqual([test, 0])
      const recalled = await guest.recall({
        text: 'green tea',
        filters: { evidence: { contains: 'trace-hidden' } },
      })
      expect(recalled.hits).toEqual([])
      expect(await guest.records.citing({ id: 'trace-hidden' })).toEqual(
        await guest.records.citing({ id: 'trace-none' }),
      )
      expect(
        (await book.perceptions.query({ filters: { evidence: { contains: 'trace-hidden' } } })).records,
      ).toHaveLength(1)
    })

    it('stay where a guest writes a record back without those that it was not shown', async () => {
      const book = await open()
      const { guest } = await filled(book)
      const shown = evidenceOf(await guest.records.get({ id: 'belief' })) ?? []
      await guest.perceptions.update({ id: 'belief', updates: { confidence: 0.5, evidence: [...shown] } })
      expect(evidenceOf(await book.records.get({ id: 'belief' }))).toEqual(['trace-hidden', 'trace-seen'])
      await guest.perceptions.update({ id: 'belief', updates: { evidence: [] } })
      expect(evidenceOf(await book.records.get({ id: 'belief' }))).toEqual(['trace-hidden'])
      await guest.records.restore({ id: 'belief', version: 1 })
      expect(new Set(evidenceOf(await book.records.get({ id: 'belief' })))).toEqual(
        new Set(['trace-hidden', 'trace-seen']),
      )
      const trace = makeTrace({ id: 'next', resource: course })
      await guest.traces.store({ ...trace, replace: true })
      expect(await book.records.get({ id: 'next' })).toMatchObject({
        metadata: { linked_traces: ['trace-hidden'] },
      })
    })
  })
}
