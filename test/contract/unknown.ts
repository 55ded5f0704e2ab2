// Records that only a later Daybook knows how to read: of a kind that is not known here, or with a body of another shape.
import { expect, it } from 'vitest'
import { grant } from './access/token-grant.ts'
import { type BookCase, failure } from './book-case.ts'

const at = '2026-01-31T15:00:00.000Z'
const put = (seq: number, id: string, kind: string, body: string) =>
  `INSERT INTO records (seq, id, kind, agent, created_at, updated_at, stamp, body)
   VALUES (${seq}, '${id}', '${kind}', 'a', '${at}', '${at}', '019c14916980-0000-d_b', '${body}')`

const later = { wish: 'a greenhouse', parts: [{ glass: 12 }] }

export function unknownCases({ book: open, alter }: BookCase): void {
  const withLater = async () =>
    alter(await open(), [
      put(1, 'w-1', 'wish', JSON.stringify(later)),
      put(2, 't-1', 'trace', '{"said":"otherwise"}'),
    ])

  it('lists and counts records of a kind that it does not know, as they are', async () => {
    const book = await withLater()
    const { records } = await book.records.query()
    expect(records.find(({ id }) => id === 'w-1')).toMatchObject({ kind: 'wish', ...later })
    expect((await book.records.query({ kind: 'wish' })).records).toHaveLength(1)
    expect((await book.stats()).kinds).toMatchObject({ wish: { count: 1, earliest: at, latest: at } })
    expect((await book.stats()).total).toBe(2)
    expect((await book.recall({ text: 'a greenhouse' })).hits).toEqual([])
    expect(await failure(book.records.query({ kind: 'wishes' }))).toMatchObject({ details: { path: 'kind' } })
  })

  it('exports them, and imports them as they were', async () => {
    const book = await withLater()
    const { text } = await book.bundles.export({ kinds: ['wish'] })
    const whole = await book.bundles.export({})
    expect(whole.text).toContain('"other:wish":[')
    const other = await open()
    for (const expected of [{ imported: 1 }, { imported: 0, unchanged: 1 }])
      expect(await other.bundles.import({ text })).toMatchObject({ result: expected })
    const known = await book.records.get({ id: 'w-1' })
    // A mirror gives its own version.
    expect(await other.records.get({ id: 'w-1' })).toEqual({ ...known, ver: expect.any(Number) as number })
    expect((await other.stats()).kinds).toMatchObject({ wish: { count: 1 } })
  })

  it('reads a body that it does not understand, and changes nothing of it', async () => {
    const book = await withLater()
    expect(await book.traces.linked({ id: 't-1' })).toEqual({ to: [], from: [] })
    const refused = await failure(book.traces.complete({ id: 't-1', result: { success: true } }))
    expect(refused).toMatchObject({ code: 'record-newer', retry: false, details: { path: 'id', id: 't-1' } })
    expect(await book.traces.get({ id: 't-1' })).toMatchObject({ said: 'otherwise' })
    expect(await book.records.forget({ id: 't-1' })).toMatchObject({ forgotten: true })
  })

  it('shows a guest nothing of a kind that it does not know', async () => {
    const book = await withLater()
    const { token } = await grant(book, { scope: '**', permissions: ['read'] })
    const as = { as: token.token_id }
    expect(await book.records.get({ id: 'w-1' }, as)).toBeNull()
    expect((await book.records.query({}, as)).records.map(({ kind }) => kind)).toEqual(['trace'])
    expect((await book.stats({}, as)).kinds).not.toHaveProperty('wish')
  })
}
