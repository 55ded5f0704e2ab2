// Records that only a later Daybook knows how to read: of a kind that is not known here, or with a body of another shape.
import { expect, it } from 'vitest'
import { isUnderstood } from '../../src/core/capability/understood.ts'
import { pluralOf } from '../../src/core/kind.ts'
import { fieldsOf } from '../../src/core/schema.ts'
import { kinds } from '../../src/engine/capability-table.ts'
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

  it('imports its own bundle with a body that it does not understand, as it was', async () => {
    const book = await withLater()
    const known = await book.records.get({ id: 't-1' })
    const clear = await book.bundles.export({})
    const encrypted = await book.bundles.export({ passphrase: 'correct horse battery' })
    for (const [{ text }, more] of [
      [clear, {}],
      [encrypted, { passphrase: 'correct horse battery' }],
    ] as const)
      for (const mode of ['merge', 'replace'] as const) {
        const other = await open()
        expect((await other.bundles.verify({ text, ...more })).result).toMatchObject({ counts: { trace: 1 } })
        for (const expected of [{ imported: 2 }, { imported: 0, unchanged: 2 }])
          expect((await other.bundles.import({ text, mode, ...more })).result).toMatchObject(expected)
        expect(await other.records.get({ id: 't-1' })).toEqual({
          ...known,
          ver: expect.any(Number) as number,
        })
      }
  })

  it('imports such bodies of every kind as they were, but for what only the owner decides', async () => {
    const empty = await open()
    const lists = JSON.parse((await empty.bundles.export({})).text) as { memory: object }
    const listed = [...kinds.values()].filter((kind) => Object.hasOwn(lists.memory, pluralOf(kind)))
    const bodies = listed
      .flatMap((kind) => {
        const fields = [...(fieldsOf(kind.schema) ?? [])].map((name) => [name, { newer: [name] }] as const)
        return [
          { kind, body: { said: 'otherwise' } },
          { kind, body: Object.fromEntries(fields) },
        ]
      })
      .filter(({ kind, body }) => !isUnderstood(kind, body))
    const rows = bodies.map(({ kind: { name }, body }, i) => put(i + 1, `n-${i}`, name, JSON.stringify(body)))
    const book = await alter(empty, rows)
    const { text } = await book.bundles.export({})
    const written = (JSON.parse(text) as { memory: object }).memory
    const isUndecided = bodies.filter(({ kind }) => kind.undecided !== undefined).length
    for (const mode of ['merge', 'replace'] as const) {
      const kept = await open()
      expect((await kept.bundles.import({ text, mode, decisions: 'keep' })).result).toMatchObject({
        imported: rows.length,
      })
      const again = await kept.bundles.export({})
      expect((JSON.parse(again.text) as { memory: object }).memory).toEqual(written)
      expect((await (await open()).bundles.import({ text, mode, decisions: 'lower' })).result).toMatchObject({
        imported: rows.length - isUndecided,
        unreadable: isUndecided,
        withheld: isUndecided,
      })
    }
  })

  it('refuses such a body in the bundle of another program', async () => {
    const { text } = await (await withLater()).bundles.export({})
    const other = await open()
    const foreign = text.replace('"type":"daybook"', '"type":"other"')
    expect(await failure(other.bundles.import({ text: foreign }))).toMatchObject({
      code: 'invalid-file',
      details: { path: expect.stringMatching(/^memory\.traces\.0\./) as string },
    })
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
