// Marks: what is said of a record without changing it, shown with it and going with it.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'

const trace = (id: string, over: object = {}) => ({ ...makeTrace(), id, ...over })
const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id)
const exported = async (book: Daybook, options?: Parameters<Daybook['export']>[0]) =>
  new Response(await book.export(options)).text()

export function markCases({ book: open, reopen }: BookCase): void {
  describe('marks', () => {
    it('are shown with their record by every read, and taken away by null', async () => {
      let book = await open()
      await book.traces.storeMany({ traces: [trace('a'), trace('b')] })
      const { marks, undo } = await book.records.mark({
        id: 'a',
        pinned: true,
        importance: 0.8,
        personal: true,
        keep: true,
        collection: 'People/Alice',
      })
      const all = { pinned: true, importance: 0.8, personal: true, keep: true, collection: 'People/Alice' }
      expect(marks).toEqual(all)
      expect(undo).toEqual({
        id: 'a',
        pinned: null,
        importance: null,
        personal: null,
        keep: null,
        collection: null,
      })
      book = await reopen(book)
      expect((await book.traces.get({ id: 'a' }))?.marks).toEqual(all)
      expect((await book.traces.get({ id: 'b' }))?.marks).toBeUndefined()
      const { records } = await book.traces.query({ orderBy: 'id' })
      expect(records.map((one) => one.marks)).toEqual([all, undefined])
      const { hits } = await book.recall({ text: 'recursion exercise', distinct: false })
      expect(hits.find(({ record }) => record.id === 'a')?.record.marks).toEqual(all)
      const found = await book.traces.search({ query: 'recursion', filters: { 'marks.keep': true } })
      expect(found.records.map((one) => [one.id, one.marks])).toEqual([['a', all]])
      const less = await book.records.mark({ id: 'a', personal: null, keep: null, importance: 1 })
      expect(less.marks).toEqual({ pinned: true, importance: 1, collection: 'People/Alice' })
      expect(less.undo).toEqual({ id: 'a', personal: true, keep: true, importance: 0.8 })
      expect((await book.records.mark(less.undo)).marks).toEqual(all)
      expect((await book.records.mark(undo)).marks).toEqual({})
      expect((await book.records.get({ id: 'a' }))?.marks).toBeUndefined()
      expect((await book.traces.query({ filters: { 'marks.pinned': true } })).records).toEqual([])
    })

    it('stay with their record when it is changed, and leave its versions alone', async () => {
      const book = await open()
      const { result: _, ...open_ } = makeTrace()
      await book.traces.store({ ...open_, id: 'a' })
      await book.records.mark({ id: 'a', pinned: true })
      const version = (await book.records.history({ id: 'a' })).versions.length
      await book.traces.complete({ id: 'a', result: { success: true, outcome: {}, side_effects: [] } })
      expect((await book.records.get({ id: 'a' }))?.marks).toEqual({ pinned: true })
      const { versions } = await book.records.history({ id: 'a' })
      expect(versions).toHaveLength(version + 1)
      expect(versions.every(({ body }) => body && !('marks' in body))).toBe(true)
    })

    it('refuse a collection that leads out of itself or hides in itself, and change nothing', async () => {
      const book = await open()
      await book.traces.store(trace('a'))
      await book.records.mark({ id: 'a', collection: 'People' })
      for (const collection of ['../x', 'People/..', './x', 'People/ Alice', 'Pe\u0000ople', 'a//b', '']) {
        const { code, details } = await failure(book.records.mark({ id: 'a', collection }))
        expect([collection, code, details['path']]).toEqual([collection, 'invalid-input', 'collection'])
      }
      expect((await book.records.get({ id: 'a' }))?.marks).toEqual({ collection: 'People' })
    })

    it('are listed by collection with what is below it, and by each of them', async () => {
      const book = await open()
      await book.traces.storeMany({ traces: ['a', 'b', 'c', 'd', 'e'].map((id) => trace(id)) })
      const { id: fact } = await book.facts.store({ schema: 's', data: { a: 1 } })
      await book.records.mark({ id: 'a', collection: 'People' })
      await book.records.mark({ id: 'b', collection: 'People/Alice', pinned: true })
      await book.records.mark({ id: 'c', collection: 'People0' })
      await book.records.mark({ id: 'd', importance: 0.9, keep: false })
      await book.records.mark({ id: fact, collection: 'People/Bob', personal: true })
      const list = async (query: Parameters<Daybook['records']['marks']>[0]) =>
        ids((await book.records.marks(query)).records).toSorted()
      expect(await list({ collection: 'People' })).toEqual(['a', 'b', fact].toSorted())
      expect(await list({ collection: 'People', kind: 'trace' })).toEqual(['a', 'b'])
      expect(await list({ pinned: true })).toEqual(['b'])
      expect(await list({ minImportance: 0.5 })).toEqual(['d'])
      expect(await list({ keep: false })).toEqual(['d'])
      expect(await list({ personal: true, collection: 'People' })).toEqual([fact])
      expect(await list({})).toEqual(['a', 'b', 'c', 'd', fact].toSorted())
      const first = await book.records.marks({ limit: 2 })
      const rest = await book.records.marks({ limit: 100, cursor: first.cursor ?? '' })
      expect([...ids(first.records), ...ids(rest.records)].toSorted()).toEqual(await list({}))
      // They are listed among the records only where they are asked for.
      expect((await book.records.query({})).records.some(({ kind }) => kind === 'mark')).toBe(false)
    })

    it('lift what is pinned or important above its equals in recall', async () => {
      const book = await open()
      const goal = (id: string) =>
        trace(id, { task: { goal: 'Water the ficus in the hall', constraints: [] } })
      await book.traces.storeMany({ traces: [goal('one'), goal('two'), goal('three')] })
      const order = async () => {
        const { hits } = await book.recall({ text: 'ficus hall', distinct: false })
        return ids(hits.map(({ record }) => record))
      }
      expect((await order())[0]).toBe('three')
      const { undo } = await book.records.mark({ id: 'one', pinned: true })
      expect((await order())[0]).toBe('one')
      await book.records.mark(undo)
      expect((await order())[0]).toBe('three')
      await book.records.mark({ id: 'two', importance: 1 })
      expect((await order())[0]).toBe('two')
      const { hits } = await book.recall({ text: 'ficus hall', distinct: false })
      expect(hits[0]?.because).toMatchObject({ importance: 1, pin: 0 })
    })

    it('go with their record, and nothing of them is left', async () => {
      const book = await open()
      await book.traces.storeMany({ traces: [trace('a'), trace('b')] })
      await book.records.mark({ id: 'a', collection: 'Zanzibar' })
      await book.records.mark({ id: 'b', collection: 'Zanzibar' })
      const mark = (await book.records.query({ kind: 'mark' })).records
      expect(mark.map(({ kind }) => kind)).toEqual(['mark', 'mark'])
      await book.records.forget({ id: 'a' })
      await book.records.purge({ id: 'b' })
      expect((await book.records.query({ kind: 'mark' })).records).toEqual([])
      expect((await book.records.marks({})).records).toEqual([])
      for (const { id } of mark) expect(await book.records.get({ id })).toBeNull()
      const { versions } = await book.records.history({ id: mark.at(-1)?.id ?? '' })
      expect(JSON.stringify(versions)).not.toContain('Zanzibar')
      expect(await exported(book)).not.toContain('Zanzibar')
    })

    it('leave and enter in a bundle beside their record, and with no other', async () => {
      const book = await open()
      await book.traces.storeMany({
        traces: [
          trace('old', { timestamp: '2026-01-01T12:00:00Z' }),
          trace('new', { timestamp: '2026-02-01T12:00:00Z' }),
        ],
      })
      const { id: fact } = await book.facts.store({ schema: 's', data: { a: 1 } })
      await book.records.mark({ id: 'old', collection: 'Old' })
      await book.records.mark({ id: 'new', pinned: true, collection: 'New' })
      await book.records.mark({ id: fact, collection: 'Facts' })
      const some = await exported(book, { kinds: ['traces'], from: '2026-02-01' })
      expect([some.includes('"New"'), some.includes('"Old"'), some.includes('"Facts"')]).toEqual([
        true,
        false,
        false,
      ])
      const other = await open()
      await other.import(some)
      expect((await other.records.get({ id: 'new' }))?.marks).toEqual({ pinned: true, collection: 'New' })
      const whole = await open()
      await whole.import(await exported(book))
      expect((await whole.records.get({ id: fact }))?.marks).toEqual({ collection: 'Facts' })
      // What was forgotten stays so, and its marks do not come back without it.
      await other.records.forget({ id: 'new' })
      await other.import(some)
      expect((await other.records.query({ kind: 'mark' })).records).toEqual([])
    })

    it('are refused where there is nothing to mark, with a path, and then nothing is changed', async () => {
      const book = await open()
      await book.traces.storeMany({ traces: [trace('a'), trace('gone')] })
      await book.records.mark({ id: 'a', pinned: true })
      await book.records.forget({ id: 'gone' })
      const mark = (await book.records.query({ kind: 'mark' })).records[0]?.id ?? ''
      const wrong: [input: object, code: string, path: string][] = [
        [{ id: 'nobody', pinned: true }, 'not-found', 'id'],
        [{ id: 'gone', pinned: true }, 'not-found', 'id'],
        [{ id: mark, pinned: true }, 'invalid-input', 'id'],
        [{ id: 'a' }, 'invalid-input', 'id'],
        [{ id: 'a', importance: 1.5 }, 'invalid-input', 'importance'],
        [{ id: 'a', collection: '' }, 'invalid-input', 'collection'],
        [{ id: 'a', collection: 'People//Alice' }, 'invalid-input', 'collection'],
        [{ id: 'a', pinned: 'yes' }, 'invalid-input', 'pinned'],
      ]
      for (const [input, code, path] of wrong) {
        const error = await failure(book.records.mark(input as never))
        expect([input, error.code, error.details['path']]).toEqual([input, code, path])
      }
      expect((await book.records.marks({})).records.map((one) => [one.id, one.marks])).toEqual([
        ['a', { pinned: true }],
      ])
    })

    it('of a guest are where a record belongs and how much it weighs, on what it reaches to write', async () => {
      const book = await open()
      await book.traces.storeMany({
        traces: [
          trace('mine', { situation: { domain: 'garden', context: {} } }),
          trace('other', { situation: { domain: 'kitchen', context: {} } }),
        ],
      })
      await book.records.mark({ id: 'other', collection: 'Hidden' })
      await book.records.mark({ id: 'mine', pinned: true })
      const grant = async (...permissions: string[]) =>
        (
          await book.tokens.grant({
            scope: 'trace:garden',
            permissions,
            granted_to: 'gardener',
            expires_at: '2199-01-01',
          })
        ).token.token_id
      const as = await grant('read', 'write')
      const { marks } = await book.records.mark({ id: 'mine', importance: 0.7, collection: 'Plants' }, { as })
      expect(marks).toEqual({ pinned: true, importance: 0.7, collection: 'Plants' })
      for (const own of [{ pinned: false }, { pinned: null }, { keep: true }, { personal: true }]) {
        const error = await failure(book.records.mark({ id: 'mine', ...own }, { as }))
        expect([error.code, error.details['path']]).toEqual(['forbidden', Object.keys(own)[0]])
      }
      expect((await failure(book.records.mark({ id: 'other', importance: 1 }, { as }))).code).toBe(
        'not-found',
      )
      const reader = await grant('read')
      expect((await failure(book.records.mark({ id: 'mine', importance: 1 }, { as: reader }))).code).toBe(
        'forbidden',
      )
      const listed = await book.records.marks({}, { as: reader })
      expect(listed.records.map((one) => [one.id, one.marks])).toEqual([['mine', marks]])
      expect((await book.records.query({ kind: 'mark' }, { as })).records).toEqual([])
      expect((await book.records.get({ id: 'mine' }))?.marks).toEqual(marks)
    })
  })
}

export function sealedMarkCases({ book: open, reopen }: BookCase): void {
  it('seals the marks of a sensitive record as it is sealed, before and after it became so', async () => {
    const passphrase = 'correct horse battery'
    let book = await open({ passphrase })
    await book.traces.storeMany({ traces: [trace('a'), trace('b', { sensitivity: 'sensitive' })] })
    await book.records.mark({ id: 'a', collection: 'Zanzibar/One', importance: 1 })
    await book.records.mark({ id: 'b', collection: 'Zanzibar/Two', pinned: true })
    await book.records.setSensitivity({ id: 'a', sensitivity: 'sensitive' })
    const seen = async () =>
      (await book.records.marks({ collection: 'Zanzibar' })).records
        .map((one) => [one.id, one.marks])
        .toSorted()
    const both = [
      ['a', { collection: 'Zanzibar/One', importance: 1 }],
      ['b', { collection: 'Zanzibar/Two', pinned: true }],
    ]
    expect(await seen()).toEqual(both)
    expect((await book.traces.get({ id: 'a' }))?.marks).toEqual(both[0]?.[1])
    const marks = (await book.records.query({ kind: 'mark' })).records
    expect(marks.map(({ sensitivity }) => sensitivity)).toEqual(['sensitive', 'sensitive'])
    await book.seal.lock()
    expect(await exported(book, { includeSensitive: false })).not.toContain('Zanzibar')
    expect((await failure(book.records.mark({ id: 'b', pinned: false }))).code).toBe('locked')
    book = await reopen(book, { passphrase })
    expect(await seen()).toEqual(both)
    await book.records.setSensitivity({ id: 'a', sensitivity: 'standard' })
    expect(await seen()).toEqual(both)
    const { records } = await book.records.query({ kind: 'mark', orderBy: 'record' })
    expect(records.map((one) => one.sensitivity ?? 'standard')).toEqual(['standard', 'sensitive'])
  })
}
