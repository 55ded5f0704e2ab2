// What can go wrong between a book and S3: each with a code of its own, nothing left to be seen, and no secret in what is said.
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createAbort, neverAborted } from '../../../../../src/core/abort.ts'
import { defined } from '../../../../../src/core/defined.ts'
import { S3Store } from '../../../../../src/hosts/node/archive/s3-store.ts'
import { s3Place } from '../../../../../src/hosts/node/archive/s3-target.ts'
import { failure } from '../../../../contract/book-case.ts'
import { errorBody } from '../../../../support/server/failing-s3.ts'
import { freePort } from '../../../../support/server/free-port.ts'
import { countOf, isEnd, isPart, long, openFailingPlace, textOf } from './failing-place.ts'

const place = await openFailingPlace()
afterAll(place.close)
afterEach(place.forget)

describe('what the storage refuses', () => {
  it('is let through as it is, when nothing is planned', async () => {
    const key = place.newKey()
    expect([await place.put(key, 'text'), await place.isThere(key)]).toEqual([4, true])
  })

  it.each([
    {
      what: 'another secret',
      env: { AWS_SECRET_ACCESS_KEY: 'not-the-secret-of-anybody' },
      more: {},
      told: ['archive-denied', 'SignatureDoesNotMatch'],
    },
    {
      what: 'another key',
      env: { AWS_ACCESS_KEY_ID: 'AKIANOTTHEKEY' },
      more: {},
      told: ['archive-denied', 'Unauthorized'],
    },
    {
      what: 'a clock that is an hour slow',
      env: {},
      more: { clock: { now: () => Date.now() - 3_600_000 } },
      told: ['archive-clock', 'RequestTimeTooSkewed'],
    },
  ])('$what, and says no secret', async ({ env, more, told }) => {
    const { store } = place.open(env, more)
    const list = store.list('p/', neverAborted)[Symbol.asyncIterator]().next()
    const error = await failure(list)
    expect([error.code, error.details['reason']]).toEqual(told)
    const put = await failure(store.put(place.newKey(), textOf('x'), neverAborted))
    expect([put.code, put.details['reason']]).toEqual(told)
    const text = JSON.stringify([error, error.message, error.stack, String(error.cause)])
    for (const secret of [
      ...Object.values(env),
      place.env.AWS_SECRET_ACCESS_KEY,
      place.env.AWS_ACCESS_KEY_ID,
      'AWS4-HMAC',
      'Signature=',
    ])
      expect(text).not.toContain(secret)
  })

  it('a bucket that is not there', async () => {
    const store = new S3Store({ place: s3Place('s3://no-such-bucket/p', place.env), ports: place.ports })
    const error = await failure(store.list('p/', neverAborted)[Symbol.asyncIterator]().next())
    expect([error.code, error.details['place']]).toEqual(['archive-bucket', 's3://no-such-bucket/p'])
  })

  it.each([
    [
      { status: 400, body: errorBody('AuthorizationHeaderMalformed', '<Region>eu-west-1</Region>') },
      'archive-region',
      'eu-west-1',
    ],
    [
      { status: 301, code: 'PermanentRedirect', headers: { 'x-amz-bucket-region': 'eu-west-2' } },
      'archive-region',
      'eu-west-2',
    ],
    [{ status: 400, code: 'AuthorizationHeaderMalformed' }, 'archive-denied', undefined],
    [{ status: 403, code: 'InvalidAccessKeyId' }, 'archive-denied', undefined],
    [{ status: 400, code: 'ExpiredToken' }, 'archive-denied', undefined],
    [{ status: 404, code: 'XAdminUserNotFound' }, 'archive-denied', undefined],
    [{ status: 403, body: '<html><p>a proxy' }, 'archive-denied', undefined],
    [{ status: 413, code: 'EntityTooLarge' }, 'too-large', undefined],
    [{ status: 418, body: 'AKIA is no XML' }, 'archive-failed', undefined],
    [
      { status: 400, body: '<!DOCTYPE x><Error><Code>NoSuchBucket</Code></Error>' },
      'archive-failed',
      undefined,
    ],
  ])('%o is %s, and is asked once', async (fault, code, region) => {
    place.plan(() => fault)
    const error = await failure(place.open().store.list('p/', neverAborted)[Symbol.asyncIterator]().next())
    expect([error.code, error.details['region']]).toEqual([code, region])
    expect([place.asked.length, place.waits]).toEqual([1, []])
    expect(JSON.stringify([error, error.message])).not.toMatch(/StringToSign|AKIA/)
  })

  it('sends nobody elsewhere with its signature', async () => {
    place.plan(({ url }) =>
      url.includes('elsewhere') ? undefined : { status: 307, headers: { location: '/elsewhere' } },
    )
    expect((await failure(place.put(place.newKey(), 'x'))).code).toBe('archive-region')
    expect(place.asked.some(({ url }) => url.includes('elsewhere'))).toBe(false)
  })
})

describe('what the storage asks to be tried again', () => {
  it.each([
    [503, 'SlowDown'],
    [500, 'InternalError'],
    [503, undefined],
  ])('is, after a pause: %s %s', async (status, code) => {
    let left = 2
    place.plan((one) => (isPart(one) && left-- > 0 ? { status, ...defined({ code }) } : undefined))
    const key = place.newKey()
    expect(await place.put(key, long)).toBe(long.length)
    expect([await place.isThere(key), place.waits.length]).toEqual([true, 2])
    expect(place.waits[1]).toBeGreaterThan(place.waits[0] ?? Infinity)
  })

  it('place.waits as long as it is told to', async () => {
    let left = 1
    place.plan(() =>
      left-- > 0 ? { status: 503, code: 'SlowDown', headers: { 'retry-after': '7' } } : undefined,
    )
    await place.put(place.newKey(), 'x')
    expect(place.waits).toEqual([7000])
  })

  it('ends some time, with nothing to be seen and no upload', async () => {
    place.plan((one) => (isPart(one) ? { status: 503, code: 'SlowDown' } : undefined))
    const key = place.newKey()
    const { store, noted } = place.open()
    const error = await failure(store.put(key, textOf(long), neverAborted))
    expect([error.code, error.retry, error.details['reason']]).toEqual(['archive-failed', true, 'SlowDown'])
    expect([place.asked.filter(isPart).length, noted, await place.isThere(key)]).toEqual([5, [], false])
  })

  it('ends at once with its caller', async () => {
    const { signal, abort } = createAbort()
    place.plan(() => ({ status: 503, code: 'SlowDown' }))
    // The pause never ends by itself.
    const { store } = place.open({}, { later: () => (abort(), () => undefined) })
    expect((await failure(store.put(place.newKey(), textOf('x'), signal))).code).toBe('aborted')
    expect(place.asked).toHaveLength(1)
  })
})

describe('a connection that is cut', () => {
  it('is said as what it is where nobody listens', async () => {
    const { store } = place.open({ AWS_ENDPOINT_URL: `http://127.0.0.1:${await freePort()}` })
    const error = await failure(store.put(place.newKey(), textOf('x'), neverAborted))
    expect([error.code, error.retry]).toEqual(['offline', true])
    expect(error.message).toContain('127.0.0.1:')
  })

  it.each(['before', 'after'] as const)('in a part, %s the storage had it, leaves nothing', async (cut) => {
    place.plan((one) => (isPart(one) && one.url.includes('partNumber=2') ? { cut } : undefined))
    const key = place.newKey()
    const { store, noted } = place.open()
    expect((await failure(store.put(key, textOf(long), neverAborted))).code).toBe('offline')
    expect([noted, await place.isThere(key)]).toEqual([[], false])
  })

  it('keeps the note of an upload that could not be given up', async () => {
    place.plan((one) => (isPart(one) || one.method === 'DELETE' ? { cut: 'before' } : undefined))
    const { store, noted } = place.open()
    await failure(store.put(place.newKey(), textOf(long), neverAborted))
    expect(noted).toHaveLength(1)
  })

  it('after the end of an upload is no failure: what is there tells', async () => {
    place.plan((one) => (isEnd(one) ? { cut: 'after' } : undefined))
    const key = place.newKey()
    expect([await place.put(key, long), await place.isThere(key)]).toEqual([long.length, true])
  })

  it('before the end of an upload is one', async () => {
    place.plan((one) => (isEnd(one) ? { cut: 'before' } : undefined))
    const key = place.newKey()
    const { store, noted } = place.open()
    expect((await failure(store.put(key, textOf(long), neverAborted))).code).toBe('offline')
    expect([noted, await place.isThere(key)]).toEqual([[], false])
  })

  it('in the middle of what is read is not taken for its end', async () => {
    const key = place.newKey()
    await place.put(key, 'a text of some length')
    place.plan(({ method }) => (method === 'GET' ? { cut: 'within' } : undefined))
    const { texts } = await place.open().store.read(key, neverAborted)
    expect((await failure(countOf(texts))).code).toBe('offline')
  })
})
