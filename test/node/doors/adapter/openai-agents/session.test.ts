// Sessions of OpenAI's agents beside the framework's own in memory, and what a book adds: two processes, a crash, a history.
import { type AgentInputItem, MemorySession } from '@openai/agents-core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DaybookSession } from '../../../../../src/doors/adapter/openai-agents.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { failure } from '../../../../contract/book-case.ts'
import { foreign } from '../shared/foreign-data.ts'

const open = () => openDaybook({ name: 'session', path: ':memory:' })
const said = (content: string): AgentInputItem => ({ role: 'user', content })
const called = (callId: string, name = 'tool'): AgentInputItem => ({
  type: 'function_call',
  callId,
  name,
  arguments: '{}',
})

const item = fc.oneof(
  fc.constantFrom('one', 'two', 'Ünï').map(said),
  fc.constantFrom('c1', 'c2').map((callId) => called(callId)),
)
const items = fc.array(item, { maxLength: 3 })
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), items }),
  fc.record({ do: fc.constant('pop' as const) }),
  fc.record({ do: fc.constant('clear' as const) }),
  fc.record({ do: fc.constant('get' as const), limit: fc.constantFrom(undefined, 0, 1, 2, 100) }),
  fc.record({
    do: fc.constant('mutate' as const),
    callId: fc.constantFrom('c1', 'c2'),
    name: fc.constantFrom('x', 'y'),
  }),
  fc.record({
    do: fc.constant('transact' as const),
    operationId: fc.constantFrom('o1', 'o2', 'o3'),
    transaction: fc.oneof(
      items.map((items) => ({ type: 'append_items' as const, items })),
      fc.tuple(items, items).map(([expectedSuffix, replacement]) => ({
        type: 'replace_suffix' as const,
        expectedSuffix,
        replacement,
      })),
    ),
  }),
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

async function run(session: MemorySession | DaybookSession, one: Step): Promise<unknown> {
  switch (one.do) {
    case 'add':
      return session.addItems(one.items)
    case 'pop':
      return session.popItem()
    case 'clear':
      return session.clearSession()
    case 'get':
      return session.getItems(one.limit)
    case 'mutate': {
      const replacement = called(one.callId, one.name) as never
      return session.applyHistoryMutations({
        mutations: [{ type: 'replace_function_call', callId: one.callId, replacement }],
      })
    }
    case 'transact':
      return session.applyHistoryTransaction(one).catch((error: unknown) => (error as Error).message)
  }
}

it('answers random calls as the session of the framework does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      await using book = await open()
      const own = new DaybookSession(book, { sessionId: 'a/b' })
      const reference = new MemorySession({ sessionId: 'a/b' })
      for (const one of steps) {
        expect({ one, said: await run(own, one) }).toEqual({ one, said: await run(reference, one) })
      }
      expect(await new DaybookSession(book, { sessionId: 'a/b' }).getItems()).toEqual(
        await reference.getItems(),
      )
    }),
    { numRuns: 80, seed: 22 },
  )
})

it('takes and gives copies, with bytes in them', async () => {
  await using book = await open()
  const session = new DaybookSession(book)
  const item = {
    ...said('hello'),
    providerData: { bytes: new Uint8Array([0, 255]), list: [1] },
  } as AgentInputItem
  await session.addItems([item])
  ;(item.providerData as { list: number[] }).list.push(2)
  const [first] = await session.getItems()
  expect(first).toEqual({ ...said('hello'), providerData: { bytes: new Uint8Array([0, 255]), list: [1] } })
  Object.assign(first ?? {}, { content: 'changed' })
  expect((await session.getItems())[0]).toMatchObject({ content: 'hello' })
})

it('gives back every item as it came, as the session of the framework does', async () => {
  await using book = await open()
  const session = new DaybookSession(book, { sessionId: 'odd' })
  const reference = new MemorySession()
  const items = [
    { ...said('marks'), providerData: { marks: foreign.marks, ...foreign.marks[0] } },
    {
      ...said('numbers'),
      providerData: { id: Number('1234567890123456789'), n: 2n ** 80n, zero: -0, nan: NaN },
    },
    {
      ...said('values'),
      providerData: { at: new Date(5), bytes: new Uint8Array([1, 255]), map: new Map([[1, new Set([2])]]) },
    },
    { ...said('deep'), providerData: { deep: foreign.nested(300) } },
    said(foreign.long),
    { $bytes: 'not base64' },
  ] as unknown as AgentInputItem[]
  await session.addItems(items)
  await reference.addItems(items)
  expect(await session.getItems()).toEqual(await reference.getItems())
  expect(await new DaybookSession(book, { sessionId: 'odd' }).getItems(2)).toEqual(items.slice(-2))
  expect([await session.popItem(), await session.popItem()]).toEqual(items.slice(-2).toReversed())
  await session.clearSession()
  expect((await book.documents.list()).documents).toEqual([])
})

it('reads an item that an earlier version wrote, with a mark that says nothing', async () => {
  await using book = await open()
  const old = { ...said('old'), providerData: { bytes: { $bytes: 'AP8=' }, odd: { $bytes: 'not base64' } } }
  await book.documents.write({
    changes: [{ folder: 'sessions/old/', key: '000000000000', value: { item: old } as never }],
  })
  const session = new DaybookSession(book, { sessionId: 'old' })
  expect(await session.getItems()).toEqual([
    { ...old, providerData: { ...old.providerData, bytes: new Uint8Array([0, 255]) } },
  ])
})

it('skips what something else put into a session, tells of it, and goes on behind it', async () => {
  await using book = await open()
  const skipped: string[] = []
  const session = new DaybookSession(book, { sessionId: 's', onSkipped: ({ key }) => void skipped.push(key) })
  await session.addItems([said('one')])
  await book.documents.write({
    changes: [{ folder: 'sessions/s/', key: '000000000001', value: { other: true } }],
  })
  await session.addItems([said('two')])
  expect(await session.getItems()).toEqual([said('one'), said('two')])
  expect(new Set(skipped)).toEqual(new Set(['000000000001']))
  await session.clearSession()
  expect((await book.documents.list()).documents).toEqual([])
})

it('loses nothing of two processes on one session, and applies one operation of both once', async () => {
  await using book = await open()
  const both = [0, 1].map(() => new DaybookSession(book, { sessionId: 's' }))
  await Promise.all(
    both.flatMap((session, i) => [0, 1, 2, 3, 4].map((n) => session.addItems([said(`${i}-${n}`)]))),
  )
  expect(new Set((await both[0]?.getItems())?.map((one) => JSON.stringify(one))).size).toBe(10)
  const transaction = { type: 'append_items', items: [said('once')] } as const
  const operation = { operationId: 'run-1', transaction: { ...transaction, items: [...transaction.items] } }
  await Promise.all(both.map((session) => session.applyHistoryTransaction(operation)))
  expect(await both[1]?.getItems()).toHaveLength(11)
  const popped = await Promise.all(both.flatMap((session) => [session.popItem(), session.popItem()]))
  expect(new Set(popped.map((one) => JSON.stringify(one))).size).toBe(4)
  expect(await both[0]?.getItems()).toHaveLength(7)
  expect(await new DaybookSession(book, { sessionId: 'other' }).getItems()).toEqual([])
})

it('has what was said in recall, and no calls of tools', async () => {
  await using book = await open()
  await new DaybookSession(book).addItems([said('I moved to Lisbon'), called('c1', 'lisbon')])
  const { hits } = await book.recall({ text: 'Lisbon' })
  expect(hits.map(({ record }) => record['value'])).toEqual([{ item: said('I moved to Lisbon') }])
})

it('refuses what is no item, id or transaction, and stores nothing', async () => {
  await using book = await open()
  expect(() => new DaybookSession(book, { sessionId: '' })).toThrow('1 to 500 characters')
  const session = new DaybookSession(book, { sessionId: '../x' })
  const ring: Record<string, unknown> = { ...said('ring') }
  ring['own'] = ring
  const bad = [
    [session.addItems([said('fine'), 'text' as never]), 'items.1'],
    [session.addItems([ring as never]), 'items.0'],
    [session.applyHistoryTransaction({ operationId: ' ', transaction: {} as never }), 'operationId'],
    [session.applyHistoryTransaction({ operationId: 'o', transaction: {} as never }), 'transaction.type'],
    [
      session.applyHistoryTransaction({ operationId: 'o', transaction: { type: 'append_items' } as never }),
      'transaction.items',
    ],
  ] as const
  for (const [call, path] of bad) {
    expect(await failure(call)).toMatchObject({ code: 'invalid-input', details: { path } })
  }
  expect((await book.stats()).total).toBe(0)
})

const oddValues: Readonly<Record<string, unknown>> = {
  bytes: new Uint8Array([0, 255]),
  undefined: undefined,
  'not a number': NaN,
  'no prototype': Object.assign(Object.create(null) as object, { a: 1 }),
  date: new Date(0),
  'typed array': new Float32Array([1]),
  map: new Map([[1, 2]]),
  set: new Set([1]),
  bigint: 5n,
  symbol: Symbol('x'),
  function: () => 1,
  'list with a hole': Object.assign(Array.from({ length: 0 }), { 1: 1 }),
  'list with a name': Object.assign([1], { name: 2 }),
  instance: new (class Point {
    x = 1
  })(),
  'symbol as a name': { [Symbol('x')]: 1 },
  getter: {
    get a() {
      return 1
    },
  },
}

it.each(Object.keys(oddValues))(
  'takes and refuses in a transaction as the framework does: %s',
  async (name) => {
    await using book = await open()
    const item = () => ({ ...said('x'), providerData: { value: oddValues[name] } }) as AgentInputItem
    const outcome = async (session: MemorySession | DaybookSession) => {
      const transaction = { type: 'append_items' as const, items: [item()] }
      const error: unknown = await session
        .applyHistoryTransaction({ operationId: 'o', transaction })
        .catch((thrown: unknown) => thrown)
      return [error === undefined, await session.getItems()]
    }
    expect(await outcome(new DaybookSession(book))).toEqual(await outcome(new MemorySession()))
  },
)

it('refuses a transaction with other fields in the words of the framework', async () => {
  await using book = await open()
  const wrong = [
    [null, 'Session history transaction must be an object.'],
    [5, 'Session history transaction must be an object.'],
    [{ type: 'append_items', items: [], extra: 1 }, 'fields are invalid.'],
    [{ type: 'replace_suffix', items: [] }, 'fields are invalid.'],
    [{ type: 'other' }, 'Unsupported session history transaction type.'],
  ] as const
  for (const [transaction, message] of wrong)
    for (const session of [new DaybookSession(book), new MemorySession()]) {
      const args = { operationId: 'o', transaction: transaction as never }
      await expect(session.applyHistoryTransaction(args)).rejects.toThrow(message)
    }
})

it('refuses a function or symbol in an item, as the framework does, and stores nothing', async () => {
  await using book = await open()
  for (const session of [new DaybookSession(book), new MemorySession()])
    for (const value of [() => 1, Symbol('x')]) {
      await expect(session.addItems([{ ...said('x'), providerData: { value } }])).rejects.toThrow(
        /unsupported data|could not be cloned/,
      )
      expect(await session.getItems()).toEqual([])
    }
})

it('reads few items of a long history to append, to pop and to return the newest', async () => {
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
  const all = Array.from({ length: 300 }, (_, i) => said(`message ${i}`))
  await new DaybookSession(book, { sessionId: 's' }).addItems(all)
  const session = new DaybookSession({ documents }, { sessionId: 's' })
  for (let i = 0; i < 2; i++) {
    expect(await session.getItems(20)).toEqual(all.slice(-20))
    await session.addItems([said('one more')])
    expect(await session.popItem()).toEqual(said('one more'))
    const transaction = {
      type: 'replace_suffix' as const,
      expectedSuffix: all.slice(-2),
      replacement: all.slice(-2),
    }
    await session.applyHistoryTransaction({ operationId: `o${i}`, transaction })
  }
  expect(count).toBeLessThan(100)
  // Another process empties the history, or shortens it.
  await new DaybookSession(book, { sessionId: 's' }).clearSession()
  expect(await session.getItems(20)).toEqual([])
  await new DaybookSession(book, { sessionId: 's' }).addItems(all.slice(0, 5))
  expect(await session.getItems(20)).toEqual(all.slice(0, 5))
  await session.addItems([said('six')])
  expect(await session.getItems(2)).toEqual([all[4], said('six')])
})
