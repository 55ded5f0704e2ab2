// The time zone of a book: whose days are meant by a date without a time, by a count of days, and by words for days.
import { expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'

const apia = 'Pacific/Apia'
const newYork = 'America/New_York'
const kolkata = 'Asia/Kolkata'

const found = async (book: Daybook, filters: object) =>
  (await book.traces.query({ filters: filters as never, orderBy: 'timestamp' })).records.map(({ id }) => id)

export function zoneCases({ book: open, reopen }: BookCase): void {
  it('counts the days of its zone, of 23 and of 25 hours', async () => {
    const book = await open({ timeZone: newYork })
    // The clocks went forward on 8 March 2026 at 07:00 UTC, and go back on 1 November at 06:00.
    const hours = (day: string, from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({
        ...makeTrace(),
        timestamp: new Date(Date.parse(`${day}T00:00:00Z`) + (from + i) * 3_600_000).toISOString(),
      }))
    await book.traces.storeMany({ traces: [...hours('2026-03-08', 4, 26), ...hours('2026-11-01', 3, 27)] })
    expect(await book.traces.count({ by: 'day' })).toEqual({
      total: 53,
      buckets: [
        { at: '2026-03-07T05:00:00.000Z', count: 1, failed: 0 },
        { at: '2026-03-08T05:00:00.000Z', count: 23, failed: 0 },
        { at: '2026-03-09T04:00:00.000Z', count: 2, failed: 0 },
        { at: '2026-10-31T04:00:00.000Z', count: 1, failed: 0 },
        { at: '2026-11-01T04:00:00.000Z', count: 25, failed: 0 },
        { at: '2026-11-02T05:00:00.000Z', count: 1, failed: 0 },
      ],
    })
    expect(await found(book, { timestamp: '2026-03-08' })).toHaveLength(23)
    expect(await found(book, { timestamp: { gte: '2026-11-01', lte: '2026-11-01' } })).toHaveLength(25)
    expect((await book.traces.count({ by: 'hour' })).buckets).toHaveLength(53)
    expect((await book.traces.count({ by: 'month' })).buckets.map(({ at }) => at)).toEqual([
      '2026-03-01T05:00:00.000Z',
      '2026-10-01T04:00:00.000Z',
      '2026-11-01T04:00:00.000Z',
    ])
  })

  it('counts by days that begin in the middle of an hour of UTC, and knows the day that was skipped', async () => {
    const book = await open({ timeZone: kolkata })
    const at = (id: string, timestamp: string) => ({ ...makeTrace(), id, timestamp })
    await book.traces.storeMany({
      traces: [
        at('before', '2026-01-30T18:29:59.999Z'),
        at('first', '2026-01-30T18:30:00Z'),
        at('last', '2026-01-31T18:29:59.999Z'),
      ],
    })
    expect((await book.traces.count({ by: 'day' })).buckets).toEqual([
      { at: '2026-01-29T18:30:00.000Z', count: 1, failed: 0 },
      { at: '2026-01-30T18:30:00.000Z', count: 2, failed: 0 },
    ])
    expect(await found(book, { timestamp: '2026-01-31' })).toEqual(['first', 'last'])
    const island = await open({ timeZone: apia })
    await island.traces.storeMany({
      traces: [at('29th', '2011-12-30T09:59:59.999Z'), at('31st', '2011-12-30T10:00:00Z')],
    })
    expect(await found(island, { timestamp: '2011-12-29' })).toEqual(['29th'])
    expect(await found(island, { timestamp: '2011-12-30' })).toEqual([])
    expect(await found(island, { timestamp: '2011-12-31' })).toEqual(['31st'])
  })

  it('finds a record by the words of its day in another zone once it is opened in that zone', async () => {
    let book = await open({ timeZone: 'UTC' })
    await book.traces.store({ ...makeTrace(), id: 'late', timestamp: '2026-01-31T23:30:00Z' })
    const search = async (query: string) =>
      (await book.traces.search({ query, match: 'all' })).records.map(({ id }) => id)
    expect([await search('31 january'), await search('1 february sunday')]).toEqual([['late'], []])
    book = await reopen(book, { timeZone: kolkata })
    expect([await search('31 january'), await search('1 february sunday')]).toEqual([[], ['late']])
    book = await reopen(book, { timeZone: 'UTC' })
    expect([await search('31 january'), await search('1 february sunday')]).toEqual([['late'], []])
  })

  it('lets what ends with a date last to the end of that day, and what begins with one begin with it', async () => {
    const book = await open({ timeZone: newYork })
    const { id } = await book.perceptions.store({ content: 'The pass is valid.', valid_until: '2199-12-31' })
    expect(await book.records.get({ id })).toMatchObject({ valid_until: '2200-01-01T04:59:59.999Z' })
    await book.perceptions.update({ id, updates: { valid_until: '2199-07-01' } })
    expect(await book.records.get({ id })).toMatchObject({ valid_until: '2199-07-02T03:59:59.999Z' })
    const { token } = await book.tokens.grant({
      scope: '**',
      permissions: ['read'],
      granted_to: 'guest',
      not_before: '2199-07-01',
      expires_at: '2199-07-01',
    })
    expect(token).toMatchObject({
      not_before: '2199-07-01T04:00:00.000Z',
      expires_at: '2199-07-02T03:59:59.999Z',
    })
    await book.accessKeys.create({ name: 'k', permissions: ['read'], expires_at: '2199-12-31' })
    expect((await book.accessKeys.list()).keys).toMatchObject([{ expires_at: '2200-01-01T04:59:59.999Z' }])
    const trace = await book.traces.store({ ...makeTrace(), timestamp: '2026-01-31' })
    expect(await book.traces.get({ id: trace.id })).toMatchObject({ timestamp: '2026-01-31T05:00:00.000Z' })
  })

  it('keeps what is valid until today, and drops what was valid until yesterday', async () => {
    const book = await open({ timeZone: 'Pacific/Kiritimati' })
    const day = (ago: number) => {
      // Fourteen hours ahead of UTC, all year.
      const ms = Date.now() + 14 * 3_600_000 - ago * 86_400_000
      return new Date(ms).toISOString().slice(0, 10)
    }
    await book.perceptions.store({ subject: 'a', content: 'until today', valid_until: day(0) })
    await book.perceptions.store({ subject: 'a', content: 'until yesterday', valid_until: day(1) })
    const { records } = await book.perceptions.get({ subject: 'a' })
    expect(records.map(({ content }) => content)).toEqual(['until today'])
  })

  it('takes the words for days in filters and in questions for days of its zone', async () => {
    const book = await open({ timeZone: 'Pacific/Kiritimati' })
    const local = Date.now() + 14 * 3_600_000
    const noon = (ago: number) => {
      const day = Math.floor(local / 86_400_000) - ago
      return new Date(day * 86_400_000 - 2 * 3_600_000).toISOString()
    }
    const trace = (id: string, ago: number) => ({ ...makeTrace(), id, timestamp: noon(ago) })
    await book.traces.storeMany({ traces: [trace('old', 20), trace('two', 2), trace('one', 1)] })
    expect(await found(book, { timestamp: 'yesterday' })).toEqual(['one'])
    expect(await found(book, { timestamp: { gte: 'yesterday' } })).toEqual(['one'])
    expect(await found(book, { timestamp: { lt: 'yesterday' } })).toEqual(['old', 'two'])
    expect(await found(book, { timestamp: { lte: 'yesterday', gte: '-7d' } })).toEqual(['two', 'one'])
    expect(await found(book, { timestamp: { gte: 'now' } })).toEqual([])
    expect(await found(book, { timestamp: ['today', 'yesterday'] })).toEqual(['one'])
    const recalled = async (text: string) => (await book.recall({ text })).hits.map(({ record }) => record.id)
    expect((await recalled('Which exercise was evaluated yesterday?'))[0]).toBe('one')
    const all = await book.recall({ text: 'recursion', filters: { timestamp: { gte: 'yesterday' } } })
    expect(all.hits.map(({ record }) => record.id)).toEqual(['one'])
  })

  it('refuses what is no instant where one is compared, with its path', async () => {
    const book = await open()
    await book.traces.store(makeTrace())
    const wrong: [filters: object, path: string][] = [
      [{ timestamp: { gte: 'last week' } }, 'filters.timestamp.gte'],
      [{ timestamp: 'soon' }, 'filters.timestamp'],
      [{ timestamp: { ne: 'soon' } }, 'filters.timestamp.ne'],
      [{ timestamp: ['2026-01-31', 'soon'] }, 'filters.timestamp.1'],
      [{ timestamp: { lt: 1_769_900_000_000 } }, 'filters.timestamp.lt'],
      [{ or: [{ created_at: { gt: '2026-02-30' } }] }, 'filters.or.0.created_at.gt'],
    ]
    for (const [filters, path] of wrong) {
      for (const ask of [
        () => book.traces.query({ filters: filters as never }),
        () => book.records.query({ filters: filters as never }),
        () => book.traces.count({ filters: filters as never }),
        () => book.recall({ text: 'deploy', filters: filters as never }),
      ]) {
        const { code, details } = await failure(ask())
        expect([filters, code, details['path']]).toEqual([filters, 'invalid-filter', path])
      }
    }
  })
}
