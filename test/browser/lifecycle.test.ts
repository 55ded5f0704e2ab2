// What a page must survive: a second opener, a worker that dies, an answer that does not come, input that can't be sent.
import { afterEach, expect, it } from 'vitest'
import { isDaybookError, openDaybook, type OpenOptions } from '../../src/index.ts'
import type { Daybook } from '../../src/book/daybook.ts'
import { WorkerLink } from '../../src/hosts/browser/page/worker-link.ts'
import { failure } from '../contract/book-case.ts'
import { makeTrace } from '../support/trace.ts'

const workers: Worker[] = []
const RealWorker = globalThis.Worker
globalThis.Worker = class extends RealWorker {
  constructor(...args: ConstructorParameters<typeof Worker>) {
    super(...args)
    workers.push(this)
  }
}

const books: Daybook[] = []
afterEach(async () => {
  for (const book of books.splice(0)) await book.close()
})
const open = async (options: Partial<OpenOptions> = {}) => {
  const book = await openDaybook({ name: `life-${crypto.randomUUID()}`, ...options })
  books.push(book)
  return book
}

it('is durable, and says so', async () => {
  const book = await open()
  const status = await book.status()
  expect(status.durability).toBe('opfs')
  expect(status.quotaBytes).toBeGreaterThan(0)
  expect(typeof status.persisted).toBe('boolean')
})

it('is closed at the end of its block', async () => {
  const name = `life-${crypto.randomUUID()}`
  let id = ''
  {
    await using book = await openDaybook({ name })
    id = (await book.traces.store(makeTrace())).id
  }
  const again = await open({ name })
  expect(await again.traces.get({ id })).not.toBeNull()
})

it('serves a second opener, and hands the book over to it', async () => {
  const name = `life-${crypto.randomUUID()}`
  const first = await open({ name, agent: 'first' })
  const mine = await first.traces.store(makeTrace())
  const second = await open({ name, agent: 'second' })
  const theirs = await second.traces.store(makeTrace())
  expect((await first.traces.get({ id: theirs.id }))?.agent).toBe('second')
  expect((await second.traces.get({ id: mine.id }))?.agent).toBe('first')
  expect(await first.status()).toMatchObject({ owner: true, agent: 'first' })
  expect(await second.status()).toMatchObject({ owner: false, agent: 'second', durability: 'opfs' })
  const told = new Promise<unknown>((resolve) => second.on('status', (now) => now.owner && resolve(now)))
  await first.close()
  expect(await told).toMatchObject({ owner: true, durability: 'opfs' })
  expect((await second.traces.count()).total).toBe(2)
  expect(await second.status()).toMatchObject({ owner: true })
})

it('rejects every pending call when the worker is terminated, and keeps what was acknowledged', async () => {
  const name = `life-${crypto.randomUUID()}`
  const book = await open({ name })
  const { id } = await book.traces.store(makeTrace())
  const told = new Promise<string>((resolve) => book.on('closed', ({ reason }) => resolve(reason)))
  const pending = Array.from({ length: 20 }, () => book.traces.store(makeTrace()))
  workers.at(-1)?.terminate()
  const outcomes = await Promise.allSettled(pending)
  const lost = outcomes.filter((one) => one.status === 'rejected')
  expect(lost.length).toBeGreaterThan(0)
  expect(lost.every(({ reason }) => isDaybookError(reason, 'engine-died'))).toBe(true)
  expect(await told).toMatch(/stopped unexpectedly/)
  expect((await failure(book.traces.count())).code).toBe('engine-died')
  const again = await open({ name })
  expect(await again.traces.get({ id })).not.toBeNull()
  const acknowledged = outcomes.filter((one) => one.status === 'fulfilled').length
  expect((await again.traces.count()).total).toBeGreaterThanOrEqual(1 + acknowledged)
})

it('keeps every acknowledged trace when the worker is killed in the middle of a stream of writes', async () => {
  const name = `life-${crypto.randomUUID()}`
  const book = await open({ name })
  const acknowledged: string[] = []
  const writing = (async () => {
    for (;;) acknowledged.push((await book.traces.store(makeTrace())).id)
  })().catch(() => undefined)
  while (acknowledged.length < 200) await book.status()
  workers.at(-1)?.terminate()
  await writing
  const again = await open({ name })
  const kept = await Promise.all(acknowledged.map((id) => again.traces.get({ id })))
  expect(kept.filter((trace) => trace === null)).toEqual([])
  expect((await again.recall({ text: 'recursion', limit: 1 })).hits).toHaveLength(1)
})

it('gives up on a call at its deadline', async () => {
  const book = await open()
  const traces = Array.from({ length: 1000 }, () => makeTrace())
  const slow = failure(book.traces.storeMany({ traces }, { deadlineMs: 1 }))
  expect(await slow).toMatchObject({ code: 'deadline-exceeded', retry: true, details: { deadlineMs: 1 } })
})

it('cancels a call that waits', async () => {
  const book = await open()
  const abort = new AbortController()
  const call = failure(
    book.traces.storeMany(
      { traces: Array.from({ length: 1000 }, () => makeTrace()) },
      { signal: abort.signal },
    ),
  )
  abort.abort()
  // The worker may store them: only the caller's wait has ended.
  expect(await call).toMatchObject({ code: 'aborted', details: { mayHaveBegun: true } })
  const { signal } = abort
  expect(await failure(book.traces.store(makeTrace(), { signal }))).toMatchObject({ details: {} })
})

it('says so when the input cannot be sent, and spares the calls made together with it', async () => {
  const book = await open()
  const throwing = {
    get extra(): never {
      throw new Error('no')
    },
  }
  const wrong = [() => 1, throwing].map((extra) =>
    failure(book.traces.store({ ...makeTrace(), extra } as never)),
  )
  const right = book.traces.store(makeTrace())
  const errors = await Promise.all(wrong)
  expect(errors.map(({ code, details }) => [code, details['path']])).toEqual([
    ['invalid-input', 'extra'],
    ['invalid-input', 'extra.extra'],
  ])
  expect((await right).durability).toBe('opfs')
})

it('takes proxies, such as reactive objects, as input and as options', async () => {
  const reactive = <Value extends object>(value: Value): Value =>
    new Proxy(value, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown
        return typeof member === 'object' && member !== null ? reactive(member) : member
      },
    })
  const book = await open(reactive({ room: { slots: 10 } }))
  const scope = reactive({ agent: 'other' })
  const { id } = await book.facts.store(reactive({ schema: 'n', data: { list: [1, { two: 2 }] } }), { scope })
  expect(await book.records.get({ id })).toMatchObject({ agent: 'other', data: { list: [1, { two: 2 }] } })
})

it('closes once for closings at once, and stores what was sent before', async () => {
  const name = `life-${crypto.randomUUID()}`
  const book = await openDaybook({ name })
  const writes = Array.from({ length: 100 }, () => book.traces.store(makeTrace()))
  const closing = Promise.all([book.close(), book.close(), book[Symbol.asyncDispose]()])
  expect((await failure(book.status())).code).toBe('book-closed')
  await closing
  expect(new Set((await Promise.all(writes)).map(({ id }) => id)).size).toBe(100)
  await using again = await openDaybook({ name })
  expect((await again.status()).records).toMatchObject({ trace: 100 })
})

it.each([
  [{ name: '' }, 'name'],
  [{ name: '../x' }, 'name'],
  [{ name: 'a'.repeat(65) }, 'name'],
  [{ agent: '' }, 'agent'],
  [{ session: '\ud800' }, 'session'],
  [{ require: 'durable', onUnavailable: 'memory' }, 'onUnavailable'],
  [{ durability: 'Strict' }, 'durability'],
  [{ embeder: { provider: 'lsa' } }, 'embeder'],
  [{ embedder: { provider: 'lsa', dimension: 64 } }, 'embedder.dimension'],
  [{ llm: { provider: 'browser', language: ['en'] } }, 'llm.language'],
  [{ sync: { url: 'https://x', key: 'k', background: { kye: 'k' } } }, 'sync.background.kye'],
  [{ sync: { url: 'https://x', key: 'k', triggers: { onWake: true } } }, 'sync.triggers.onWake'],
  [{ sync: { url: 'https://x', key: 'k', push: 'traces' } }, 'sync.push'],
] as [object, string][])('refuses to open with %j', async (options, path) => {
  expect(await failure(open(options as Partial<OpenOptions>))).toMatchObject({
    code: 'invalid-input',
    details: { path },
  })
})

it('does not open when cancelled, before or in the middle', async () => {
  expect((await failure(open({ signal: AbortSignal.abort() }))).code).toBe('aborted')
  const name = `life-${crypto.randomUUID()}`
  const abort = new AbortController()
  const opening = failure(open({ name, signal: abort.signal }))
  abort.abort()
  expect((await opening).code).toBe('aborted')
  expect((await (await open({ name })).traces.count()).total).toBe(0)
})

it('ends a worker at once whose opening is cancelled, whatever that is doing', async () => {
  const ended: Worker[] = []
  const Watched = globalThis.Worker
  globalThis.Worker = class extends RealWorker {
    constructor() {
      // One that hears nothing.
      super(URL.createObjectURL(new Blob(['for (;;);'])))
    }
    override terminate() {
      ended.push(this)
      super.terminate()
    }
  }
  const abort = new AbortController()
  const opening = failure(openDaybook({ name: `life-${crypto.randomUUID()}`, signal: abort.signal }))
  globalThis.Worker = Watched
  abort.abort()
  // Nothing is waited for: not even a timer of no time is first.
  const next = new Promise((resolve) => setTimeout(resolve))
  expect(await Promise.race([opening, next])).toMatchObject({ code: 'aborted' })
  expect(ended).toHaveLength(1)
})

it('lets who comes late to a worker that was closed find it gone, and throws nothing of its own at him', async () => {
  const worker = new Worker(new URL('../../src/hosts/browser/worker.ts', import.meta.url), { type: 'module' })
  const link = new WorkerLink(worker, () => undefined)
  await link.close()
  // The browser may say that a service worker is ready, or hide the page, when its book was closed long ago.
  expect(() => link.allowBackground(true)).not.toThrow()
  expect(await link.spill()).toBe(false)
  expect((await failure(link.tools.list(['kstar']))).code).toBe('book-closed')
})
