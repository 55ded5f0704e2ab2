// A book that its owner erases at its mirror: who may, what is left, who is told, and how it is begun anew. On any host.
import { describe, expect, it } from 'vitest'
import { defined } from '../../../src/core/defined.ts'

export interface EraseHost {
  newBook(): string
  ask(
    path: string,
    ask: { readonly method?: string; readonly key?: string; readonly body?: unknown },
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>
  /** All that the mirror has kept in the name of the book, as text. */
  rest(book: string): Promise<string>
  /** The next request finds the book put away, where the host does that. */
  evict(book: string): Promise<void>
  /** Opens a line of the book's owner; `code` is that with which it ends. */
  openLine(book: string): Promise<{ readonly code: Promise<number> }>
}

const mark = 'quokka-4711'
const at = '2026-01-01T00:00:00.000Z'
let mids = 0
const request = (
  device: string,
  epoch: string | null,
  { ids = [], formerEpoch }: Pick<SyncGiven, 'ids' | 'formerEpoch'>,
) => ({
  p: 1,
  device,
  epoch,
  ...defined({ formerEpoch }),
  ackedMid: 0,
  schema: 99,
  ops: ids.map((id, i) => ({
    mid: i + 1,
    kind: 'unheard_of',
    id,
    op: 'put',
    base: 0,
    stamp: `019b00000000-${(mids++).toString(16).padStart(4, '0')}-${device}`,
    at,
    created_at: at,
    agent: 'a',
    body: { text: mark },
  })),
  pull: { cursor: 0, limit: 100, maxBytes: 500_000 },
})

interface SyncGiven {
  readonly ids?: readonly string[]
  readonly formerEpoch?: string
  readonly key?: string
}

export function eraseMirrorCases(host: EraseHost): void {
  const { newBook } = host
  const address = (book: string) => `/v1/books/${book}`
  const sync = async (book: string, device: string, epoch: string | null, given: SyncGiven = {}) =>
    host.ask(`${address(book)}/sync`, {
      body: request(device, epoch, given),
      ...defined({ key: given.key }),
    })
  const erase = (book: string, body: unknown = { confirm: book }, key?: string) =>
    host.ask(address(book), { method: 'DELETE', body, ...defined({ key }) })
  const begin = (book: string, body: unknown = { confirm: book }, key?: string) =>
    host.ask(address(book), { method: 'PUT', body, ...defined({ key }) })
  const run = async (book: string, id: string, input: object, key?: string) =>
    host.ask(`${address(book)}/capabilities/${id}`, { body: input, ...defined({ key }) })
  const makeKey = async (book: string, input: object) =>
    String((await run(book, 'daybook:create_access_key', { name: 'k', ...input })).body['key'])
  const begun = async (ids = ['one', 'two']) => {
    const book = newBook()
    const { status, body } = await sync(book, 'd_first', null, { ids })
    expect([status, body['code']]).toEqual([200, undefined])
    return { book, epoch: String(body['epoch']) }
  }
  const erased = { status: 410, body: { code: 'book-erased', retry: false } }

  describe('a book that is erased at its mirror', () => {
    it('X1 leaves nothing of it, and says so to whoever comes, also after a sleep', async () => {
      const { book, epoch } = await begun()
      expect(await host.rest(book)).toContain(mark)
      const done = await erase(book)
      expect(done).toMatchObject({ status: 200, body: { erased: true, at: expect.any(String) as string } })
      for (let i = 0; i < 2; i++) {
        expect(await host.rest(book)).not.toContain(mark)
        expect(await sync(book, 'd_first', epoch)).toMatchObject(erased)
        expect(await sync(book, 'd_new', null, { ids: ['three'] })).toMatchObject(erased)
        expect(await run(book, 'kstar:store_fact', { title: 't', content: 'c' })).toMatchObject(erased)
        expect(await host.ask(`${address(book)}/live`, { body: { device: 'd_first' } })).toMatchObject(erased)
        await host.evict(book)
      }
      expect(await host.rest(book)).not.toContain(mark)
    })

    it('X2 asks for the name of the book: without it, or with another, nothing is changed', async () => {
      const { book, epoch } = await begun()
      for (const body of [
        'nothing',
        {},
        { confirm: '' },
        { confirm: `${book} ` },
        { confirm: book.toUpperCase() },
        { confirm: true },
        { confirm: book, more: 1 },
      ]) {
        const refused = await host.ask(address(book), {
          method: 'DELETE',
          ...(body === 'nothing' ? {} : { body }),
        })
        expect([body, refused.status, refused.body['code']]).toEqual([body, 400, 'invalid-input'])
        const { path } = refused.body['details'] as { path: string }
        expect(path).toBe(typeof body === 'object' && 'more' in body ? 'more' : 'confirm')
      }
      const there = await sync(book, 'd_first', epoch)
      expect([there.status, (there.body['changes'] as unknown[]).length]).toEqual([200, 2])
      expect((await begin(book, {})).body).toMatchObject({
        code: 'invalid-input',
        details: { path: 'confirm' },
      })
    })

    it('X2 is the owner’s: keys of guests are refused, those of another book are not known', async () => {
      const { book } = await begun()
      const other = await begun()
      const everything = ['read', 'write', 'forget', 'export', 'sync', 'daybook:**', '**']
      const guest = await makeKey(book, { permissions: everything })
      const stranger = await makeKey(other.book, { owner: true })
      for (const ask of [erase, begin]) {
        expect(await ask(book, { confirm: book }, guest)).toMatchObject({
          status: 403,
          body: { code: 'forbidden' },
        })
        expect(await ask(book, { confirm: book }, stranger)).toMatchObject({
          status: 401,
          body: { code: 'unauthorized' },
        })
      }
      expect(await host.rest(book)).toContain(mark)
      const owner = await makeKey(book, { owner: true })
      expect((await erase(book, { confirm: book }, owner)).status).toBe(200)
      expect(await host.rest(book)).not.toContain(mark)
    })

    it('X1 X3 a device whose key was erased with the book is told by the epoch that it names', async () => {
      const { book, epoch } = await begun()
      const key = await makeKey(book, { permissions: ['sync'] })
      const owner = await makeKey(book, { owner: true })
      await erase(book)
      expect(await sync(book, 'd_first', epoch, { key })).toMatchObject(erased)
      for (const strange of [null, 'e_00000000000000000000000000000000'])
        expect(await sync(book, 'd_first', strange, { key })).toMatchObject({ status: 401 })
      expect(await run(book, 'kstar:query_traces', {}, key)).toMatchObject({ status: 401 })
      // Whose answer was lost asks again, and is told the same.
      const again = await erase(book, { confirm: book, epoch }, owner)
      expect(again).toMatchObject({ status: 200, body: { erased: true } })
      expect(await erase(book, { confirm: book }, owner)).toMatchObject({ status: 401 })
      // An access key is no token, and was erased with the book: so it can't begin the book again.
      const noKey = { status: 401, body: { details: { reason: 'Key not found' } } }
      expect(await begin(book, { confirm: book }, owner)).toMatchObject(noKey)
      expect(await run(book, 'kstar:query_traces', {}, owner)).toMatchObject(noKey)
      expect(await run(newBook(), 'kstar:query_traces', {}, owner)).toMatchObject(noKey)
      expect((await erase(book)).body).toEqual(again.body)
      expect(await erase(book, { confirm: 'x' })).toMatchObject({ status: 400 })
    })

    it('X1 ends the lines of the book with a code of their own', async () => {
      const { book } = await begun()
      const line = await host.openLine(book)
      await erase(book)
      expect(await line.code).toBe(4410)
    })

    it('X4 is begun anew on its owner’s word alone, and never by a device of the book that was', async () => {
      const { book, epoch } = await begun()
      expect((await begin(book)).body).toEqual({ begun: false })
      await erase(book)
      expect(await begin(book, {})).toMatchObject({ status: 400 })
      expect((await begin(book)).body).toEqual({ begun: true })
      const fresh = await sync(book, 'd_new', null, { ids: ['four'] })
      expect([fresh.status, fresh.body['lastMid']]).toEqual([200, 1])
      expect(fresh.body['epoch']).not.toBe(epoch)
      for (let i = 0; i < 2; i++) {
        expect(await sync(book, 'd_first', epoch, { ids: ['one', 'two'] })).toMatchObject(erased)
        const { status, body } = await sync(book, 'd_new', String(fresh.body['epoch']))
        expect([status, (body['changes'] as unknown[]).length]).toEqual([200, 1])
        await host.evict(book)
      }
      // And may be erased again.
      expect((await erase(book)).status).toBe(200)
      expect(await sync(book, 'd_new', String(fresh.body['epoch']))).toMatchObject(erased)
    })

    it('X5 does not come back by a device that was starting over when it was erased', async () => {
      const { book, epoch } = await begun()
      const key = await makeKey(book, { permissions: ['sync'] })
      await erase(book)
      const startsOver = (device: string, given: SyncGiven = {}) =>
        sync(book, device, null, { formerEpoch: epoch, ids: ['one', 'two'], ...given })
      expect(await startsOver('d_second')).toMatchObject(erased)
      expect(await startsOver('d_second', { key })).toMatchObject(erased)
      await begin(book)
      const fresh = await sync(book, 'd_new', null, { ids: ['four'] })
      const now = String(fresh.body['epoch'])
      for (let i = 0; i < 2; i++) {
        expect(await startsOver('d_second')).toMatchObject(erased)
        const { status, body } = await sync(book, 'd_new', now)
        expect([status, (body['changes'] as unknown[]).length]).toEqual([200, 1])
        await host.evict(book)
      }
      // A device of the new book may start over as ever, and so does one that never knew a book of that name.
      expect(await sync(book, 'd_third', null, { formerEpoch: now })).toMatchObject({ status: 200 })
      expect(await sync(book, 'd_fourth', null)).toMatchObject({ status: 200 })
    })
  })
}
