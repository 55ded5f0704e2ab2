// The shortest door: a call in this thread ends when its deadline or its signal does, and what it waits for is told so.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { failure } from '../../contract/book-case.ts'

// It takes every question and answers none.
const server = createServer((request) => request.resume()).listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const open = () => openDaybook({ name: 'timed', path: ':memory:', embedder: { provider: 'http', url } })

it('ends a call at its deadline', async () => {
  await using book = await open()
  const late = await failure(book.embedder.embed({ texts: ['one'] }, { deadlineMs: 50 }))
  expect(late).toMatchObject({ code: 'deadline-exceeded', details: { deadlineMs: 50 } })
})

it('ends a call that has a deadline by its signal as well', async () => {
  await using book = await open()
  const abort = new AbortController()
  const call = book.embedder.embed({ texts: ['one'] }, { deadlineMs: 50_000, signal: abort.signal })
  abort.abort()
  expect((await failure(call)).code).toBe('aborted')
  const { signal } = abort
  expect((await failure(book.status({}, { deadlineMs: 50_000, signal }))).code).toBe('aborted')
})

it('answers in time what can be answered in time', async () => {
  await using book = await open()
  expect((await book.status({}, { deadlineMs: 50_000 })).records).toEqual({})
})

const fact = { schema: 'note', data: { text: 'x' } }
/** How many records a book has. */
async function count(book: Awaited<ReturnType<typeof open>>): Promise<number> {
  return Object.values((await book.status()).records).reduce((sum, one) => sum + one, 0)
}

it('does not store what was cancelled before its transaction began', async () => {
  await using book = await open()
  const abort = new AbortController()
  const { signal } = abort
  const calls = Array.from({ length: 20 }, () => failure(book.facts.store(fact, { signal })))
  const other = book.facts.store(fact)
  abort.abort()
  expect((await Promise.all(calls)).map(({ code, details }) => [code, details])).toEqual(
    Array.from({ length: 20 }, () => ['aborted', {}]),
  )
  await other
  expect(await count(book)).toBe(1)
})

it('answers a cancelled import with its result, or stores nothing', async () => {
  await using book = await open()
  const outcomes = new Set<unknown>()
  let stored = 0
  for (let turn = 0; turn < 40; turn++) {
    const abort = new AbortController()
    const text = `imported ${turn}\n`
    const call = book.import(`# A\n${text}\n# B\n${text}`, { name: `${turn}.md`, signal: abort.signal })
    const settled = call.then(
      ({ imported }) => imported,
      (error: { code: string }) => error.code,
    )
    for (let step = 0; step < turn * 5; step++) await Promise.resolve()
    if (turn > 30) await new Promise((resolve) => setTimeout(resolve, turn - 30))
    abort.abort()
    const outcome = await settled
    outcomes.add(outcome)
    await new Promise((resolve) => setTimeout(resolve, 20))
    const now = await count(book)
    expect([turn, outcome, now - stored]).toEqual([turn, outcome, outcome === 2 ? 2 : 0])
    stored = now
  }
  expect([...outcomes].sort()).toEqual([2, 'aborted'])
})

it('begins no call that has no time', async () => {
  await using book = await open()
  const late = await failure(book.facts.store(fact, { deadlineMs: 0 }))
  expect(late).toMatchObject({ code: 'deadline-exceeded', details: { deadlineMs: 0 } })
  expect(await count(book)).toBe(0)
})

it('reads each member of an input once', async () => {
  await using book = await open()
  const changing = (...values: unknown[]) => ({
    get one() {
      return values.length > 1 ? values.shift() : values[0]
    },
  })
  for (const second of [Number.NaN, new Map(), JSON.parse('{"__proto__":1}')] as unknown[]) {
    const data = changing(1, second)
    const { id } = await book.facts.store({ schema: 'note', data })
    expect(await book.records.get({ id })).toMatchObject({ data: { one: 1 } })
  }
  const data = {
    list: [
      {
        get one() {
          throw new Error('no')
        },
      },
    ],
  }
  const unread = await failure(book.facts.store({ schema: 'note', data }))
  expect(unread).toMatchObject({ code: 'invalid-input', details: { path: 'data.list.0.one' } })
  const proxied = new Proxy({ deep: new Proxy(Object.assign([1], { 2: 3 }), {}) }, {})
  const { id } = await book.facts.store({ schema: 'note', data: proxied })
  expect(JSON.stringify(((await book.records.get({ id })) as { data?: unknown }).data)).toBe(
    '{"deep":[1,null,3]}',
  )
  const cyclic: Record<string, unknown> = {}
  Object.assign(cyclic, { a: cyclic, b: cyclic })
  expect((await failure(book.facts.store({ schema: 'note', data: cyclic }))).code).toBe('invalid-input')
  const odd = await failure(
    book.facts.store({ schema: 'note', data: JSON.parse('{"a":{"__proto__":1}}') as {} }),
  )
  expect(odd.details).toEqual({ path: 'data.a.__proto__' })
})

it('ends the wait for the stream of an import or a check, and cancels its reader', async () => {
  await using book = await open()
  const cancelled: string[] = []
  const hanging = (name: string) =>
    new ReadableStream({ pull: () => new Promise(() => {}), cancel: () => void cancelled.push(name) })
  const signal = () => AbortSignal.timeout(30)
  expect((await failure(book.import(hanging('a'), { signal: signal() }))).code).toBe('aborted')
  expect((await failure(book.verify(hanging('b'), { signal: signal() }))).code).toBe('aborted')
  const late = await failure(book.import(hanging('c'), { deadlineMs: 30 }))
  expect(late).toMatchObject({ code: 'deadline-exceeded', details: { deadlineMs: 30 } })
  async function* slow() {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      yield '# x\n\ny\n'
    }
  }
  const options = { format: 'markdown', deadlineMs: 100 } as const
  expect((await failure(book.import(slow(), options))).code).toBe('deadline-exceeded')
  expect(cancelled).toEqual(['a', 'b', 'c'])
  expect(await count(book)).toBe(0)
})

it('says which source could not be read', async () => {
  await using book = await open()
  const broken = new ReadableStream({ pull: () => Promise.reject(new TypeError('lost')) })
  const error = await failure(book.import(broken, { name: 'a.md' }))
  expect(error).toMatchObject({ code: 'invalid-input', details: { path: 'source' } })
  expect(error.message).toContain('lost')
})

it('says in its own words that options cannot be read', async () => {
  await using book = await open()
  const unread = {
    get requestId(): never {
      throw new Error('no')
    },
  }
  expect((await failure(book.status({}, unread))).code).toBe('invalid-input')
  const options = {
    name: 'unread',
    get path(): never {
      throw new Error('no')
    },
  }
  expect((await failure(openDaybook(options))).code).toBe('invalid-input')
})
