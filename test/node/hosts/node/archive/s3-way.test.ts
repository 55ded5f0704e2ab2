// Storages that speak like S3, each with ways of its own.
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { neverAborted } from '../../../../../src/core/abort.ts'
import { failure } from '../../../../contract/book-case.ts'
import { errorBody } from '../../../../support/server/failing-s3.ts'
import { countOf, isEnd, long, openFailingPlace, textOf } from './failing-place.ts'

const place = await openFailingPlace()
afterAll(place.close)
afterEach(place.forget)

describe('a storage with ways of its own', () => {
  it('that says at the end of an upload, with 200, that it failed, is asked what is there', async () => {
    place.plan((one) => (isEnd(one) ? { status: 200, body: `\n\n${errorBody('InternalError')}` } : undefined))
    const key = place.newKey()
    const { store, noted } = place.open()
    const error = await failure(store.put(key, textOf(long), neverAborted))
    expect([error.code, error.details['reason'], noted, await place.isThere(key)]).toEqual([
      'archive-failed',
      'InternalError',
      [],
      false,
    ])
  })

  it('that was asked for the end twice, and had done it the first time, has done it', async () => {
    let times = 0
    place.plan((one) => {
      if (isEnd(one)) times += 1
      return isEnd(one) && times === 1 ? { status: 500, code: 'InternalError', isLate: true } : undefined
    })
    const key = place.newKey()
    expect([await place.put(key, long), times, await place.isThere(key)]).toEqual([long.length, 2, true])
  })

  it.each([
    ['short', 'short'],
    ['long', long],
  ])('that heeds no condition is looked at before a %s one', async (_how, text) => {
    const key = place.newKey()
    await place.put(key, 'first')
    place.plan(() => undefined)
    expect((await failure(place.put(key, text))).code).toBe('conflict')
    expect(place.asked.map(({ method }) => method)).toEqual(['HEAD'])
  })

  it('that knows no conditions is asked without', async () => {
    let left = 1
    place.plan(({ method }) =>
      method === 'PUT' && left-- > 0 ? { status: 501, code: 'NotImplemented' } : undefined,
    )
    const key = place.newKey()
    expect([await place.put(key, 'x'), await place.isThere(key)]).toEqual([1, true])
    expect(place.asked.filter(({ method }) => method === 'PUT')).toHaveLength(2)
  })

  it('that loses what it took is found out', async () => {
    place.plan(({ method }) => (method === 'PUT' ? { status: 200 } : undefined))
    const error = await failure(place.put(place.newKey(), 'x'))
    expect([error.code, error.message]).toEqual(['archive-failed', expect.stringContaining('is missing')])
  })

  it.each([
    ['no XML', '{}'],
    [
      'a document type',
      '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><ListBucketResult>&a;</ListBucketResult>',
    ],
    ['another answer', '<ListAllMyBucketsResult/>'],
    [
      'a list that goes round',
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>',
    ],
  ])('that answers %s is not understood', async (_what, body) => {
    place.plan(() => ({ status: 200, body }))
    expect((await failure(countOf(place.open().store.list('p/', neverAborted)))).code).toBe('archive-failed')
  })

  it('that has a list of uploads is rid of those a day old, and of no others', async () => {
    const upload = (key: string, id: string, hours: number) =>
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${new Date(Date.now() - hours * 3_600_000).toISOString()}</Initiated></Upload>`
    const list = [
      upload('p/book/a', 'old', 25),
      upload('p/book/b', 'new', 23),
      upload('p/other', 'others', 99),
    ]
    place.plan(({ url }) => {
      if (url.includes('uploads='))
        return {
          status: 200,
          body: `<ListMultipartUploadsResult>${list.join('')}</ListMultipartUploadsResult>`,
        }
      return { status: 204 }
    })
    expect(await place.open().store.tidy('p/book/', neverAborted)).toBe(1)
    const given = place.asked.filter(({ method }) => method === 'DELETE').map(({ url }) => url)
    expect(given).toEqual([expect.stringMatching(/p\/book\/a\?uploadId=old$/)])
  })
})
