// Documents on every host: under a name, in a folder, written only where they are still what was read.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { type BookCase, failure } from '../book-case.ts'

/** A book with a value in parts, some 4 MB of it. */
async function parted(book: Daybook) {
  const part = (n: number) => ({
    folder: 'f/',
    key: `#part x ${n}`,
    value: { $part: `zanzibar ${'lorem ipsum '.repeat(100_000)}` },
    recalled: false,
  })
  const parts = [part(1), part(2), part(3)]
  const value = { $parts: parts.map(({ key }) => key), $first: 'zanzibar' }
  const { written } = await book.documents.write({
    changes: [{ folder: 'f/', key: 'large', value }, ...parts, { folder: 'f/', key: 'beside', value: {} }],
  })
  return { book, id: written[0]?.id ?? '', partId: written[1]?.id ?? '' }
}

const bundleText = (bundle: unknown) => new Response(bundle as ReadableStream).text()

export function documentCases({ book: open, reopen }: BookCase): void {
  describe('documents', () => {
    it('have keys of any text: a key with `/` is another name than a key in that folder', async () => {
      const book = await open()
      const names = [{ key: 'f/k' }, { folder: 'f/', key: 'k' }, { key: 'https://example.com/' }]
      await book.documents.write({ changes: names.map((name, n) => ({ ...name, value: { n } })) })
      const found = await Promise.all(names.map((name) => book.documents.read(name)))
      expect(found.map((document) => document?.value['n'])).toEqual([0, 1, 2])
      expect((await book.documents.list({ folder: 'f/' })).documents).toHaveLength(1)
      const wrong = await failure(book.documents.write({ changes: [{ folder: 'f', key: 'k', value: {} }] }))
      expect(wrong).toMatchObject({ code: 'invalid-input', details: { path: 'changes.0.folder' } })
    })

    it('have folders, which are listed with their number, a page at a time', async () => {
      const book = await open()
      const names = ['f/a', 'f/b', 'f/g/c', 'h/d'].map((path) => path.split(/(?<=\/)(?=[^/]+$)/))
      const changes = names.map(([folder = '', key = '']) => ({ folder, key, value: {} }))
      await book.documents.write({ changes: [...changes, { key: 'top', value: {} }] })
      const all = [
        { folder: '', documents: 1 },
        { folder: 'f/', documents: 2 },
        { folder: 'f/g/', documents: 1 },
        { folder: 'h/', documents: 1 },
      ]
      expect(await book.documents.folders()).toEqual({ folders: all })
      expect(await book.documents.folders({ folder: 'f/' })).toEqual({ folders: all.slice(1, 3) })
      expect(await book.documents.folders({ limit: 2 })).toEqual({ folders: all.slice(0, 2), more: true })
      expect(await book.documents.folders({ after: 'f/', limit: 2 })).toEqual({ folders: all.slice(2) })
    })

    it('are listed by filters and in another order, with cursors', async () => {
      const book = await open()
      const changes = ['b', 'c', 'a', 'd'].map((key, n) => ({
        folder: 'f/',
        key,
        value: { n, even: n % 2 === 0 },
      }))
      await book.documents.write({ changes: [...changes, { folder: 'g/', key: 'c', value: { even: true } }] })
      const keys = async (query: object) => (await book.documents.list(query)).documents.map(({ key }) => key)
      expect(await keys({ folder: 'f/', orderBy: '-key' })).toEqual(['d', 'c', 'b', 'a'])
      expect(await keys({ folder: 'f/', deep: false, filters: { key: { lt: 'c' } } })).toEqual(['b', 'a'])
      expect(await keys({ filters: { 'value.even': true } })).toEqual(['b', 'a', 'c'])
      const query = { folder: 'f/', orderBy: 'key', filters: { key: { gte: 'b' } }, limit: 2 }
      const { cursor } = await book.documents.list(query)
      expect(await keys({ ...query, cursor })).toEqual(['d'])
    })

    it('are there under their name, in the order in which they were made, and found by what they say', async () => {
      let book = await open()
      const changes = ['b', 'a'].map((key) => ({
        folder: 'notes/2026/',
        key,
        value: { text: `lamp ${key}` },
      }))
      const { written } = await book.documents.write({ changes })
      await book.documents.write({ changes: [{ key: 'top', value: {} }] })
      book = await reopen(book)
      expect(await book.documents.read({ folder: 'notes/2026/', key: 'a' })).toMatchObject({
        id: written[1]?.id,
        etag: written[1]?.etag,
        value: { text: 'lamp a' },
      })
      expect(await book.documents.read({ key: 'a' })).toBeNull()
      const keys = async (query: object) => (await book.documents.list(query)).documents.map(({ key }) => key)
      expect((await keys({ folder: 'notes/' })).sort()).toEqual(['a', 'b'])
      expect(await keys({ folder: 'notes/', deep: false })).toEqual([])
      expect(await keys({ folder: 'note/' })).toEqual([])
      expect(await keys({})).toHaveLength(3)
      const page = await book.documents.list({ limit: 2 })
      expect((await book.documents.list({ limit: 2, cursor: page.cursor })).documents).toHaveLength(1)
      expect((await book.recall({ text: 'lamp' })).hits).toHaveLength(2)
    })

    it('are written all or none, and only as they were read', async () => {
      const book = await open()
      const first = { key: 'a', value: { n: 1 }, ifMatch: null }
      const [made] = (await book.documents.write({ changes: [first] })).written
      const again = await failure(book.documents.write({ changes: [{ key: 'b', value: {} }, first] }))
      expect(again).toMatchObject({
        code: 'conflict',
        details: { path: 'changes.1.ifMatch', etag: made?.etag },
      })
      expect(await book.documents.read({ key: 'b' })).toBeNull()
      const next = { key: 'a', value: { n: 2 }, ifMatch: made?.etag ?? '' }
      await book.documents.write({ changes: [next] })
      expect((await failure(book.documents.write({ changes: [next] }))).code).toBe('conflict')
      await book.documents.write({ changes: [{ key: 'a', value: null }] })
      expect(await book.documents.read({ key: 'a' })).toBeNull()
      await book.documents.write({ changes: [first] })
      expect((await book.documents.read({ key: 'a' }))?.value).toEqual({ n: 1 })
    })

    it.each(['forget', 'purge', 'documents.write'] as const)(
      'leave nothing of a value that lies in parts when it goes by %s',
      async (verb) => {
        const { book, id, partId } = await parted(await open())
        if (verb === 'forget') await book.records.forget({ id })
        else if (verb === 'purge') await book.records.purge({ id })
        else await book.documents.write({ changes: [{ folder: 'f/', key: 'large', value: null }] })
        expect(await book.records.get({ id: partId })).toBeNull()
        expect((await book.documents.list({})).documents.map(({ key }) => key)).toEqual(['beside'])
        expect((await book.recall({ text: 'zanzibar' })).hits).toEqual([])
        expect(await bundleText(await book.export({}))).not.toContain('zanzibar')
        expect((await (await reopen(book)).documents.list({})).documents).toHaveLength(1)
      },
    )

    it('go with their parts only within their folder', async () => {
      const book = await open()
      const part = { key: '#part 1', value: { $part: 'of another' } }
      const head = { folder: 'mine/', key: 'a', value: { $parts: ['#part 1', 'b'], $first: '' } }
      const beside = { folder: 'mine/', key: 'b', value: {} }
      const { written } = await book.documents.write({ changes: [part, head, beside] })
      await book.records.forget({ id: written[1]?.id ?? '' })
      expect((await book.documents.list({})).documents.map(({ key }) => key)).toEqual(['#part 1', 'b'])
    })

    it('of a guest that has them under ids of its own go with their parts', async () => {
      const book = await open()
      const { token } = await book.tokens.grant({
        scope: 'user:ana',
        permissions: ['read', 'write', 'forget'],
        granted_to: 'guest',
        expires_at: '2099-01-01T00:00:00Z',
      })
      const as = { as: token.token_id }
      const part = (text: string) => ({ key: '#part 1', value: { $part: text } })
      const head = { key: 'large', value: { $parts: ['#part 1'], $first: '' } }
      await book.documents.write({ changes: [head, part('of the owner')] })
      const resource = 'user:ana'
      const theirs = await book.with({ resource }).documents.write({ changes: [head, part('mine')] }, as)
      const other = await book.with({ resource }).documents.write({ changes: [{ key: 'b', value: {} }] }, as)
      const left = async () =>
        (await book.records.query({ kind: 'document' })).records.map(({ value }) => JSON.stringify(value))
      expect(await left()).toHaveLength(5)
      await book.records.forget({ id: theirs.written[0]?.id ?? '' }, as)
      expect(other.written).toHaveLength(1)
      expect((await left()).toSorted()).toEqual(
        [head.value, part('of the owner').value, {}].map((value) => JSON.stringify(value)).toSorted(),
      )
    })

    it.each([
      [{ key: '', value: {} }, 'changes.0.key'],
      [{ key: 'a', folder: 'no-slash', value: {} }, 'changes.0.folder'],
      [{ key: 'a', folder: 'a//b/', value: {} }, 'changes.0.folder'],
      [{ key: 'a', value: { when: undefined, deep: [Number.NaN] } }, 'changes.0.value.deep.0'],
      [{ key: '\ud800', value: {} }, 'changes.0.key'],
    ])('refuse %j', async (change, path) => {
      const book = await open()
      const error = await failure(book.documents.write({ changes: [change as never] }))
      expect(error).toMatchObject({ code: 'invalid-input', details: { path } })
      expect((await book.documents.list()).documents).toEqual([])
    })
  })
}
