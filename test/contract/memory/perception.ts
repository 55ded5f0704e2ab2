// Perceptions: what is held about a subject, how surely, on what evidence and until when.
import { expect, it } from 'vitest'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'

export function perceptionCases({ book: open }: BookCase): void {
  it('stores perceptions and gets them by subject, the surest first', async () => {
    const book = await open()
    const { id: trace } = await book.traces.store(makeTrace())
    const store = (content: string, more: object = {}) =>
      book.perceptions.store({ subject: 'student-123', content, ...more })
    const { id, storedAt } = await store('Learns best from pictures', { confidence: 0.8, evidence: [trace] })
    await store('Is often late', { confidence: 0.3, type: 'habit' })
    await store('Wants to be a teacher')
    await book.perceptions.store({ subject: 'student-124', content: 'Another one', confidence: 0.9 })
    expect(await book.records.get({ id })).toEqual({
      id,
      kind: 'perception',
      type: 'observation',
      subject: 'student-123',
      confidence: 0.8,
      content: 'Learns best from pictures',
      evidence: [trace],
      agent: 'contract',
      created_at: storedAt,
      updated_at: storedAt,
      ver: expect.any(Number) as number,
    })
    const about = async (minConfidence?: number) => {
      const { records } = await book.perceptions.get({
        subject: 'student-123',
        ...(minConfidence && { minConfidence }),
      })
      return records.map(({ confidence }) => confidence)
    }
    expect(await about()).toEqual([1, 0.8, 0.3])
    expect(await about(0.8)).toEqual([1, 0.8])
    const { records } = await book.perceptions.query({ filters: { type: 'habit' } })
    expect(records.map(({ content }) => content)).toEqual(['Is often late'])
    expect(
      (await book.recall({ text: 'who learns from pictures?' })).hits.map(({ record }) => record.id),
    ).toEqual([id])
  })

  it('changes some fields of a perception, and says whether there was one', async () => {
    const book = await open()
    const { id } = await book.perceptions.store({
      subject: 's',
      content: 'before',
      confidence: 0.5,
      valid_until: '2999-01-01',
    })
    expect(await book.perceptions.update({ id, updates: { confidence: 0.9, valid_until: null } })).toEqual({
      id,
      updated: true,
    })
    expect(await book.records.get({ id })).toMatchObject({ subject: 's', content: 'before', confidence: 0.9 })
    expect(await book.records.get({ id })).not.toHaveProperty('valid_until')
    expect((await book.perceptions.history({ id })).versions.map(({ body }) => body?.['confidence'])).toEqual(
      [0.5, 0.9],
    )
    expect(await book.perceptions.update({ id: 'nobody', updates: {} })).toEqual({
      id: 'nobody',
      updated: false,
    })
    const { id: trace } = await book.traces.store(makeTrace())
    expect(await book.perceptions.update({ id: trace, updates: { content: 'x' } })).toMatchObject({
      updated: false,
    })
    const error = await failure(book.perceptions.update({ id, updates: { confidence: 2 } }))
    expect(error).toMatchObject({ code: 'invalid-input', details: { path: 'updates.confidence' } })
  })

  it('leaves out what is past its valid_until, but keeps it readable', async () => {
    const book = await open()
    const store = (content: string, valid_until?: string) =>
      book.perceptions.store({ subject: 'door', content, ...(valid_until && { valid_until }) })
    const { id } = await store('The door is open', '2026-01-31T15:00:00+01:00')
    const { id: later } = await store('The door is blue', '2999-12-31')
    const { id: ever } = await store('The door is wooden')
    const ids = (page: { records: { id: string }[] }) => page.records.map((record) => record.id).sort()
    const current = [later, ever].sort()
    const all = [id, ...current].sort()
    expect(ids(await book.perceptions.get({ subject: 'door' }))).toEqual(current)
    expect(ids(await book.perceptions.query())).toEqual(current)
    expect(ids(await book.records.query({ kind: 'perception' }))).toEqual(current)
    expect(ids(await book.records.query())).toEqual(current)
    expect((await book.recall({ text: 'the door' })).hits.map(({ record }) => record.id).sort()).toEqual(
      current,
    )
    expect(ids(await book.perceptions.get({ subject: 'door', includeExpired: true }))).toEqual(all)
    expect(ids(await book.perceptions.query({ includeExpired: true }))).toEqual(all)
    expect(ids(await book.records.query({ includeExpired: true }))).toEqual(all)
    expect(await book.records.get({ id })).toMatchObject({ valid_until: '2026-01-31T14:00:00.000Z' })
    await book.perceptions.update({ id, updates: { valid_until: '2999-01-01' } })
    expect(ids(await book.perceptions.get({ subject: 'door' }))).toEqual(all)
    const untilNewYear = { filters: { valid_until: { lte: '2999-01-01' } } }
    expect(ids(await book.perceptions.query(untilNewYear))).toEqual([id])
  })

  it.each([
    ['no content', { subject: 's' }, 'content'],
    ['a confidence above 1', { content: 'c', confidence: 1.1 }, 'confidence'],
    ['a wrong time', { content: 'c', valid_until: 'tomorrow' }, 'valid_until'],
    ['evidence that is no id', { content: 'c', evidence: ['../x'] }, 'evidence.0'],
  ])('refuses a perception with %s', async (_what, input, path) => {
    const book = await open()
    const error = await failure(book.call('kstar:store_perception', input as never))
    expect(error).toMatchObject({ code: 'invalid-input', details: { path } })
    expect((await book.stats()).total).toBe(0)
  })
}
