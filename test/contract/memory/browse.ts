// Looking through records of any kind: search, count, who cites one.
import { expect, it } from 'vitest'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'

export function browseCases({ book: open }: BookCase): void {
  it('searches records of one kind by the words of its text, the last one perhaps only begun', async () => {
    const book = await open()
    await book.traces.store(makeTrace({ task: { goal: 'Explain the recursion tree' } }))
    const { id } = await book.perceptions.store({ subject: 'ana', content: 'Understands recursion trees' })
    const found = await book.records.search({ query: 'recursion tr', kind: 'perception', prefix: true })
    expect(found.records.map((record) => record.id)).toEqual([id])
    expect(found.scores[0]).toBeGreaterThan(0)
    const narrowed = { query: 'recursion', kind: 'perception', filters: { subject: 'ben' } }
    expect((await book.records.search(narrowed)).records).toEqual([])
    const error = await failure(book.records.search({ query: 'recursion', kind: 'dream' }))
    expect(error.code).toBe('invalid-input')
  })

  it('counts what a query would list, and what it leaves out when asked to', async () => {
    const book = await open()
    const { id } = await book.facts.store({ schema: 's', data: { n: 1 } })
    await book.facts.supersede({ id, data: { n: 2 } })
    await book.perceptions.store({ content: 'Long gone', valid_until: '2026-01-01' })
    await book.perceptions.store({ content: 'Here to stay' })
    const total = async (kind: string, include = {}) => (await book.records.count({ kind, ...include })).total
    expect(await total('fact')).toBe(1)
    expect(await total('fact', { includeSuperseded: true })).toBe(2)
    expect(await total('perception')).toBe(1)
    expect(await total('perception', { includeExpired: true })).toBe(2)
    expect(await total('fact', { filters: { 'data.n': 1 } })).toBe(0)
    await book.traces.store(makeTrace({ timestamp: '2026-01-31T10:20:00Z' }))
    const { buckets } = await book.records.count({ kind: 'trace', by: 'hour' })
    expect(buckets).toEqual([{ at: '2026-01-31T10:00:00.000Z', count: 1, failed: 0 }])
    expect(await book.records.count({ kind: 'trace', by: 'none' })).toEqual({ total: 1, buckets: [] })
    expect(await book.traces.count({ by: 'none' })).toEqual({ total: 1, buckets: [] })
  })

  it('has what was stored last first among equals, on every page', async () => {
    const book = await open()
    const same = makeTrace({ task: { goal: 'Send the courier' } })
    const { ids } = await book.traces.storeMany({ traces: Array.from({ length: 60 }, () => same) })
    const ask = { query: 'send cour', kind: 'trace', match: 'all', prefix: true, limit: 2 } as const
    const pages = await Promise.all([0, 2].map((offset) => book.records.search({ ...ask, offset })))
    const found = pages.flatMap(({ records }) => records.map(({ id }) => id))
    expect(found).toEqual(ids.toReversed().slice(0, 4))
  })

  it('takes words in quotes as a phrase, and a quote that is not closed as text', async () => {
    const book = await open()
    const store = (content: string) => book.perceptions.store({ content })
    const together = await store('The connection reset twice')
    const apart = await store('Reset the connection')
    const found = async (query: string, more = {}) => {
      const { records } = await book.records.search({ query, kind: 'perception', match: 'all', ...more })
      const { total } = await book.records.count({ query, kind: 'perception', match: 'all', ...more })
      expect(total, query).toBe(records.length)
      return records.map(({ id }) => id).toSorted()
    }
    const both = [together.id, apart.id].toSorted()
    expect(await found('connection reset')).toEqual(both)
    expect(await found('"connection reset"')).toEqual([together.id])
    expect(await found('“Connection Reset” twice')).toEqual([together.id])
    expect(await found('"connection reset', { prefix: true })).toEqual(both)
    expect(await found('"the connection" res', { prefix: true })).toEqual(both)
    // A phrase that is closed is no beginning of one.
    expect(await found('"connection res"', { prefix: true })).toEqual([])
    expect(await found('""" OR * NEAR("reset"')).toEqual([])
    expect(await found('""')).toEqual([])
  })

  it('counts what a search finds, by when it happened and as its filters leave it', async () => {
    const book = await open()
    const at = (timestamp: string, goal: string) =>
      book.traces.store(makeTrace({ timestamp, task: { goal } }))
    await at('2026-01-31T10:20:00Z', 'zebra one')
    await at('2026-02-01T10:20:00Z', 'zebra two')
    await at('2026-02-01T11:20:00Z', 'something else')
    const counted = await book.records.count({ kind: 'trace', query: 'zebra' })
    expect(counted.total).toBe(2)
    expect(counted.buckets.map(({ count }) => count)).toEqual([1, 1])
    const late = { timestamp: { gte: '2026-02-01' } }
    expect((await book.records.count({ kind: 'trace', query: 'zebra', filters: late })).total).toBe(1)
    expect((await book.records.count({ kind: 'trace', query: 'zeb', prefix: true })).total).toBe(2)
    expect((await book.records.count({ kind: 'trace', query: 'zeb' })).total).toBe(0)
  })

  it('reads who cites a record, and by which field', async () => {
    const book = await open()
    const { id } = await book.traces.store(makeTrace())
    const seen = await book.perceptions.store({ content: 'It went well', evidence: [id] })
    const next = await book.traces.store(makeTrace({ metadata: { linked_traces: [id] } }))
    const { total, citations, records } = await book.records.citing({ id })
    expect(total).toBe(2)
    expect(citations).toEqual([
      { id: seen.id, kind: 'perception', path: 'evidence' },
      { id: next.id, kind: 'trace', path: 'metadata.linked_traces' },
    ])
    expect(records.map((record) => record.id)).toEqual([seen.id, next.id])
    expect((await book.records.citing({ id, limit: 1 })).records).toHaveLength(1)
    expect(await book.records.citing({ id: 'nobody' })).toEqual({ total: 0, citations: [], records: [] })
  })
}
