// How much a caller may ask: exact per book and caller, kept over eviction, refilled by time, and no caller at the cost of another.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Clock } from '../../../src/core/ports.ts'
import { openDoDatabase } from '../../../worker/do-database.ts'
import { CallerRates, parseRate } from '../../../src/edge/rate-limit.ts'
import { call, expectError, newBook, run, syncRequest } from './http.ts'

/** A limit over the database of a new book, with a clock of its own. */
async function withLimit(
  work: (at: { limit: CallerRates; clock: { ms: number }; again: () => void }) => void,
) {
  const book = newBook()
  await run(book, 'daybook:status')
  await runInDurableObject(env.MIRROR.getByName(book), (_object, { storage }) => {
    const time = { ms: 1_000_000 }
    const clock: Clock = { now: () => time.ms }
    const create = () => new CallerRates(openDoDatabase(storage), clock, { burst: 3, perSecond: 0.5 })
    const at = { limit: create(), clock: time, again: () => void (at.limit = create()) }
    work(at)
  })
}
const refused = (work: () => void) => {
  try {
    work()
    return undefined
  } catch (error) {
    return (error as { details: { retryAfterMs: number } }).details.retryAfterMs
  }
}

describe('the rate of a caller', () => {
  it('is a burst, then so many a second; whoever is refused is told when to come again, and pays nothing', async () => {
    await withLimit(({ limit, clock }) => {
      for (let i = 0; i < 3; i++) limit.charge('a')
      for (let i = 0; i < 5; i++) expect(refused(() => limit.charge('a'))).toBe(2000)
      expect(refused(() => limit.charge('b'))).toBeUndefined()
      clock.ms += 1999
      expect(refused(() => limit.charge('a'))).toBe(1)
      clock.ms += 1
      expect(refused(() => limit.charge('a'))).toBeUndefined()
      clock.ms += 86_400_000
      for (let i = 0; i < 3; i++) limit.charge('a')
      expect(refused(() => limit.charge('a'))).toBe(2000)
      clock.ms -= 86_400_000
      expect(refused(() => limit.charge('a'))).toBe(2000)
    })
  })

  it('is remembered by the next object, and forgotten once it is full again', async () => {
    await withLimit((at) => {
      for (let i = 0; i < 3; i++) {
        at.limit.charge('a')
        at.clock.ms += 1000
      }
      at.again()
      expect(refused(() => at.limit.charge('a'))).toBeUndefined()
      expect(refused(() => at.limit.charge('a'))).toBeGreaterThan(0)
      expect(at.limit.removeFullBuckets()).toBeGreaterThan(0)
      at.clock.ms += 1e13
      expect(at.limit.removeFullBuckets()).toBe(0)
    })
  })

  it('holds over HTTP, and one caller is not held for another', async () => {
    const own = { DAYBOOK_RATE: '2000/20' }
    const book = newBook()
    const { key } = await run<{ key: string }>(book, 'daybook:create_access_key', {
      name: 'r',
      permissions: ['read'],
    })
    const ask = (bearer: string) =>
      call(`/v1/books/${book}/capabilities/kstar:query_traces`, { key: bearer, body: {}, env: own })
    expect((await ask(key)).status).toBe(200)
    await evictDurableObject(env.MIRROR.getByName(book))
    await runInDurableObject(env.MIRROR.getByName(book), (_object, { storage }) => {
      storage.sql.exec(
        "UPDATE rate_buckets SET remaining = 0.5, at_ms = ? WHERE caller LIKE 'access_key::%'",
        Date.now() + 60_000,
      )
    })
    const response = await ask(key)
    expect(Number(response.headers.get('retry-after'))).toBe(1)
    expect(await response.clone().json()).toMatchObject({ retry: true, details: { retryAfterMs: 25 } })
    await expectError(response, 429, 'rate-limited')
    expect((await ask('development')).status).toBe(200)
  })

  it('of strangers is one for all of them', async () => {
    const book = newBook()
    await run(book, 'daybook:status')
    const stranger = () =>
      call(`/v1/books/${book}/sync`, { key: `dbk1.${'A'.repeat(16)}.${'A'.repeat(43)}`, body: syncRequest() })
    await expectError(await stranger(), 401, 'unauthorized')
    await evictDurableObject(env.MIRROR.getByName(book))
    await runInDurableObject(env.MIRROR.getByName(book), (_object, { storage }) => {
      storage.sql.exec(
        "UPDATE rate_buckets SET remaining = 0, at_ms = ? WHERE caller = 'stranger'",
        Date.now() + 60_000,
      )
    })
    await expectError(await stranger(), 429, 'rate-limited')
    await run(book, 'daybook:status')
  })

  it('is asked of the platform first, by address', async () => {
    const asked: string[] = []
    const limit = (success: boolean) => ({
      limit({ key }: { key: string }) {
        asked.push(key)
        return Promise.resolve({ success })
      },
    })
    const from = (success: boolean) =>
      call('/health', {
        method: 'GET',
        headers: { 'cf-connecting-ip': '192.0.2.7' },
        env: { RATE_LIMIT: limit(success) },
      })
    expect((await from(true)).status).toBe(200)
    const response = await from(false)
    expect(response.headers.get('retry-after')).toBe('60')
    await expectError(response, 429, 'rate-limited')
    expect(asked).toEqual(['192.0.2.7', '192.0.2.7'])
  })

  it('is read from the configuration, which is refused when it is nonsense', () => {
    expect(parseRate('10/0.5')).toEqual({ burst: 10, perSecond: 0.5 })
    expect(parseRate(undefined)).toEqual({ burst: 2000, perSecond: 20 })
    for (const text of ['10', '0/1', '1/0', '-1/2', 'a/b', '1/2/3'])
      expect(() => parseRate(text)).toThrow('DAYBOOK_RATE')
  })
})

describe('the alarm', () => {
  it('does what is due, leaves what is not, and rings again for the next', async () => {
    const book = newBook()
    const stub = env.MIRROR.getByName(book)
    await run(book, 'daybook:status')
    const jobs = () =>
      runInDurableObject(stub, (_object, { storage }) =>
        Object.fromEntries(
          storage.sql
            .exec<{ job: string; at_ms: number }>('SELECT job, at_ms FROM due_jobs')
            .toArray()
            .map(({ job, at_ms }) => [job, at_ms]),
        ),
      )
    const before = await jobs()
    expect(Object.keys(before).sort()).toEqual(['rates', 'tidy'])
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    expect(await jobs()).toEqual(before)
    await runInDurableObject(stub, (_object, { storage }) => {
      storage.sql.exec("UPDATE due_jobs SET at_ms = 1 WHERE job = 'rates'")
      storage.sql.exec('UPDATE rate_buckets SET at_ms = 1')
    })
    await evictDurableObject(stub)
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    expect(Object.keys(await jobs())).toEqual(['tidy'])
    const ring = await runInDurableObject(stub, (_object, { storage }) => storage.getAlarm())
    expect(ring).toBe(before['tidy'])
    await runInDurableObject(stub, (_object, { storage }) => {
      expect(storage.sql.exec('SELECT 1 FROM rate_buckets').toArray()).toEqual([])
    })
  })

  it('tries again what failed, and does the others meanwhile', async () => {
    const book = newBook()
    const stub = env.MIRROR.getByName(book)
    await run(book, 'daybook:status')
    await runInDurableObject(stub, (_object, { storage }) => {
      storage.sql.exec('UPDATE due_jobs SET at_ms = 1')
      storage.sql.exec('ALTER TABLE rate_buckets RENAME TO gone')
    })
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    const left = await runInDurableObject(stub, (_object, { storage }) =>
      storage.sql
        .exec<{ job: string; at_ms: number }>('SELECT job, at_ms FROM due_jobs ORDER BY at_ms')
        .toArray(),
    )
    expect(left.map(({ job }) => job)).toEqual(['rates', 'tidy'])
    expect(left[0]?.at_ms).toBeGreaterThan(Date.now() + 200_000)
  })
})
