// Collections that read on demand beside the framework's own in memory: live queries with conditions, orders and limits, over
// rows that change while they are looked at.
import {
  and,
  type Collection,
  createCollection,
  createLiveQueryCollection,
  eq,
  gt,
  gte,
  ilike,
  inArray,
  isNull,
  isUndefined,
  localOnlyCollectionOptions,
  lt,
  lte,
  not,
  or,
} from '@tanstack/db'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { daybookCollectionOptions } from '../../../../../src/doors/adapter/tanstack-db/collection.ts'
import { openBook } from './rows-case.ts'

interface Row {
  id: string
  n?: number | null
  text?: string | null
  at?: Date | null
  big?: bigint
}
type Rows = Collection<Row, string>

// The framework warns of an order that no index serves.
vi.spyOn(console, 'warn').mockImplementation(() => undefined)

const texts = ['a', 'B', 'b', 'ä', '\uff5e', '\u{1f600}', '']
const days = [0, 86_400_000, 1_700_000_000_000].map((time) => new Date(time))
const row = (id: string) =>
  fc.record(
    {
      id: fc.constant(id),
      n: fc.oneof(
        { arbitrary: fc.constantFrom(null, 0, 1, 2, 2.5, -1), weight: 9 },
        fc.constantFrom(Number.NaN, -Infinity, -0, 2 ** 60, -1e300),
      ),
      text: fc.constantFrom(null, ...texts),
      at: fc.constantFrom(null, ...days),
      big: fc.constantFrom(1n, 10n, 9n),
    },
    { requiredKeys: ['id'] },
  )
const ids = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'r9']
const rows = fc.tuple(...ids.map(row)).chain((all) => fc.shuffledSubarray(all, { minLength: 4 }))

const operand = fc.oneof(
  fc.tuple(fc.constant('n' as const), fc.constantFrom<unknown>(0, 1, 2, null, Infinity, 2 ** 60)),
  fc.tuple(fc.constant('text' as const), fc.constantFrom<unknown>(...texts)),
  fc.tuple(fc.constant('at' as const), fc.constantFrom<unknown>(...days)),
  fc.tuple(fc.constant('big' as const), fc.constantFrom<unknown>(1n, 9n)),
)
type Where = (row: never) => never
const where: fc.Arbitrary<Where> = fc.letrec<{ leaf: Where; node: Where }>((tie) => ({
  leaf: fc.oneof(
    fc.tuple(fc.constantFrom(eq, gt, gte, lt, lte), operand).map(
      ([sign, [field, value]]) =>
        (one: never) =>
          (sign as (...given: unknown[]) => never)(one[field], value),
    ),
    fc.tuple(fc.constantFrom(isNull, isUndefined), operand).map(
      ([test, [field]]) =>
        (one: never) =>
          test(one[field]) as never,
    ),
    fc.constantFrom<Where>(
      (one: never) => inArray(one['n'], [0, 2, null]) as never,
      (one: never) => ilike(one['text'], 'b%') as never,
    ),
  ),
  node: fc.oneof(
    { maxDepth: 2 },
    tie('leaf'),
    tie('node').map((inner) => (one: never) => not(inner(one)) as never),
    fc.tuple(fc.constantFrom(and, or), tie('node'), tie('node')).map(
      ([join, left, right]) =>
        (one: never) =>
          join(left(one), right(one)) as never,
    ),
  ),
})).node

const question = fc.record({
  where: fc.option(where, { nil: undefined }),
  order: fc.option(
    fc.record({
      field: fc.constantFrom('n', 'text', 'at', 'big'),
      direction: fc.constantFrom('asc' as const, 'desc' as const),
      nulls: fc.constantFrom('first' as const, 'last' as const),
      limit: fc.constantFrom(1, 2, 3),
      offset: fc.constantFrom(0, 1, 2),
    }),
    { nil: undefined },
  ),
})
type Question = typeof question extends fc.Arbitrary<infer One> ? One : never

/** A live query, as an application writes it. */
function ask(source: Rows, { where: wanted, order }: Question) {
  return createLiveQueryCollection({
    startSync: true,
    query: (q) => {
      let query = q.from({ row: source })
      if (wanted) query = query.where(({ row }) => wanted(row as never))
      if (!order) return query
      const { field, direction, nulls, limit, offset } = order
      return query
        .orderBy(({ row }) => row[field as 'n'], { direction, nulls })
        .orderBy(({ row }) => row.id)
        .limit(limit)
        .offset(offset)
    },
  })
}

const seen = (found: { readonly toArray: readonly object[] }, { order }: Question) => {
  const list = found.toArray.map((one) => (one as Row).id)
  return order ? list : list.sort()
}

/** Resolves as soon as `found` shows what is wanted; what it shows instead is told when nothing comes any more. */
async function settled(
  found: { subscribeChanges(tell: () => void, options: object): { unsubscribe(): void } },
  look: () => string[],
  wanted: string[],
) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const check = () => JSON.stringify(look()) === JSON.stringify(wanted) && resolve()
  const subscription = found.subscribeChanges(check, { includeInitialState: true })
  check()
  const tooLate = setTimeout(resolve, 30_000)
  await promise
  clearTimeout(tooLate)
  subscription.unsubscribe()
  expect(look()).toEqual(wanted)
}

it.each([
  ['by characters', { defaultStringCollation: { stringSort: 'lexical' as const } }],
  ['by the locale', {}],
])(
  'answers live queries as a collection in memory does, also when rows change meanwhile: texts %s',
  async (_how, collation) => {
    const book = await openBook()
    let folder = 0
    await fc.assert(
      fc.asyncProperty(
        rows,
        rows,
        fc.array(question, { minLength: 1, maxLength: 3 }),
        async (first, then, questions) => {
          const own = { book, folder: `rows/${folder++}/`, getKey: ({ id }: Row) => id, ...collation }
          const stored = createCollection(daybookCollectionOptions<Row, string>(own)) as unknown as Rows
          const model = createCollection(
            localOnlyCollectionOptions<Row, string>({
              getKey: ({ id }) => id,
              ...collation,
            }),
          ) as unknown as Rows
          await stored.preload()
          const put = async (target: Rows, all: readonly Row[]) => {
            for (const one of all) {
              if (target.has(one.id)) await target.delete(one.id).isPersisted.promise
              await target.insert(structuredClone(one)).isPersisted.promise
            }
          }
          await put(stored, first)
          await put(model, first)
          const asked = createCollection(
            daybookCollectionOptions<Row, string>({ ...own, syncMode: 'on-demand' }),
          ) as unknown as Rows
          const pairs = questions.map((one) => ({ one, found: ask(asked, one), wanted: ask(model, one) }))
          await Promise.all(pairs.map(({ found }) => found.preload()))
          for (const { one, found, wanted } of pairs) expect(seen(found, one)).toEqual(seen(wanted, one))
          await put(stored, then)
          await put(model, then)
          for (const { one, found, wanted } of pairs) {
            await settled(found, () => seen(found, one), seen(wanted, one))
          }
          for (const { found, wanted } of pairs) await Promise.all([found.cleanup(), wanted.cleanup()])
          await Promise.all([stored.cleanup(), asked.cleanup(), model.cleanup()])
        },
      ),
      { numRuns: 8 },
    )
  },
)

it('reads what is asked for and not the rest, a page of it where there is an order', async () => {
  const book = await openBook()
  const own = { book, folder: 'rows/', getKey: ({ id }: Row) => id }
  const changes = Array.from({ length: 500 }, (_, n) => {
    const id = `r${String(n).padStart(3, '0')}`
    return { folder: 'rows/', key: id, value: { id, n, text: n % 2 ? 'odd' : 'even' } }
  })
  await book.documents.write({ changes })
  const asked = createCollection(
    daybookCollectionOptions<Row, string>({ ...own, syncMode: 'on-demand' }),
  ) as unknown as Rows
  await asked.preload()
  expect(asked.size).toBe(0)
  const few = ask(asked, { where: (one: never) => lt(one['n'], 10) as never, order: undefined })
  await few.preload()
  expect(asked.size).toBe(10)
  const newest = ask(asked, {
    where: (one: never) => eq(one['text'], 'odd') as never,
    order: { field: 'n', direction: 'desc', nulls: 'last', limit: 3, offset: 0 },
  })
  await newest.preload()
  expect(newest.toArray.map(({ id }) => id)).toEqual(['r499', 'r497', 'r495'])
  expect(asked.size).toBeLessThan(20)
  // A row that nobody asked for does not come in by being changed.
  await book.documents.write({
    changes: [{ folder: 'rows/', key: 'r100', value: { id: 'r100', n: 100, text: 'x' } }],
  })
  await book.documents.write({
    changes: [{ folder: 'rows/', key: 'r501', value: { id: 'r501', n: 501, text: 'odd' } }],
  })
  await settled(newest, () => newest.toArray.map(({ id }) => id), ['r501', 'r499', 'r497'])
  expect(asked.has('r100')).toBe(false)
})

it('answers a query with more conditions than a book takes at once', async () => {
  const book = await openBook()
  await book.documents.write({
    changes: ids.map((id, n) => ({ folder: 'rows/', key: id, value: { id, n } })),
  })
  const asked = createCollection(
    daybookCollectionOptions<Row, string>({
      book,
      folder: 'rows/',
      getKey: ({ id }: Row) => id,
      syncMode: 'on-demand',
    }),
  ) as unknown as Rows
  const order = { field: 'n', direction: 'asc', nulls: 'last', limit: 2, offset: 0 } as const
  for (const count of [14, 40]) {
    const many = (one: never) =>
      Array.from({ length: count }, (_, i) => lt(one['n'], 4 + i)).reduce((left, right) =>
        and(left, right),
      ) as never
    const found = ask(asked, { where: many, order })
    await found.preload()
    expect(found.toArray.map(({ id }) => id)).toEqual(['r0', 'r1'])
  }
})
