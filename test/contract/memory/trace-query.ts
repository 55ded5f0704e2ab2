// Filters, order, paging, counting and searching of traces, as every host must answer them.
import { expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import type { Filters } from '../../../src/core/filter/filter.ts'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'

const days = ['2026-01-30T23:30:00Z', '2026-01-31T08:00:00Z', '2026-01-31T21:00:00Z', '2026-02-01T00:00:00Z']

async function fill(book: Daybook): Promise<void> {
  const rows = days.map((timestamp, i) =>
    makeTrace({
      id: `t-${i}`,
      timestamp,
      situation: {
        domain: i < 2 ? 'build' : 'test',
        actor: `agent-${i % 2}`,
        context: { depth: i, tags: ['x', i] },
      },
      task: { goal: `goal number ${i}` },
      action: {
        type: i === 3 ? 'deploy' : 'run',
        parameters: i === 2 ? { flag: null } : { flag: i % 2 === 0 },
      },
      ...(i === 0 ? {} : { result: { success: i !== 1, outcome: { note: `outcome ${i}` } } }),
      metadata: { tags: i === 1 ? ['slow'] : [] },
    }),
  )
  const { result: _, ...first } = rows[0] ?? makeTrace()
  await book.traces.storeMany({ traces: [first, ...rows.slice(1)] })
}

const filterCases: [filters: Filters, ids: string[]][] = [
  [{}, ['t-3', 't-2', 't-1', 't-0']],
  [{ 'situation.domain': 'build' }, ['t-1', 't-0']],
  [{ 'situation.domain': { ne: 'build' } }, ['t-3', 't-2']],
  [{ 'situation.actor': { in: ['agent-1', 'nobody'] } }, ['t-3', 't-1']],
  [{ 'result.success': true }, ['t-3', 't-2']],
  [{ 'result.success': false }, ['t-1']],
  [{ 'result.success': { exists: false } }, ['t-0']],
  [{ not: { 'result.success': true } }, ['t-1', 't-0']],
  [{ timestamp: { gte: '2026-01-31', lte: '2026-01-31' } }, ['t-2', 't-1']],
  [{ timestamp: '2026-01-31' }, ['t-2', 't-1']],
  [{ timestamp: { gt: '2026-01-31T09:00:00+01:00' } }, ['t-3', 't-2']],
  [{ 'situation.context.depth': { gte: 1, lt: 3 } }, ['t-2', 't-1']],
  [{ 'situation.context.tags': { contains: 2 } }, ['t-2']],
  [{ 'situation.context.tags': { contains: 'x' } }, ['t-3', 't-2', 't-1', 't-0']],
  [{ 'task.goal': { contains: 'number 3' } }, ['t-3']],
  [{ 'metadata.tags': { contains: 'slow' } }, ['t-1']],
  [{ 'action.parameters.flag': null }, ['t-2']],
  [{ 'action.parameters.flag': true }, ['t-0']],
  [{ 'action.parameters.flag': 1 }, []],
  [{ or: [{ 'action.type': 'deploy' }, { 'metadata.tags': { contains: 'slow' } }] }, ['t-3', 't-1']],
  [{ and: [{ 'action.type': 'run' }, { not: { 'situation.domain': 'build' } }] }, ['t-2']],
  [{ id: { in: ['t-1', 't-9'] } }, ['t-1']],
]

export function traceQueryCases({ book: open }: BookCase): void {
  it('filters on hot columns and on any path of the JSON', async () => {
    const book = await open()
    await fill(book)
    for (const [filters, ids] of filterCases) {
      const { records } = await book.traces.query({ filters })
      expect([filters, records.map(({ id }) => id)]).toEqual([filters, ids])
      expect((await book.traces.count({ filters })).total).toBe(ids.length)
    }
  })

  it('orders by any path, missing values last, and pages by limit, offset and cursor', async () => {
    const book = await open()
    await fill(book)
    const order = async (orderBy: string | string[]) =>
      (await book.traces.query({ orderBy })).records.map(({ id }) => id)
    expect(await order('timestamp')).toEqual(['t-0', 't-1', 't-2', 't-3'])
    expect(await order('-situation.context.depth')).toEqual(['t-3', 't-2', 't-1', 't-0'])
    expect(await order(['situation.actor', '-timestamp'])).toEqual(['t-2', 't-0', 't-3', 't-1'])
    expect((await order('result.success')).at(-1)).toBe('t-0')
    expect((await order('-result.success')).at(-1)).toBe('t-0')
    const seen: string[] = []
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const page = await book.traces.query({
        limit: 3,
        orderBy: 'situation.actor',
        ...(cursor ? { cursor } : {}),
      })
      seen.push(...page.records.map(({ id }) => id))
      cursor = page.cursor
    }
    expect(seen).toEqual(['t-0', 't-2', 't-1', 't-3'])
    expect((await book.traces.query({ limit: 2, offset: 1 })).records.map(({ id }) => id)).toEqual([
      't-2',
      't-1',
    ])
  })

  it('counts by period of when it happened', async () => {
    const book = await open()
    await fill(book)
    expect(await book.traces.count({ by: 'day' })).toEqual({
      total: 4,
      buckets: [
        { at: '2026-01-30T00:00:00.000Z', count: 1, failed: 0 },
        { at: '2026-01-31T00:00:00.000Z', count: 2, failed: 1 },
        { at: '2026-02-01T00:00:00.000Z', count: 1, failed: 0 },
      ],
    })
  })

  it('searches all text or only the given fields', async () => {
    const book = await open()
    await fill(book)
    const search = async (query: string, more: object = {}) =>
      (await book.traces.search({ query, ...more })).records.map(({ id }) => id)
    expect(await search('outcomes 2')).toEqual(expect.arrayContaining(['t-2', 't-1', 't-3']))
    expect((await search('outcomes 2'))[0]).toBe('t-2')
    expect(await search('goal 2', { match: 'all' })).toEqual(['t-2'])
    expect(await search('goal', { fields: ['result.outcome'] })).toEqual([])
    expect(await search('outcome', { fields: ['result'] })).toHaveLength(3)
    expect(await search('outcome 2', { fields: ['result.outcome.note'], match: 'all' })).toEqual(['t-2'])
    expect(await search('outcome', { fields: ['result.outcome.other'] })).toEqual([])
    expect(await search('january 30')).toEqual(expect.arrayContaining(['t-0']))
    expect(await search('depl', { prefix: true })).toEqual(['t-3'])
    expect(await search('goal', { filters: { 'situation.domain': 'test' } })).toHaveLength(2)
    expect(await search('zebra')).toEqual([])
    expect(await search('')).toEqual([])
    const error = await failure(book.traces.search({ query: 'x', fields: ['metadata.mode'] }))
    expect(error).toMatchObject({ code: 'invalid-input', details: { path: 'fields.0' } })
  })

  const wrong: [filters: unknown, path: string][] = [
    [{ 'situation.domain': { like: 'b%' } }, 'filters.situation.domain.like'],
    [{ 'situation.domain': {} }, 'filters.situation.domain'],
    [{ 'a..b': 1 }, 'filters.a..b'],
    [{ 'a"b': 1 }, 'filters.a"b'],
    [{ and: {} }, 'filters.and'],
    [{ or: [] }, 'filters.or'],
    [{ 'a.b': { in: 'x' } }, 'filters.a.b.in'],
    [{ 'a.b': { gt: true } }, 'filters.a.b.gt'],
    [{ 'a.b': { exists: 'yes' } }, 'filters.a.b.exists'],
    [{ situation: { domain: 'build' } }, 'filters.situation.domain'],
  ]
  it.each(wrong)('refuses the filter %j with its path', async (filters, path) => {
    const book = await open()
    const error = await failure(book.traces.query({ filters: filters as Filters }))
    expect(error).toMatchObject({ code: 'invalid-filter', details: { path } })
  })

  it('refuses orders, limits and cursors that are none', async () => {
    const book = await open()
    expect((await failure(book.traces.query({ orderBy: '' }))).code).toBe('invalid-input')
    expect((await failure(book.traces.query({ orderBy: '-' }))).code).toBe('invalid-filter')
    expect((await failure(book.traces.query({ limit: 1001 }))).details).toMatchObject({ path: 'limit' })
    expect((await failure(book.traces.query({ cursor: 'c1.nonsense' }))).details).toMatchObject({
      path: 'cursor',
    })
    expect((await failure(book.traces.query({ cursor: `c1.${encodeURIComponent('[1,2,3]')}` }))).code).toBe(
      'invalid-filter',
    )
  })
}
