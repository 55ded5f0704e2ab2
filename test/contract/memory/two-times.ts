// Two times of a statement: when it is true in the world, and when the book learned it.
import { expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { type BookCase, failure } from '../book-case.ts'

const named = async (book: Daybook, times: { at?: string; knownAt?: string } = {}) => {
  const { hits } = await book.recall({ text: 'rent', distinct: false, ...times })
  return hits.map(({ record }) => (record as unknown as { data: { rent: number } }).data.rent).sort()
}
const rent = (amount: number, valid_from?: string) => ({
  data: { rent: amount },
  ...(valid_from && { valid_from }),
})
const createdAt = async (book: Daybook, id: string) => (await book.records.get({ id }))?.created_at ?? ''

export function twoTimesCases({ book: open }: BookCase): void {
  it('recalls as the world was, also by knowledge that came late, and closes a validity by its successor', async () => {
    const book = await open()
    const { id: first } = await book.facts.store({ schema: 'flat', ...rent(900, '2025-01-01') })
    const { id: next } = await book.facts.supersede({ id: first, ...rent(1000, '2025-06-01') })
    expect(await named(book)).toEqual([1000])
    expect(await named(book, { at: '2024-12-31' })).toEqual([])
    expect(await named(book, { at: '2025-05-31' })).toEqual([900])
    expect(await named(book, { at: '2025-06-01' })).toEqual([1000])
    // The book learns that the rent had risen two months earlier.
    await book.facts.supersede({ id: next, ...rent(1000, '2025-04-01') })
    expect(await named(book, { at: '2025-03-31' })).toEqual([900])
    expect(await named(book, { at: '2025-04-15' })).toEqual([1000])
    expect((await book.context({ text: 'rent', at: '2025-03-31' })).items).toHaveLength(1)
  })

  it('recalls as the book knew, alone and together with a time of the world', async () => {
    const book = await open()
    const { id: first } = await book.facts.store({ schema: 'flat', ...rent(900, '2025-01-01') })
    const before = await createdAt(book, first)
    // Until the clock of the host has moved on.
    let later = before
    while (later === before) {
      const { id } = await book.perceptions.store({ content: 'tick' })
      later = await createdAt(book, id)
    }
    const { id: next } = await book.facts.supersede({ id: first, ...rent(1000, '2025-03-01') })
    const after = await createdAt(book, next)
    expect(await named(book, { at: '2025-03-15' })).toEqual([1000])
    expect(await named(book, { at: '2025-03-15', knownAt: before })).toEqual([900])
    expect(await named(book, { knownAt: before })).toEqual([900])
    expect(await named(book, { at: '2025-03-15', knownAt: after })).toEqual([1000])
    expect(await named(book, { knownAt: '2000-01-01' })).toEqual([])
    await book.records.forget({ id: next })
    expect(await named(book, { at: '2025-03-15', knownAt: after })).toEqual([900])
  })

  it('leaves out what is not valid yet, and what it will supersede stays until then', async () => {
    const book = await open()
    const { id: first } = await book.facts.store({ schema: 'flat', ...rent(900) })
    const { id: next } = await book.facts.supersede({ id: first, ...rent(1000, '2999-01-01') })
    expect(await named(book)).toEqual([900])
    expect(await named(book, { at: '2999-01-02' })).toEqual([1000])
    const ids = (page: { records: { id: string }[] }) => page.records.map(({ id }) => id)
    expect(ids(await book.facts.get({ schema: 'flat' }))).toEqual([first])
    expect(ids(await book.facts.query({ includeExpired: true })).sort()).toEqual([first, next].sort())
    const answer = await book.recall.explain({ text: 'rent', id: next })
    expect(answer).toMatchObject({
      outcome: 'missed',
      reasons: [{ code: 'not-yet-valid', at: '2999-01-01T00:00:00.000Z' }],
      suggestions: [{ code: 'other-time', set: { at: '2999-01-01T00:00:00.000Z' }, rank: 1 }],
    })
    const unknown = await book.recall.explain({ text: 'rent', id: first, knownAt: '2000-01-01' })
    expect(unknown).toMatchObject({
      reasons: [{ code: 'out-of-scope', option: 'knownAt' }],
      suggestions: [{ code: 'remove-filter', remove: ['knownAt'], rank: 1 }],
    })
  })

  it('refuses a validity that ends before it begins, with its path', async () => {
    const book = await open()
    const never = { valid_from: '2026-03-02', valid_until: '2026-03-01' }
    const { id } = await book.perceptions.store({ content: 'rent', valid_from: '2026-03-02' })
    const { id: fact } = await book.facts.store({ schema: 'flat', ...rent(900) })
    for (const [promise, path] of [
      [book.perceptions.store({ content: 'rent', ...never }), 'valid_until'],
      [book.perceptions.update({ id, updates: { valid_until: '2026-03-01' } }), 'updates.valid_until'],
      [book.facts.store({ schema: 'flat', ...rent(1), ...never }), 'valid_until'],
      [book.facts.supersede({ id: fact, ...rent(1), ...never }), 'valid_until'],
    ] as const)
      expect(await failure(promise)).toMatchObject({ code: 'invalid-input', details: { path } })
    // One day is no empty validity.
    await book.perceptions.update({ id, updates: { valid_until: '2026-03-02' } })
  })

  it('reads dates and times without a zone in the zone of the book', async () => {
    const book = await open({ timeZone: 'America/New_York' })
    const { id } = await book.perceptions.store({
      content: 'The office is in Ghent',
      valid_from: '2026-03-01',
      valid_until: '2026-07-01T09:00',
    })
    expect(await book.records.get({ id })).toMatchObject({
      valid_from: '2026-03-01T05:00:00.000Z',
      valid_until: '2026-07-01T13:00:00.000Z',
    })
    const count = async (at: string) => (await book.recall({ text: 'office', at })).hits.length
    expect(await count('2026-03-01T00:00')).toBe(1)
    expect(await count('2026-03-01T00:00Z')).toBe(0)
    expect(await count('2026-07-01T08:59')).toBe(1)
    expect(await count('2026-07-01T09:00')).toBe(0)
  })
}
