// The store beside the framework's own in memory: the same operations, the same answers; and what a book adds.
import { InMemoryStore, InvalidNamespaceError, type Operation } from '@langchain/langgraph-checkpoint'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DaybookStore } from '../../../../../src/doors/adapter/langgraph/langgraph.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { failure } from '../../../../contract/book-case.ts'
import { foreign } from '../shared/foreign-data.ts'

const open = () => openDaybook({ name: 'store', path: ':memory:' })
const label = fc.constantFrom('users', 'alice', 'bob', 'a/b', 'Ünï', '%2F', ' ')
const namespace = fc.array(label, { minLength: 1, maxLength: 3 })
const key = fc.constantFrom('one', 'two', '../three', '日本')
const scalar = fc.constantFrom(1, 2, 10, '2', 'red', true, null)
const value = fc.oneof(
  fc.record(
    { n: scalar, color: scalar, deep: fc.constant({ list: [1, { a: null }] }) },
    { requiredKeys: ['n'] },
  ),
  fc.constant(null),
)
const operator = fc
  .tuple(fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), scalar)
  .map(([name, given]) => ({ [name]: given }))
const filter = fc.dictionary(fc.constantFrom('n', 'color', 'none'), fc.oneof(scalar, operator), {
  maxKeys: 2,
})
const path = fc.array(fc.oneof(label, fc.constant('*' as const)), { minLength: 1, maxLength: 2 })
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ namespace, key, value }) },
  { weight: 2, arbitrary: fc.record({ namespace, key }) },
  {
    weight: 3,
    arbitrary: fc.record(
      { namespacePrefix: fc.array(label, { maxLength: 2 }), filter, limit: fc.constant(1000) },
      {
        requiredKeys: ['namespacePrefix', 'limit'],
      },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        matchConditions: fc.array(fc.record({ matchType: fc.constantFrom('prefix', 'suffix'), path }), {
          maxLength: 2,
        }),
        maxDepth: fc.constantFrom(1, 2),
        limit: fc.constantFrom(1, 100),
        offset: fc.constantFrom(0, 1),
      },
      { requiredKeys: ['matchConditions', 'limit', 'offset'] },
    ),
  },
) as unknown as fc.Arbitrary<Operation>

/** Items without their times, in an order of their own: two of one millisecond have none. */
function plain(answers: readonly unknown[]): unknown[] {
  const bare = (one: object) => {
    const { createdAt: _made, updatedAt: _changed, score: _score, ...rest } = one as Record<string, unknown>
    return rest
  }
  return answers.map((answer) => {
    if (answer === null || answer === undefined) return null
    if (!Array.isArray(answer)) return bare(answer)
    if (answer.every(Array.isArray)) return answer as unknown
    const nameOf = (one: Record<string, unknown>) => JSON.stringify([one['namespace'], one['key']])
    return (answer as object[]).map(bare).sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  })
}

/** The framework's own store lists a namespace that nothing is in any more; here it goes with its last item. */
function withoutEmpty(store: InMemoryStore): void {
  const { data } = store as unknown as { data: Map<string, Map<string, unknown>> }
  for (const [name, items] of data) if (items.size === 0) data.delete(name)
}

it('answers random batches as the store of the framework does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(operation, { minLength: 1, maxLength: 5 }), { maxLength: 8 }),
      async (batches) => {
        await using book = await open()
        const own = new DaybookStore(book)
        const reference = new InMemoryStore()
        for (const batch of batches) {
          // Its items are the ones that are stored, which a later write changes.
          const theirs = structuredClone(plain(await reference.batch(batch)))
          expect(plain(await own.batch(batch))).toEqual(theirs)
          withoutEmpty(reference)
        }
      },
    ),
    { numRuns: 60, seed: 22 },
  )
})

it('gives out copies, with dates, in the order in which items were made', async () => {
  await using book = await open()
  const store = new DaybookStore(book)
  const value = { list: ['a'], when: new Date(0) }
  await store.put(['users', 'alice'], 'likes', value)
  value.list.push('b')
  const item = await store.get(['users', 'alice'], 'likes')
  expect(item).toMatchObject({ namespace: ['users', 'alice'], key: 'likes' })
  expect(item?.value).toEqual({ list: ['a'], when: new Date(0) })
  expect(item?.createdAt).toBeInstanceOf(Date)
  Object.assign(item?.value ?? {}, { list: 'changed' })
  expect((await store.get(['users', 'alice'], 'likes'))?.value['list']).toEqual(['a'])
  for (let i = 0; i < 25; i++) await store.put(['many'], `item-${String(i).padStart(2, '0')}`, { i })
  const keys = async (limit?: number, offset?: number) =>
    (await store.search(['many'], { ...(limit ? { limit } : {}), ...(offset ? { offset } : {}) })).map(
      (one) => one.key,
    )
  expect(await keys()).toHaveLength(10)
  expect(new Set([...(await keys(20)), ...(await keys(20, 20))]).size).toBe(25)
})

it('finds by words what was remembered, within its namespace, and not what is not to be indexed', async () => {
  await using book = await open()
  const store = new DaybookStore(book)
  await store.put(['alice'], 'one', { text: 'Grows tomatoes on the balcony', kind: 'fact' })
  await store.put(['bob'], 'one', { text: 'Sells tomatoes at the market' })
  await store.put(['alice'], 'two', { text: 'Hates tomatoes in salad', kind: 'secret' }, false)
  const found = await store.search(['alice'], { query: 'tomatoes' })
  expect(found.map(({ key }) => key)).toEqual(['one'])
  expect(found[0]?.score).toBeGreaterThan(0)
  expect(await store.search(['alice'], { query: 'tomatoes', filter: { kind: 'secret' } })).toEqual([])
  expect(await store.search([], { query: 'tomatoes' })).toHaveLength(2)
  expect((await book.recall({ text: 'tomatoes market' })).hits[0]?.record).toMatchObject({ kind: 'document' })
})

it('refuses what is no namespace in the words of the framework, and stores nothing of that batch', async () => {
  await using book = await open()
  const store = new DaybookStore(book)
  for (const namespace of [[], ['a.b'], ['', 'a'], ['langgraph'], [7 as never]]) {
    await expect(store.put(namespace, 'k', {})).rejects.toBeInstanceOf(InvalidNamespaceError)
  }
  const bad = store.batch([
    { namespace: ['a'], key: 'k', value: {} },
    { namespace: [], key: 'k', value: {} },
  ])
  await expect(bad).rejects.toBeInstanceOf(InvalidNamespaceError)
  const wrong: [string, unknown, string][] = [
    ['', {}, 'key'],
    ['k', 'text', 'value'],
    ['k', { n: new Float64Array(1) }, 'value.n'],
  ]
  for (const [key, value, path] of wrong) {
    expect((await failure(store.put(['a'], key, value as never))).details['path']).toBe(path)
  }
  expect((await book.stats()).total).toBe(0)
})

it('gives back every value as it came: bytes, dates, numbers, depth, size, marks, and any key', async () => {
  await using book = await open()
  const store = new DaybookStore(book)
  const value = {
    $first: 'x',
    bytes: new Uint8Array([0, 255, 7]),
    at: new Date(1_700_000_000_000),
    never: new Date(NaN),
    big: 2n ** 70n,
    snowflake: Number('1234567890123456789'),
    odd: [-0, NaN, Infinity, undefined, null],
    map: new Map([['a', new Set([1])]]),
    marks: foreign.marks,
    deep: foreign.nested(300),
  }
  const values: [string, Record<string, unknown>][] = [
    ['all', value],
    ['like a head', { $parts: [], $first: '{}' }],
    ['like a mark', { $bytes: 'not base64' }],
    ['#part 7', { a: 1 }],
    ['#part #part 8', { a: 2 }],
    ['long', { text: foreign.long, bytes: new Uint8Array([9]) }],
  ]
  for (const [key, one] of values) await store.put(['files'], key, one)
  for (const [key, one] of values) expect((await store.get(['files'], key))?.value).toEqual(one)
  const found = await store.search(['files'], { limit: 100 })
  expect(Object.fromEntries(found.map(({ key, value: one }) => [key, one]))).toEqual(
    Object.fromEntries(values),
  )
  expect(await store.listNamespaces()).toEqual([['files']])
  await store.put(['files'], 'long', { text: 'short now' })
  for (const [key] of values) await store.delete(['files'], key)
  expect((await book.documents.list()).documents).toEqual([])
})

it('finds a value that is larger than one document by its beginning, whole', async () => {
  await using book = await open()
  const store = new DaybookStore(book)
  const text = `Zanzibar ${'clove '.repeat(400_000)}`
  await store.put(['notes'], 'long', { text })
  const found = await store.search(['notes'], { query: 'zanzibar' })
  expect(found.map(({ key, value }) => [key, value['text'] === text])).toEqual([['long', true]])
})

it('refuses a function and an instance of a class, with their place', async () => {
  await using book = await open()
  const store = new DaybookStore(book)
  class Point {
    x = 1
  }
  const put = (value: object) => failure(store.put(['a'], 'k', { list: [{ value }] }))
  const refused = { code: 'invalid-input', details: { path: 'value.list.0.value' } }
  expect(await put(() => 1)).toMatchObject(refused)
  expect(await put(new Point())).toMatchObject(refused)
  expect(await store.get(['a'], 'k')).toBeNull()
})

it('finds by words as many items as are wanted, above the hits of one recall, also with a filter', async () => {
  await using book = await open()
  const store = new DaybookStore(book)
  const put = (i: number) => ({
    namespace: ['garden'],
    key: `k${i}`,
    value: { text: `tomatoes, bed ${i}`, half: i % 2 },
  })
  await store.batch(Array.from({ length: 450 }, (_, i) => put(i)))
  const keysOf = (items: readonly { readonly key: string }[]) => new Set(items.map(({ key }) => key))
  expect(keysOf(await store.search(['garden'], { query: 'tomatoes', limit: 1000 })).size).toBe(450)
  const [first, rest] = [
    await store.search(['garden'], { query: 'tomatoes', limit: 300 }),
    await store.search(['garden'], { query: 'tomatoes', limit: 300, offset: 300 }),
  ]
  expect([first.length, rest.length, keysOf([...first, ...rest]).size]).toEqual([300, 150, 450])
  const filter = { half: 1 }
  expect(keysOf(await store.search(['garden'], { query: 'tomatoes', filter, limit: 1000 })).size).toBe(225)
})

it('has the book filter, and reads few documents that do not match', async () => {
  await using book = await open()
  let count = 0
  const documents: typeof book.documents = Object.assign(
    Object.create(book.documents) as typeof book.documents,
    {
      list: async (query: Parameters<typeof book.documents.list>[0]) => {
        const page = await book.documents.list(query)
        count += page.documents.length
        return page
      },
    },
  )
  const store = new DaybookStore({ documents, recall: book.recall })
  const put = (i: number) => ({
    namespace: ['a'],
    key: `k${i}`,
    value: { i, red: i % 100 === 0, of: { deep: 1 } },
  })
  await store.batch(Array.from({ length: 500 }, (_, i) => put(i)))
  await store.put(['a'], 'large', { red: true, text: foreign.long })
  const filters: [object, number][] = [
    [{ red: true }, 6],
    [{ i: 7 }, 1],
    [{ i: { $in: [1, 2, 'x'] } }, 2],
    [{ red: { $eq: true }, i: { $gt: 100 } }, 3],
  ]
  for (const [filter, size] of filters) {
    expect(await store.search(['a'], { filter: filter as never, limit: 100 })).toHaveLength(size)
  }
  expect(count).toBeLessThan(100)
})

it('finds an item by the fields that are to be indexed, and by no other one', async () => {
  await using book = await open()
  const store = new DaybookStore(book)
  const value = { title: 'Tomatoes', parts: [{ of: 'potatoes' }, { of: 'carrots' }], color: 'red' }
  await store.put(['a'], 'one', value, ['title', 'parts[*].of'])
  await store.put(['a'], '#part like', { ...value, title: 'Onions' }, ['title'])
  await store.put(['a'], 'long', { title: 'Garlic', text: foreign.long }, ['title'])
  const keys = async (query: string, more = {}) =>
    (await store.search(['a'], { query, ...more })).map(({ key }) => key)
  expect(await keys('tomatoes')).toEqual(['one'])
  expect(await keys('carrots', { filter: { color: 'red' } })).toEqual(['one'])
  expect(await keys('carrots', { filter: { color: 'blue' } })).toEqual([])
  expect(await keys('onions')).toEqual(['#part like'])
  expect(await keys('garlic')).toEqual(['long'])
  expect([await keys('red'), await keys('color')]).toEqual([[], []])
  expect((await store.get(['a'], 'one'))?.value).toEqual(value)
  expect((await store.search(['a'], { filter: { title: 'Onions' } })).map(({ key }) => key)).toEqual([
    '#part like',
  ])
  // Another index, all fields, and no index.
  await store.put(['a'], 'one', value, ['color'])
  expect([await keys('tomatoes'), await keys('red')]).toEqual([[], ['one']])
  await store.put(['a'], 'one', value)
  expect([await keys('tomatoes'), await keys('red')]).toEqual([['one'], ['one']])
  for (const key of ['one', '#part like', 'long']) await store.delete(['a'], key)
  expect((await book.documents.list()).documents).toEqual([])
})
