// Collections of TanStack DB over a book beside the framework's own in memory, and what a book adds: others who write,
// refusals.
import {
  type Collection,
  createCollection,
  createTransaction,
  localOnlyCollectionOptions,
} from '@tanstack/db'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { daybookCollectionOptions } from '../../../../../src/doors/adapter/tanstack-db/collection.ts'
import { failure } from '../../../../contract/book-case.ts'
import { openBook, until } from './rows-case.ts'

interface Row {
  id: string | number
  a?: unknown
  b?: unknown
}
type Rows = Collection<Row, string | number>

const key = fc.constantFrom<string | number>('one', 'two', '#1', 1, '', '\\')
const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom<unknown>(
      null,
      true,
      0,
      -0,
      Number.NaN,
      Infinity,
      2 ** 53,
      -1e300,
      5n,
      -(2n ** 70n),
      new Date(0),
      new Date(Number.NaN),
    ),
    fc.constantFrom<unknown>(
      new Date('2026-01-31T10:00:00.123Z'),
      'Ünï',
      '',
      new Uint8Array([1, 2]),
      undefined,
    ),
    fc.double(),
  ),
  node: fc.oneof(
    { maxDepth: 2 },
    tie('leaf'),
    fc.array(tie('node'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('x', '$date', '$plain', '__proto'), tie('node'), { maxKeys: 2 }),
  ),
})).node
const fields = fc.record({ a: value, b: value }, { requiredKeys: [] })
const step = fc.oneof(
  fc.record({ do: fc.constant('insert' as const), id: key, fields }),
  fc.record({ do: fc.constant('update' as const), id: key, fields }),
  fc.record({ do: fc.constant('drop' as const), id: key, name: fc.constantFrom('a' as const, 'b' as const) }),
  fc.record({ do: fc.constant('delete' as const), id: key }),
  fc.record({ do: fc.constant('together' as const), ids: fc.uniqueArray(key, { maxLength: 3 }), fields }),
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

function act(rows: Rows, one: Step): Promise<unknown> {
  switch (one.do) {
    case 'insert':
      return rows.insert({ id: one.id, ...structuredClone(one.fields) }).isPersisted.promise
    case 'update':
      return rows.update(one.id, (draft) => Object.assign(draft, structuredClone(one.fields))).isPersisted
        .promise
    case 'drop':
      return rows.update(one.id, (draft) => {
        delete draft[one.name]
      }).isPersisted.promise
    case 'delete':
      return rows.delete(one.id).isPersisted.promise
    case 'together': {
      const accept = (rows.utils as { acceptMutations(tx: unknown): unknown }).acceptMutations
      const change = createTransaction<Row>({ mutationFn: async ({ transaction }) => accept(transaction) })
      change.mutate(() => {
        for (const id of one.ids) {
          if (rows.has(id)) rows.delete(id)
          else rows.insert({ id, ...structuredClone(one.fields) })
        }
      })
      return change.isPersisted.promise
    }
  }
}

/** What becomes of it, in words: both may refuse, and then for the same reason. */
async function outcome(rows: Rows, one: Step): Promise<string> {
  try {
    await act(rows, one)
    return 'done'
  } catch (error) {
    return (error as Error).name
  }
}

const shown = (rows: Rows) => rows.toArray.map(({ id, a, b }) => ({ id, a, b }))

it('holds the same rows as a collection in memory after each of many changes, and again when it is opened anew', async () => {
  const book = await openBook()
  let folder = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const own = { folder: `rows/${folder++}/`, getKey: ({ id }: Row) => id, book }
      const rows = createCollection(daybookCollectionOptions<Row>(own)) as unknown as Rows
      const model = createCollection(
        localOnlyCollectionOptions<Row>({ getKey: ({ id }) => id }),
      ) as unknown as Rows
      await rows.preload()
      for (const one of steps) {
        expect(await outcome(rows, one)).toBe(await outcome(model, one))
        expect(shown(rows)).toEqual(shown(model))
      }
      await rows.cleanup()
      const again = createCollection(daybookCollectionOptions<Row>(own)) as unknown as Rows
      await again.preload()
      expect(shown(again)).toEqual(shown(model))
      await Promise.all([again.cleanup(), model.cleanup()])
    }),
    { numRuns: 20 },
  )
})

interface Todo {
  id: string
  text: string
  done?: boolean
  at?: Date
}

const todosOf = (book: Awaited<ReturnType<typeof openBook>>, more: object = {}) =>
  createCollection(
    daybookCollectionOptions<Todo, string>({ book, folder: 'todos/', getKey: ({ id }) => id, ...more }),
  )

it('tells of a row once when it is inserted, changed and deleted, without a moment in which it is not there', async () => {
  const book = await openBook()
  const rows = todosOf(book)
  await rows.preload()
  const told: string[] = []
  rows.subscribeChanges((changes) => {
    // Whether it is stored already is told of a row too, as a change in which nothing else is different.
    for (const { type, value, previousValue } of changes) {
      if (type !== 'update' || value.text !== previousValue?.text) told.push(`${type} ${value.text}`)
    }
  })
  await rows.insert({ id: 'a', text: 'one' }).isPersisted.promise
  await rows.update('a', (draft) => void (draft.text = 'two')).isPersisted.promise
  // Its own echo comes with the change that the book tells of; whoever reads again finds nothing new in it.
  await rows.utils.refetch()
  await rows.delete('a').isPersisted.promise
  await rows.utils.refetch()
  expect(told).toEqual(['insert one', 'update two', 'delete two'])
})

it('keeps the order of changes that are made without waiting for each other', async () => {
  const book = await openBook()
  const rows = todosOf(book)
  await rows.preload()
  const made = [rows.insert({ id: 'a', text: '0' })]
  for (let i = 1; i <= 20; i++) made.push(rows.update('a', (draft) => void (draft.text = String(i))))
  await Promise.all(made.map((one) => one.isPersisted.promise))
  expect(rows.get('a')?.text).toBe('20')
  expect((await book.documents.read({ folder: 'todos/', key: 'a' }))?.value).toEqual({ id: 'a', text: '20' })
})

it('follows what others write, change and take away, and two collections of one folder are one', async () => {
  const book = await openBook()
  const rows = todosOf(book)
  const twin = todosOf(book)
  await Promise.all([rows.preload(), twin.preload()])
  const write = (key: string, value: Record<string, string> | null) =>
    book.documents.write({ changes: [{ folder: 'todos/', key, value }] })
  await write('a', { id: 'a', text: 'from elsewhere' })
  await until(rows, () => rows.get('a')?.text === 'from elsewhere')
  await rows.update('a', (draft) => void (draft.done = true)).isPersisted.promise
  await until(twin, () => twin.get('a')?.done === true)
  await write('a', null)
  await until(twin, () => !twin.has('a'))
  // What lies there under another name than its own is no row, nor what lies below.
  await write('other', { id: 'a', text: 'x' })
  await book.documents.write({ changes: [{ folder: 'todos/old/', key: 'a', value: { id: 'a', text: 'x' } }] })
  await rows.utils.refetch()
  expect(rows.toArray).toEqual([])
})

it('changes only the fields that were changed, so that what another wrote into the row stays', async () => {
  const book = await openBook()
  const rows = todosOf(book)
  await rows.preload()
  await rows.insert({ id: 'a', text: 'mine' }).isPersisted.promise
  const change = createTransaction<Todo>({
    async mutationFn({ transaction }) {
      await book.documents.write({
        changes: [{ folder: 'todos/', key: 'a', value: { id: 'a', text: 'theirs' } }],
      })
      await rows.utils.acceptMutations(transaction as never)
    },
  })
  change.mutate(() => rows.update('a', (draft) => void (draft.done = true)))
  await change.isPersisted.promise
  expect(rows.get('a')).toMatchObject({ id: 'a', text: 'theirs', done: true })
})

it('changes a row over what somebody else writes between its look at it and its write', async () => {
  const book = await openBook()
  let left = 2
  const write = (text: string) =>
    book.documents.write({ changes: [{ folder: 'todos/', key: 'a', value: { id: 'a', text } }] })
  const read: typeof book.documents.read = async (...given) => {
    const found = await book.documents.read(...given)
    if (left-- > 0) await write(`theirs ${left}`)
    return found
  }
  await write('before')
  const rows = todosOf(book, { book: { ...book, documents: { ...book.documents, read } } })
  await rows.preload()
  await rows.update('a', (draft) => void (draft.done = true)).isPersisted.promise
  expect(rows.get('a')).toMatchObject({ text: 'theirs 0', done: true })
})

it('takes back what the book refuses, and says why as the book does', async () => {
  const book = await openBook()
  const rows = todosOf(book, { startSync: true })
  await rows.preload()
  const write = (value: Record<string, string> | null) =>
    book.documents.write({ changes: [{ folder: 'todos/', key: 'a', value }] })
  const row = { id: 'big', text: 'x'.repeat(2_000_000) }
  expect(await failure(rows.insert(row).isPersisted.promise)).toMatchObject({ code: 'too-large' })
  const odd = { id: 'odd', text: 'x', at: new Map() } as unknown as Todo
  const refused = await failure(rows.insert(odd).isPersisted.promise)
  expect(refused).toMatchObject({ code: 'invalid-input', details: { path: 'at' } })
  expect(rows.toArray).toEqual([])
  // Somebody else was first, and nobody has looked since.
  const insert = createTransaction<Todo>({
    async mutationFn({ transaction }) {
      await write({ id: 'a', text: 'theirs' })
      await rows.utils.acceptMutations(transaction as never)
    },
  })
  insert.mutate(() => rows.insert({ id: 'a', text: 'mine' }))
  expect(await failure(insert.isPersisted.promise)).toMatchObject({ code: 'conflict' })
  await until(rows, () => rows.get('a')?.text === 'theirs')
  const update = createTransaction<Todo>({
    async mutationFn({ transaction }) {
      await write(null)
      await rows.utils.acceptMutations(transaction as never)
    },
  })
  update.mutate(() => rows.update('a', (draft) => void (draft.text = 'mine')))
  expect(await failure(update.isPersisted.promise)).toMatchObject({ code: 'not-found' })
  await until(rows, () => !rows.has('a'))
})

it('writes a transaction of the user whole or not at all', async () => {
  const book = await openBook()
  const rows = todosOf(book)
  await rows.preload()
  const change = createTransaction<Todo>({
    mutationFn: ({ transaction }) => rows.utils.acceptMutations(transaction as never),
  })
  change.mutate(() => {
    rows.insert({ id: 'a', text: 'fits' })
    rows.insert({ id: 'b', text: 'x'.repeat(2_000_000) })
  })
  expect(await failure(change.isPersisted.promise)).toMatchObject({ code: 'too-large' })
  expect(rows.toArray).toEqual([])
  expect((await book.documents.list({ folder: 'todos/' })).documents).toEqual([])
})

it('says why a book could not be read', async () => {
  const book = await openBook()
  const errors: string[] = []
  const onError = ({ code }: { readonly code: string }) => errors.push(code)
  const rows = todosOf(book.with({ as: 'tok_of_nobody' }), { onError })
  expect(await failure(rows.preload())).toMatchObject({ code: 'unauthorized' })
  expect([rows.status, errors]).toEqual(['error', ['unauthorized']])
})

it('lets go of the book when it is cleaned up, and begins anew when it is used again', async () => {
  const book = await openBook()
  const errors: string[] = []
  const rows = todosOf(book, { onError: ({ code }: { readonly code: string }) => errors.push(code) })
  await rows.preload()
  await rows.cleanup()
  await book.documents.write({
    changes: [{ folder: 'todos/', key: 'a', value: { id: 'a', text: 'meanwhile' } }],
  })
  expect(rows.size).toBe(0)
  await rows.preload()
  expect(rows.get('a')?.text).toBe('meanwhile')
  await book.close()
  const closed = await failure(rows.update('a', (draft) => void (draft.text = 'late')).isPersisted.promise)
  expect(closed).toMatchObject({ code: 'book-closed' })
  expect(rows.get('a')?.text).toBe('meanwhile')
  expect(errors).toContain('book-closed')
})

it.each([
  [{ folder: 'todos', getKey: () => 'a' }, 'folder'],
  [{ folder: 'todos/' }, 'getKey'],
  [{ kind: 'document' }, 'kind'],
  [{ kind: 'fact', filters: { data: { like: 'x' } } }, 'filters.data.like'],
])('refuses %j at once', async (options, path) => {
  const book = await openBook()
  const refused = await failure(
    // What is thrown at once is told like what is rejected.
    (async () => daybookCollectionOptions({ book, ...options } as never))(),
  )
  expect(refused.details['path']).toBe(path)
})
