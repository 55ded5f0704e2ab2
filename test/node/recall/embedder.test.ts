// Embedders over HTTP and from the book itself: the law of all, what they send, and what becomes of wrong answers.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAbort, neverAborted } from '../../../src/core/abort.ts'
import type { Embedder } from '../../../src/core/ports.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { nodeEmbedderHost } from '../../../src/hosts/node/model/node-embedder.ts'
import { createModelEmbedder } from '../../../src/recall/embed/create-embedder.ts'
import { type EmbedderOptions, parseEmbedderOptions } from '../../../src/recall/embed/embedder-options.ts'
import { createLsaEmbedder } from '../../../src/recall/embed/lsa-embedder.ts'
import { trainLsa } from '../../../src/recall/embed/lsa-training.ts'
import type { ModelPart } from '../../../src/store/vector/model-store.ts'
import { embedderContract, failure } from '../../contract/embedder.ts'
import { type EmbeddingServer, startEmbeddingServer } from '../../support/server/embedding-server.ts'

let server: EmbeddingServer
beforeAll(async () => {
  server = await startEmbeddingServer()
})
afterAll(() => server.close())
beforeEach(() => {
  server.misbehave = undefined
  server.requests.length = 0
})

const secret = 'sk-very.secret_key'
const http = (more: object = {}) =>
  createModelEmbedder(
    { provider: 'http', url: `${server.url}/embed`, key: secret, ...more },
    nodeEmbedderHost,
  )
const api = (more: object = {}) =>
  createModelEmbedder(
    { provider: 'api', url: `${server.url}/v1/`, key: () => Promise.resolve(secret), model: 'm', ...more },
    nodeEmbedderHost,
  )
const vectorsOf = (
  embedder: Embedder,
  texts: readonly string[],
  purpose: 'document' | 'question' = 'document',
) => embedder.embed(texts, purpose, neverAborted)

embedderContract('http', () => Promise.resolve(http()))
embedderContract('api', () => Promise.resolve(api()))
embedderContract('lsa', () => {
  const nouns = ['car garage', 'physician hospital', 'rain storm', 'salary bank']
  const texts = Array.from(
    { length: 80 },
    (_, i) => `${nouns[i % 4]} ${['new', 'old', 'red', 'big', 'far'][i % 5]} w${i % 23}`,
  )
  const steps = trainLsa(texts, 16)
  let parts: ModelPart[] | undefined
  for (let step = steps.next(); ; step = steps.next()) {
    parts = step.done ? step.value : parts
    if (step.done) break
  }
  const kept = { generation: 1, dimensions: 16, madeAt: 80, parts: parts ?? [] }
  const models = {
    lastDerivedSeq: () => 80,
    lastSeq: () => 80,
    sampleSeqs: () => [],
    readTexts: () => [],
    load: () => kept,
    save: () => kept,
  }
  return Promise.resolve(
    createLsaEmbedder(
      { provider: 'lsa', dimensions: 16 },
      { models, clock: { now: () => 0 }, scheduler: nodeEmbedderHost.scheduler },
    ),
  )
})

describe('what is sent', () => {
  test('http: the texts, and the key as a bearer token', async () => {
    await vectorsOf(http({ documentPrefix: 'passage: ', questionPrefix: 'query: ' }), ['rain'], 'question')
    const [request] = server.requests
    expect([request?.path, request?.body]).toEqual(['/embed', { texts: ['query: rain'] }])
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
    })
    await vectorsOf(createModelEmbedder({ provider: 'http', url: `${server.url}/embed` }, nodeEmbedderHost), [
      'rain',
    ])
    expect(server.requests[1]?.headers.authorization).toBeUndefined()
  })

  test('api: model and input; answers in any order are put into that of the texts', async () => {
    const vectors = await vectorsOf(api({ dimensions: 4 }), ['rain', 'salary'])
    expect(server.requests[0]?.path).toBe('/v1/embeddings')
    expect(server.requests[0]?.body).toEqual({
      model: 'm',
      input: ['rain', 'salary'],
      encoding_format: 'float',
      dimensions: 4,
    })
    expect(vectors.map((vector) => [...vector])).toEqual([
      [0, 0, 0, 1],
      [0, 0, 1, 0],
    ])
  })
})

describe('what becomes of wrong answers', () => {
  const answer = (status: number, body: unknown, headers: Record<string, string> = {}) => {
    server.misbehave = (response) =>
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  test.each([
    [500, true],
    [503, true],
    [429, true],
    [408, true],
    [400, false],
    [401, false],
    [404, false],
    [422, false],
  ])(
    'status %d: to be asked again %s, without a word of what was sent or answered',
    async (status, retry) => {
      answer(status, `You sent ${secret}: private words`, { 'retry-after': '7' })
      for (const embedder of [http(), api()]) {
        const error = await failure(vectorsOf(embedder, ['private words']))
        expect(error).toMatchObject({
          code: 'embedder-failed',
          retry,
          details: { status, retryAfterMs: 7000 },
        })
        expect(JSON.stringify(error)).not.toMatch(/secret|private/)
      }
    },
  )

  test('is not followed to where another answer would be', async () => {
    answer(307, {}, { location: `${server.url}/elsewhere` })
    for (const embedder of [http(), api()]) {
      const error = await failure(vectorsOf(embedder, ['private words']))
      expect(error).toMatchObject({ code: 'embedder-failed', retry: false, details: { status: 307 } })
    }
    expect(server.requests.filter(({ path }) => path === '/elsewhere')).toEqual([])
  })

  test.each([
    ['no JSON', '<html>'],
    ['null', null],
    ['too few', { embeddings: [[1, 2]] }],
    ['texts', { embeddings: [['a'], ['b']] }],
    [
      'different dimensions',
      {
        embeddings: [
          [1, 2],
          [1, 2, 3],
        ],
      },
    ],
    ['no dimensions', { embeddings: [[], []] }],
    [
      'null in a vector',
      {
        embeddings: [
          [1, null],
          [1, 2],
        ],
      },
    ],
    ['too many dimensions', { embeddings: [Array(5000).fill(1), Array(5000).fill(1)] }],
  ])('%s is an embedder that failed', async (_what, body) => {
    answer(200, body)
    expect((await failure(vectorsOf(http(), ['a', 'b']))).code).toBe('embedder-failed')
  })

  test.each([
    ['7', 7000],
    ['100000', 3_600_000],
    [() => new Date(Math.ceil(Date.now() / 1000) * 1000 + 60_000).toUTCString(), 60_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', undefined],
    ['-1', undefined],
  ])('Retry-After: %s', async (header, rest) => {
    answer(429, {}, { 'retry-after': typeof header === 'string' ? header : header() })
    const { details } = await failure(vectorsOf(http(), ['a']))
    if (rest === undefined) return expect(details).toEqual({ status: 429 })
    expect(details['retryAfterMs']).toBeGreaterThanOrEqual(rest * 0.9)
    expect(details['retryAfterMs']).toBeLessThanOrEqual(rest + 1000)
  })

  test('other dimensions than were asked for are a failure', async () => {
    expect((await failure(vectorsOf(http({ dimensions: 3 }), ['a']))).code).toBe('embedder-failed')
  })

  test('a key that does not come ends at the deadline and at an abort', async () => {
    let release: (key: string) => void = () => undefined
    const key = () => new Promise<string>((resolve) => (release = resolve))
    const late = await failure(vectorsOf(api({ key, deadlineMs: 50 }), ['rain']))
    expect(late).toMatchObject({
      code: 'embedder-failed',
      message: expect.stringContaining('within 50 ms') as string,
    })
    release(secret)
    const { signal, abort } = createAbort()
    const given = failure(api({ key }).embed(['rain'], 'document', signal))
    abort()
    expect((await given).code).toBe('aborted')
    release(secret)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(server.requests).toEqual([])
  })

  test('no answer in time, nobody there, a key that can not be had', async () => {
    server.misbehave = () => undefined
    expect(await failure(vectorsOf(http({ deadlineMs: 30 }), ['a']))).toMatchObject({
      code: 'embedder-failed',
      retry: true,
    })
    const nobody = createModelEmbedder(
      { provider: 'http', url: 'http://127.0.0.1:9/embed' },
      nodeEmbedderHost,
    )
    expect(await failure(vectorsOf(nobody, ['a']))).toMatchObject({ code: 'embedder-failed', retry: true })
    const locked = api({ key: () => Promise.reject(new Error(secret)) })
    expect(JSON.stringify(await failure(vectorsOf(locked, ['a'])))).not.toContain(secret)
  })

  test('a request that is given up is cancelled at the server too', async () => {
    const cancelled = new Promise<void>((resolve) => {
      server.misbehave = (response) => response.on('close', () => resolve())
    })
    const abort = createAbort()
    const answered = failure(http().embed(['a'], 'document', abort.signal))
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    abort.abort()
    expect((await answered).code).toBe('aborted')
    await cancelled
  })
})

describe('options', () => {
  const bad: [object, string][] = [
    [{ provider: 'magic' }, 'provider'],
    [{}, 'provider'],
    [{ provider: 'http', url: 'http://far.example/embed' }, 'url'],
    [{ provider: 'http' }, 'url'],
    [{ provider: 'http', url: 'https://a.example', key: 'two words' }, 'key'],
    [{ provider: 'api', model: 'm' }, 'key'],
    [{ provider: 'api', key: 'k' }, 'model'],
    [{ provider: 'local' }, 'model'],
    [{ provider: 'lsa', dimensions: 4 }, 'dimensions'],
    [{ provider: 'lsa', dimensions: 99.5 }, 'dimensions'],
    [{ provider: 'lsa', minSimilarity: 2 }, 'minSimilarity'],
    [{ provider: 'lsa', questionDeadlineMs: 0 }, 'questionDeadlineMs'],
  ]
  test.each(bad)('%j is refused with its path', async (options, path) => {
    const opening = openDaybook({ name: 'b', path: ':memory:', embedder: options as EmbedderOptions })
    expect(await failure(opening)).toMatchObject({
      code: 'invalid-input',
      details: { path: `embedder.${path}` },
    })
  })
  test('none is none', () => {
    expect([parseEmbedderOptions(undefined), parseEmbedderOptions({ provider: 'none' })]).toEqual([
      undefined,
      undefined,
    ])
  })
})
