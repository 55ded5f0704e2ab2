// The Durable Object itself: what it answers over RPC, and that throwing it away between any two calls loses nothing.
import {
  evictDurableObject,
  listDurableObjectIds,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { makeTrace } from '../support/trace.ts'
import { call, expectError, newBook, run, syncRequest, traceOp } from './http/http.ts'

const sync = (book: string) => `/v1/books/${book}/sync`
const evict = (book: string) => evictDurableObject(env.MIRROR.getByName(book))

describe('the Mirror', () => {
  it('answers errors as values, with all their fields', async () => {
    const stub = env.MIRROR.getByName(newBook())
    expect(await stub.exchange('{"p":9}')).toEqual({
      ok: false,
      error: {
        code: 'server-too-old',
        message: expect.any(String) as string,
        retry: false,
        details: { spoken: 9, known: [1] },
      },
    })
    expect(await stub.call('kstar:nothing', {}, {})).toMatchObject({
      ok: false,
      error: { code: 'unknown-capability' },
    })
    expect(await stub.exchange('x'.repeat(10))).toMatchObject({ ok: false, error: { code: 'invalid-input' } })
  })

  it('loses nothing when it is thrown away between any two requests', async () => {
    const book = newBook()
    const ids: string[] = []
    let epoch: string | null = null
    for (let mid = 1; mid <= 5; mid++) {
      const op = traceOp({ mid, id: `trace-${mid}` })
      const request = syncRequest({
        epoch,
        ackedMid: mid - 1,
        ops: [op],
        pull: { cursor: 0, limit: 100, maxBytes: 500_000 },
      })
      const first = (await (await call(sync(book), { body: request })).json()) as {
        epoch: string
        results: unknown[]
      }
      await evict(book)
      // Asked again after the eviction, the answer is the stored one.
      const second = (await (await call(sync(book), { body: request })).json()) as {
        epoch: string
        results: unknown[]
      }
      expect(second.results).toEqual(first.results)
      expect(second.epoch).toBe(first.epoch)
      epoch = second.epoch
      ids.push((await run<{ id: string }>(book, 'kstar:store_trace', makeTrace())).id)
      await evict(book)
    }
    const { records } = await run<{ records: { id: string; ver: number }[] }>(book, 'kstar:query_traces', {
      limit: 100,
    })
    expect(records.map(({ id }) => id).sort()).toEqual(
      [...ids, 'trace-1', 'trace-2', 'trace-3', 'trace-4', 'trace-5'].sort(),
    )
    expect(records.every(({ ver }) => ver === 1)).toBe(true)
    expect(await run(book, 'daybook:recall', { text: 'arrive' })).toMatchObject({
      legs: expect.any(Object) as object,
    })
  })

  it('T1 tidies by alarm, again and again, also after it was thrown away', async () => {
    const book = newBook()
    const stub = env.MIRROR.getByName(book)
    const { id } = await run<{ id: string }>(book, 'kstar:store_trace', makeTrace())
    await run(book, 'kstar:forget', { id })
    const rows = (sql: string) =>
      runInDurableObject(stub, (_object, { storage }) => [...storage.sql.exec(sql)].length)
    const age = "UPDATE records SET updated_at = '2020-01-01T00:00:00.000Z' RETURNING seq"
    const due = "UPDATE due_jobs SET at_ms = 1 WHERE job = 'tidy' RETURNING job"
    expect(await rows(due)).toBe(1)
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    expect(await rows('SELECT seq FROM records')).toBe(1)
    expect(await rows(age)).toBe(1)
    expect(await rows(due)).toBe(1)
    await evict(book)
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    expect(await rows('SELECT seq FROM records')).toBe(0)
    expect(await runInDurableObject(stub, (_object, { storage }) => storage.getAlarm())).toBeGreaterThan(
      Date.now(),
    )
  })

  it('a call that the eviction cut off is found to have taken effect once', async () => {
    const book = newBook()
    const headers = { 'idempotency-key': 'cut' }
    const first = await run(book, 'kstar:store_trace', makeTrace(), { headers })
    await evict(book)
    expect(await run(book, 'kstar:store_trace', makeTrace(), { headers })).toEqual(first)
    expect(await run(book, 'daybook:status')).toMatchObject({ records: { trace: 1 } })
  })

  it('keeps many calls at once in order, and apart from other books', async () => {
    const [book, other] = [newBook(), newBook()]
    const stored = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        run<{ id: string }>(i % 2 ? book : other, 'kstar:store_trace', makeTrace()),
      ),
    )
    expect(new Set(stored.map(({ id }) => id)).size).toBe(40)
    for (const one of [book, other]) {
      expect(await run(one, 'daybook:status')).toMatchObject({ records: { trace: 20 } })
    }
  })

  it('a request that is refused makes no object', async () => {
    const book = newBook()
    const known = async () => (await listDurableObjectIds(env.MIRROR)).map(String)
    const id = String(env.MIRROR.idFromName(book))
    await expectError(await call(sync(book), { body: '{' }), 400, 'invalid-input')
    await expectError(await call(sync(book), { body: syncRequest({ p: 2 }) }), 426, 'server-too-old')
    await expectError(await call(sync(book), { key: 'wrong', body: syncRequest() }), 401, 'unauthorized')
    await expectError(
      await call(`/v1/books/${book}/capabilities/no:such`, { body: {} }),
      404,
      'unknown-capability',
    )
    expect(await known()).not.toContain(id)
    await call(sync(book), { body: syncRequest() })
    expect(await known()).toContain(id)
  })
})
