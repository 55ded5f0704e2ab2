// Storing under an id or a name that there is already: the same again changes nothing, and nothing else is changed unasked.
import { expect, it } from 'vitest'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'

export function knownIdCases({ book: open }: BookCase): void {
  it('keeps a trace that is stored again under its id, unless it is to be replaced', async () => {
    const book = await open()
    const trace = makeTrace({ id: 't', timestamp: '2026-01-31', session: 's-1' })
    await book.traces.store(trace)
    const { timestamp: _, ...untimed } = trace
    expect((await book.traces.store(trace)).id).toBe('t')
    expect((await book.traces.store(untimed)).id).toBe('t')
    const other = { ...trace, task: { goal: 'Another' } }
    const stated = { code: 'conflict', details: { path: 'id', id: 't' } }
    expect(await failure(book.traces.store(other))).toMatchObject(stated)
    expect(await failure(book.traces.store({ ...trace, session: 's-2' }))).toMatchObject(stated)
    expect(await failure(book.traces.store({ ...trace, sensitivity: 'public' }))).toMatchObject(stated)
    const among = await failure(book.traces.storeMany({ traces: [makeTrace({ id: 'u' }), other] }))
    expect(among).toMatchObject({ code: 'conflict', details: { path: 'traces.1.id' } })
    expect(await book.traces.get({ id: 'u' })).toBeNull()
    expect((await book.traces.history({ id: 't' })).versions).toHaveLength(1)
    await book.traces.store({ ...other, replace: true })
    expect(await book.traces.get({ id: 't' })).toMatchObject({ task: { goal: 'Another' } })
    expect((await book.traces.history({ id: 't' })).versions).toHaveLength(2)
  })

  it('keeps a perception that is stored again under its id, unless it is to be replaced', async () => {
    const book = await open()
    const perception = { id: 'p', subject: 'ana', content: 'Likes tea', confidence: 0.5 }
    await book.perceptions.store(perception)
    await book.perceptions.store(perception)
    const other = { ...perception, content: 'Likes coffee' }
    expect(await failure(book.perceptions.store(other))).toMatchObject({
      code: 'conflict',
      details: { path: 'id', id: 'p' },
    })
    expect((await book.perceptions.history({ id: 'p' })).versions).toHaveLength(1)
    await book.perceptions.store({ ...other, replace: true })
    expect((await book.perceptions.get({ subject: 'ana' })).records).toMatchObject([
      { content: 'Likes coffee' },
    ])
  })

  it('takes names of skills that read alike for one name', async () => {
    const book = await open()
    const composed = 'caf\u00e9'
    const apart = 'cafe\u0301'
    const { id } = await book.skills.store({ name: apart, definition: { procedure: 'Brew.' } })
    expect(await book.skills.get({ skillName: composed })).toMatchObject({ id, name: composed })
    const again = { name: composed, definition: { procedure: 'Brew slowly.' } }
    expect(await failure(book.skills.store(again))).toMatchObject({
      code: 'conflict',
      details: { path: 'name' },
    })
    expect(await book.skills.store({ ...again, replace: true })).toMatchObject({ id })
    expect(await book.skills.recordOutcome({ skillName: apart, outcome: true })).toMatchObject({ id })
    expect((await book.skills.query()).records).toHaveLength(1)
  })

  it('calls kinds by the name of one record and of several, everywhere', async () => {
    const book = await open()
    await book.traces.store(makeTrace())
    await book.perceptions.store({ content: 'Recursion is hard', subject: 'ana' })
    for (const kind of ['trace', 'traces']) {
      expect((await book.recall({ text: 'recursion', kinds: [kind] })).hits).toMatchObject([
        { record: { kind: 'trace' } },
      ])
      expect((await book.context({ text: 'recursion', kinds: [kind] })).items).toMatchObject([
        { kind: 'trace' },
      ])
      expect((await book.records.query({ kind })).records).toMatchObject([{ kind: 'trace' }])
      expect((await book.records.search({ kind, query: 'recursion' })).records).toHaveLength(1)
      expect((await book.records.count({ kind })).total).toBe(1)
    }
    expect((await book.records.query({ kind: 'trace_categories' })).records).toEqual([])
    const unknown = { code: 'invalid-input', details: { path: 'kinds.1' } }
    expect(await failure(book.recall({ text: 'a', kinds: ['traces', 'wishes'] }))).toMatchObject(unknown)
    expect(await failure(book.records.count({ kind: 'wishes' }))).toMatchObject({ details: { path: 'kind' } })
    expect(await failure(book.recall({ text: 'a', kinds: 'traces' as never }))).toMatchObject({
      code: 'invalid-input',
      details: { path: 'kinds' },
    })
  })
}
