// What every kind shares: querying any kind, counting, forgetting with what cites it, purging, restoring.
import { expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'

/** A trace, and one of each that cites it. */
async function citedTrace(book: Daybook) {
  const { id } = await book.traces.store(makeTrace({ timestamp: '2026-01-31' }))
  const { id: other } = await book.traces.store(makeTrace())
  const { id: linked } = await book.traces.store(makeTrace({ metadata: { linked_traces: [id, other] } }))
  const { id: sole } = await book.perceptions.store({ content: 'rests on it alone', evidence: [id] })
  const { id: shared } = await book.perceptions.store({ content: 'has more evidence', evidence: [other, id] })
  const learn = async (name: string, learned_from: object) =>
    (await book.skills.store({ name, definition: { procedure: 'p' }, learned_from })).id
  const learned = await learn('learned', { traces: [id] })
  const taught = await learn('taught', { traces: [id], explicit_training: true })
  return { id, other, linked, sole, shared, learned, taught }
}

export function removalCases({ book: open, reopen }: BookCase): void {
  it('queries any kind, and counts them all', async () => {
    const book = await open()
    expect(await book.stats()).toMatchObject({ total: 0, kinds: {}, dateRange: null })
    await citedTrace(book)
    await book.facts.store({ schema: 's', data: {} })
    const { records } = await book.records.query({ filters: { kind: { in: ['skill', 'fact'] } } })
    expect(records.map(({ kind }) => kind).sort()).toEqual(['fact', 'skill', 'skill'])
    const page = await book.records.query({ limit: 5, orderBy: 'kind' })
    expect(page.records.map(({ kind }) => kind)).toEqual([
      'fact',
      'perception',
      'perception',
      'skill',
      'skill',
    ])
    const rest = await book.records.query({ limit: 5, orderBy: 'kind', cursor: page.cursor })
    expect(rest.records.map(({ kind }) => kind)).toEqual(['trace', 'trace', 'trace'])
    const stats = await book.stats()
    expect(stats).toMatchObject({
      total: 8,
      kinds: {
        trace: { count: 3, earliest: '2026-01-31T00:00:00.000Z' },
        perception: { count: 2 },
        skill: { count: 2 },
      },
      dateRange: { earliest: '2026-01-31T00:00:00.000Z', latest: expect.any(String) as string },
      index: { behind: 0 },
    })
    expect(stats.bytes).toBeGreaterThan(0)
    expect((await failure(book.records.query({ kind: 'nothing' }))).details['path']).toBe('kind')
  })

  it('says what cites a forgotten record, and lets it point nowhere', async () => {
    const book = await open()
    const { id, linked, sole, shared, learned, taught } = await citedTrace(book)
    const said = await book.traces.forget({ id })
    expect(said).toMatchObject({ forgotten: true, citedBy: [linked, sole, shared, learned, taught] })
    expect(said.citations).toContainEqual({ id: linked, kind: 'trace', path: 'metadata.linked_traces' })
    expect(said.citations).toContainEqual({ id: learned, kind: 'skill', path: 'learned_from.traces' })
    expect(said).toMatchObject({ released: [], alsoForgotten: [] })
    expect(await book.records.get({ id: sole })).toMatchObject({ evidence: [id] })
  })

  it('forgets with cascade what rested on it alone, and clears every other citation', async () => {
    const book = await open()
    const { id, other, linked, sole, shared, learned, taught } = await citedTrace(book)
    const said = await book.traces.forget({ id, cascade: true })
    expect({
      ...said,
      released: said.released.toSorted(),
      alsoForgotten: said.alsoForgotten.toSorted(),
    }).toMatchObject({
      forgotten: true,
      released: [linked, shared, taught].toSorted(),
      alsoForgotten: [sole, learned].toSorted(),
    })
    expect(await book.records.get({ id: sole })).toBeNull()
    expect(await book.records.get({ id: learned })).toBeNull()
    expect(await book.records.get({ id: shared })).toMatchObject({ evidence: [other] })
    expect(await book.records.get({ id: linked })).toMatchObject({ metadata: { linked_traces: [other] } })
    expect(await book.records.get({ id: taught })).toMatchObject({ learned_from: { traces: [] } })
    expect((await book.traces.forget({ id: other, cascade: true })).alsoForgotten).toEqual([shared])
    const { id: old } = await book.facts.store({ schema: 's', data: {} })
    const { id: now } = await book.facts.supersede({ id: old, data: {} })
    expect(await book.facts.forget({ id: old, cascade: true })).toMatchObject({
      released: [now],
      alsoForgotten: [],
    })
    expect(await book.records.get({ id: now })).not.toHaveProperty('supersedes')
  })

  it('restores an earlier version, and says why it cannot', async () => {
    const book = await open()
    const { id } = await book.perceptions.store({ content: 'first', confidence: 0.4 })
    await book.perceptions.update({ id, updates: { content: 'second' } })
    await book.records.restore({ id, version: 1 })
    expect(await book.records.get({ id })).toMatchObject({ content: 'first', confidence: 0.4 })
    const { versions } = await book.records.history({ id })
    expect(versions.map(({ version, body }) => [version, body?.['content']])).toEqual([
      [1, 'first'],
      [2, 'second'],
      [3, 'first'],
    ])
    expect(await failure(book.records.restore({ id, version: 9 }))).toMatchObject({
      code: 'not-found',
      details: { path: 'version' },
    })
    expect(await failure(book.records.restore({ id: 'nobody', version: 1 }))).toMatchObject({
      details: { path: 'id' },
    })
    await book.perceptions.forget({ id })
    const forgotten = await failure(book.records.restore({ id, version: 1 }))
    expect(forgotten).toMatchObject({ code: 'conflict', details: { path: 'id' } })
  })

  it('takes what calls answered about its marks along with a forget, and no other answer', async () => {
    const book = await open()
    const store = () => book.perceptions.store({ content: 'c' }, { requestId: 'r-1' })
    const { id } = await store()
    const mark = (of: string, requestId: string) =>
      book.records.mark({ id: of, collection: 'Zanzibar' }, { requestId })
    const { id: other } = await book.perceptions.store({ content: 'd' })
    for (const [of, requestId] of [
      [id, 'r-2'],
      [other, 'r-3'],
    ] as const)
      await mark(of, requestId)
    expect((await mark(id, 'r-2')).marks).toEqual({ collection: 'Zanzibar' })
    await book.records.forget({ id })
    expect(await failure(mark(id, 'r-2'))).toMatchObject({
      code: 'conflict',
      details: { path: 'requestId', reason: 'answer-erased' },
    })
    expect((await mark(other, 'r-3')).marks).toEqual({ collection: 'Zanzibar' })
    expect((await store()).id).toBe(id)
  })

  it('purges: nothing of the content is left, and the tombstone stays', async () => {
    const book = await open()
    const store = () => book.perceptions.store({ content: 'Zanzibar is the password' }, { requestId: 'r-1' })
    const { id } = await store()
    await book.perceptions.update({ id, updates: { content: 'Zanzibar it was' } })
    expect(await book.records.purge({ id })).toMatchObject({ purged: true, citedBy: [] })
    expect(await book.records.get({ id })).toBeNull()
    expect(await book.records.history({ id })).toMatchObject({ versions: [{ op: 'forget' }] })
    expect((await book.recall({ text: 'Zanzibar' })).hits).toEqual([])
    expect(await book.records.purge({ id })).toMatchObject({ purged: true })
    expect(await book.records.purge({ id: 'nobody' })).toMatchObject({ purged: false })
    const again = await reopen(book)
    expect(await again.records.get({ id })).toBeNull()
    expect((await again.stats()).total).toBe(0)
    const { id: trace } = await again.traces.store(makeTrace())
    const { id: sole } = await again.perceptions.store({ content: 'c', evidence: [trace] })
    expect(await again.records.purge({ id: trace, cascade: true })).toMatchObject({ alsoForgotten: [sole] })
    expect(await again.records.history({ id: sole })).toMatchObject({ versions: [{ op: 'forget' }] })
  })
}
