// Sensitive records: found like all others while the keys are here, and by nobody while they are not.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../src/book/daybook.ts'
import { type BookCase, failure, failures } from './book-case.ts'

export const passphrase = 'correct horse battery'
const topics = [
  'harbour lights',
  'the red harbour',
  'mountain lights',
  'a harbour of lights and boats',
  'boats',
] as const

/** The same perceptions in every book; every `nth` of them sensitive. */
export async function fillWithSealed(book: Daybook, nth: number): Promise<void> {
  for (let i = 0; i < 15; i++) {
    await book.perceptions.store({
      id: `p-${i}`,
      content: `${topics[i % topics.length]} number ${i}`,
      subject: `s-${i % 4}`,
      confidence: (i % 5) / 5,
      ...(i % nth === 0 ? { sensitivity: 'sensitive' as const } : {}),
    })
  }
}

const ids = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id)

/** What a book answers to questions of every sort. */
async function ask(book: Daybook) {
  const pages: string[][] = []
  for (let cursor: string | undefined; pages.length < 9;) {
    const page = await book.records.query({
      kind: 'perception',
      orderBy: ['subject', '-confidence'],
      limit: 4,
      ...(cursor ? { cursor } : {}),
    })
    pages.push(ids(page.records))
    cursor = page.cursor
    if (cursor === undefined) break
  }
  const found = await book.records.search({
    query: 'harbour lights',
    kind: 'perception',
    limit: 6,
    offset: 1,
  })
  const narrow = await book.perceptions.query({
    filters: { confidence: { gte: 0.4 }, subject: { ne: 's-1' } },
    orderBy: 'id',
  })
  const { hits } = await book.recall({ text: 'lights in the harbour', limit: 15 })
  const count = await book.records.count({ kind: 'perception', filters: { subject: 's-2' } })
  return {
    pages,
    found: ids(found.records),
    narrow: ids(narrow.records),
    total: count.total,
    hits: hits.map(({ record }) => record.id),
    stats: (await book.stats()).kinds['perception']?.count,
    status: (await book.status()).records,
  }
}

export function sealCases(cases: BookCase): void {
  describe('sensitive records', () => {
    it('are found, ordered, counted and ranked as if they were not, mixed with others or alone', async () => {
      const [plain, mixed, sealed] = [await cases.book(), await cases.book(), await cases.book()]
      await fillWithSealed(plain, 1000)
      await plain.records.setSensitivity({ id: 'p-0', sensitivity: 'public' })
      await fillWithSealed(mixed, 2)
      await fillWithSealed(sealed, 1)
      expect(await mixed.seal.status()).toMatchObject({ state: 'open', sealed: 8, unreadable: 0 })
      const wanted = await ask(plain)
      expect(wanted.hits.length).toBeGreaterThan(3)
      expect(await ask(mixed)).toEqual(wanted)
      expect(await ask(sealed)).toEqual(wanted)
    })

    it('are found by the beginning of a word: the one that the most have, open and sealed ones together', async () => {
      const book = await cases.book()
      const begun = async () =>
        (await book.recall({ text: 'harb' })).hits.map(({ because }) => because.text?.matches[0]?.record)
      const put = (content: string, sensitivity: 'public' | 'sensitive') =>
        book.perceptions.store({ content: `${content} ${serial++}`, subject: 'sea', sensitivity })
      let serial = 0
      for (let i = 0; i < 3; i++) await put('harbinger', 'sensitive')
      expect(new Set(await begun())).toEqual(new Set(['harbinger']))
      for (let i = 0; i < 2; i++) await put('harbour', 'public')
      expect(new Set(await begun())).toEqual(new Set(['harbinger']))
      for (let i = 0; i < 2; i++) await put('harbour', 'sensitive')
      expect(new Set(await begun())).toEqual(new Set(['harbour']))
    })

    it('follow changes, forgetting and restoring', async () => {
      const book = await cases.book()
      await fillWithSealed(book, 2)
      await book.perceptions.update({ id: 'p-4', updates: { content: 'an elephant' } })
      expect((await book.recall({ text: 'elephant' })).hits.map(({ record }) => record.id)).toEqual(['p-4'])
      expect((await book.records.get({ id: 'p-4' }))?.sensitivity).toBe('sensitive')
      await book.records.restore({ id: 'p-4', version: 1 })
      expect((await book.recall({ text: 'elephant' })).hits).toEqual([])
      await book.records.forget({ id: 'p-4' })
      expect(await book.records.get({ id: 'p-4' })).toBeNull()
      expect((await book.perceptions.query({ filters: { id: 'p-4' } })).records).toEqual([])
      expect(await book.seal.status()).toMatchObject({ sealed: 7 })
    })

    it('are locked without the passphrase, and back with it; all others are always there', async () => {
      const first = await cases.book({ passphrase })
      await fillWithSealed(first, 2)
      const book = await cases.reopen(first)
      expect(await book.seal.status()).toMatchObject({
        state: 'locked',
        guard: 'passphrase',
        sealed: 8,
        unreadable: 8,
      })
      const error = await failure(book.records.get({ id: 'p-0' }))
      expect([error.code, error.details['reason']]).toEqual(['locked', 'passphrase'])
      expect(error.details['sealed']).toMatchObject({ alg: 'A256GCM' })
      expect(ids((await book.perceptions.query({ orderBy: 'id' })).records)).toEqual([
        'p-1',
        'p-11',
        'p-13',
        'p-3',
        'p-5',
        'p-7',
        'p-9',
      ])
      const { records } = await book.seal.list({ limit: 3 })
      expect(ids(records)).toEqual(['p-0', 'p-10', 'p-12'])
      expect(records.every(({ locked }) => locked)).toBe(true)
      expect((await failure(book.perceptions.store({ content: 'x', sensitivity: 'sensitive' }))).code).toBe(
        'locked',
      )
      expect((await failure(book.seal.unlock({ passphrase: 'another passphrase' }))).code).toBe(
        'wrong-passphrase',
      )
      await book.seal.unlock({ passphrase })
      expect((await book.perceptions.query({ limit: 100 })).records).toHaveLength(15)
      await book.seal.lock()
      expect((await failure(book.records.get({ id: 'p-0' }))).code).toBe('locked')
    })

    it('are forgotten with all data of their agent while the keys are locked', async () => {
      const book = await cases.book({ passphrase })
      const messages = ['The doctor said it is diabetes.', 'The wall needs bricks.'].map((content) => ({
        content,
      }))
      for (const agent of ['one', 'two']) {
        await book.conversation.storeMany({ agent, session: agent, sensitivity: 'sensitive', messages })
        await book.conversation.store({ agent, message: { content: 'Good morning.' } })
        await book.conversation.archive({ agent, session: agent })
      }
      await book.seal.lock()
      expect(await book.conversation.forgetAgent({ agent: 'one' })).toMatchObject({
        deletedMemories: 3,
        deletedEpisodes: 1,
      })
      expect(await book.seal.status()).toMatchObject({ unreadable: 3 })
      await book.seal.unlock({ passphrase })
      const { records } = await book.conversation.list({ limit: 100 })
      expect(records.map(({ agent }) => agent)).toEqual(['two', 'two', 'two'])
      expect((await book.conversation.episodes({ agent: 'one' })).records).toEqual([])
    })

    it('keep their keys when the book is opened again, until a passphrase guards them', async () => {
      const first = await cases.book()
      const { id } = await first.perceptions.store({ content: 'an elephant', sensitivity: 'restricted' })
      const second = await cases.reopen(first)
      expect(await second.records.get({ id })).toMatchObject({ content: 'an elephant' })
      expect(await second.seal.guard({ passphrase })).toMatchObject({ guard: 'passphrase', state: 'open' })
      const third = await cases.reopen(second)
      expect((await failure(third.records.get({ id }))).code).toBe('locked')
      await third.seal.unlock({ passphrase })
      expect((await third.recall({ text: 'elephant' })).hits).toHaveLength(1)
      expect(await third.seal.guard()).toMatchObject({ guard: 'device' })
      const fourth = await cases.reopen(third)
      expect(await fourth.records.get({ id })).toMatchObject({ content: 'an elephant' })
    })

    it('are not restored from a sealed version while the keys are locked', async () => {
      const book = await cases.book()
      await book.seal.guard({ passphrase })
      const { id } = await book.perceptions.store({ content: 'an elephant', sensitivity: 'sensitive' })
      const change = { id, content: 'a mouse', sensitivity: 'standard', replace: true } as const
      await book.perceptions.store(change)
      await book.seal.lock()
      const { code, details } = await failure(book.records.restore({ id, version: 1 }))
      expect([code, details['path']]).toEqual(['locked', 'version'])
      await book.seal.unlock({ passphrase })
      await book.records.restore({ id, version: 1 })
      expect(await book.records.get({ id })).toMatchObject({ content: 'an elephant' })
    })

    it('move under a new key, which is then the only one', async () => {
      const book = await cases.book()
      await fillWithSealed(book, 1)
      await book.perceptions.update({ id: 'p-3', updates: { content: 'an elephant' } })
      const { current: before } = await book.seal.status()
      const ended = new Promise<void>((resolve) => {
        book.on('progress', ({ capability, done, total }) => {
          if (capability === 'seal:rotate' && done === total) resolve()
        })
      })
      const { current } = await book.seal.rotate()
      expect(current).not.toBe(before)
      await ended
      expect(await book.seal.status()).toMatchObject({
        state: 'open',
        current,
        others: [],
        toReseal: 0,
        unreadable: 0,
      })
      expect((await book.seal.list()).records.every(({ sealed }) => sealed.kid === current)).toBe(true)
      const { versions } = await book.records.history({ id: 'p-3' })
      expect(versions.map(({ body }) => body?.['content'])).toEqual([`${topics[3]} number 3`, 'an elephant'])
      expect((await book.recall({ text: 'elephant' })).hits).toHaveLength(1)
    })

    it('leave in an encrypted bundle, and in an open one only when that is said', async () => {
      const book = await cases.book()
      await fillWithSealed(book, 2)
      const text = async (stream: unknown) => new Response(stream as ReadableStream).text()
      const error = await failure(book.export())
      expect([error.code, error.details['path']]).toEqual(['invalid-input', 'includeSensitive'])
      expect(await text(await book.export({ includeSensitive: false }))).not.toContain('number 4')
      const open = await text(await book.export({ includeSensitive: true }))
      expect(open).toContain('"sensitivity":"sensitive"')
      const closed = await text(await book.export({ passphrase }))
      const other = await cases.book()
      expect((await other.import(closed, { passphrase })).imported).toBe(15)
      expect(await other.seal.status()).toMatchObject({ sealed: 8, unreadable: 0 })
      const [there, here] = [await ask(other), await ask(book)]
      // Equals stand in the order in which they were stored, which an import changes.
      expect([there.narrow, there.total, there.stats]).toEqual([here.narrow, here.total, here.stats])
      expect(there.hits.toSorted()).toEqual(here.hits.toSorted())
    })

    it('have their parts sealed with them, those that are written later too', async () => {
      const book = await cases.book()
      const value = (n: number) => ({ $parts: [`#part ${n}`], $first: '' })
      const part = (n: number) => ({ key: `#part ${n}`, value: { $part: `zanzibar ${n}` } })
      const changes = [{ key: 'large', value: value(1) }, part(1)]
      const [head, first] = (await book.documents.write({ changes })).written
      const levels = async () =>
        (await book.documents.list({})).documents.map(({ sensitivity }) => sensitivity)
      await book.records.setSensitivity({ id: head?.id ?? '', sensitivity: 'sensitive' })
      expect(await levels()).toEqual(['sensitive', 'sensitive'])
      expect(await book.records.get({ id: first?.id ?? '' })).toMatchObject({ value: part(1).value })
      await book.documents.write({
        changes: [{ key: 'large', value: value(2) }, part(2), { key: '#part 1', value: null }],
      })
      expect(await levels()).toEqual(['sensitive', 'sensitive'])
      expect((await book.documents.read({ key: '#part 2' }))?.value).toEqual(part(2).value)
    })

    it('have their parts as sealed as the most sensitive record that names them', async () => {
      const book = await cases.book()
      const hash = (digit: string) => digit.repeat(32)
      const step = (checkpoint: string, parts: readonly string[]) => ({
        thread: 't',
        checkpoint,
        state: '',
        metadata: '{}',
        parts: parts.map(hash),
        data: Object.fromEntries(parts.map((one) => [hash(one), `zanzibar ${one}`])),
      })
      const { id: one } = await book.checkpoints.put(step('1', ['a', 'b']))
      const { id: two } = await book.checkpoints.put(step('2', ['b', 'c']))
      const task = { thread: 't', checkpoint: '1', writes: [{ place: 0, channel: 'x', value: 'zanzibar' }] }
      await book.checkpoints.putWrites({ ...task, task: 'before' })
      const levels = async (kind: string, field: string) =>
        (await book.records.query({ kind })).records
          .map((record) => `${String(record[field])[0]} ${String(record['sensitivity'])}`)
          .toSorted()
      await book.records.setSensitivity({ id: one, sensitivity: 'sensitive' })
      expect(await levels('checkpoint_part', 'hash')).toEqual(['a sensitive', 'b sensitive', 'c undefined'])
      await book.checkpoints.putWrites({ ...task, task: 'later' })
      expect(await levels('checkpoint_write', 'task')).toEqual(['b sensitive', 'l sensitive'])
      await book.records.setSensitivity({ id: two, sensitivity: 'restricted' })
      await book.records.setSensitivity({ id: two, sensitivity: 'standard' })
      expect(await levels('checkpoint_part', 'hash')).toEqual(['a sensitive', 'b sensitive', 'c standard'])
      expect((await book.checkpoints.read({ thread: 't' })).parts).toEqual({
        [hash('b')]: 'zanzibar b',
        [hash('c')]: 'zanzibar c',
      })
    })

    it('can not be what every copy must read', async () => {
      const book = await cases.book()
      const { id } = await book.facts.schemas.register({ name: 'n', schema: { type: 'object' } })
      expect((await failure(book.records.setSensitivity({ id, sensitivity: 'sensitive' }))).code).toBe(
        'invalid-input',
      )
    })
  })
}

export function keylessCases(cases: BookCase): void {
  describe('sensitive records where no keys are kept', () => {
    it('are refused, and nothing is stored', async () => {
      const book = await cases.book()
      const error = await failure(book.perceptions.store({ content: 'x', sensitivity: 'sensitive' }))
      expect([error.code, error.details['reason']]).toEqual(['locked', 'no-keys-here'])
      expect((await book.status()).records).toEqual({})
      expect(await book.seal.status()).toMatchObject({ state: 'off', sealed: 0 })
      for (const error of await failures([
        book.seal.unlock({ passphrase }),
        book.seal.rotate(),
        book.seal.exportKeys({ passphrase }),
        book.seal.guard(),
      ]))
        expect(error.code).toBe('locked')
    })
  })
}
