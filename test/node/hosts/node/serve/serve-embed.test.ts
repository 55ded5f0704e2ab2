// An embedder that is served over HTTP, with the book that asks it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDaybook, serveEmbed } from '../../../../../src/hosts/node/index.ts'
import { failure } from '../../../../contract/embedder.ts'
import { type EmbeddingServer, startEmbeddingServer } from '../../../../support/server/embedding-server.ts'
import { askRaw } from '../../../../support/server/raw-request.ts'
import { makeTrace } from '../../../../support/trace.ts'

let server: EmbeddingServer
beforeAll(async () => {
  server = await startEmbeddingServer()
})
afterAll(() => server.close())
beforeEach(() => {
  server.misbehave = undefined
})

const secret = 'sk-very.secret_key'

describe('in Node', () => {
  test('a book asks a server of its own, which asks an API; both speak the same shape', async () => {
    const options = { provider: 'api', url: `${server.url}/v1`, key: secret, model: 'm' } as const
    await using own = await serveEmbed({ port: 0, key: 'local-key-0123456789', embedder: options })
    const post = (body: unknown, headers: Record<string, string> = {}) =>
      fetch(own.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: 'Bearer local-key-0123456789',
          ...headers,
        },
        body: JSON.stringify(body),
      })
    const answer = await post({ texts: ['rain', 'salary'] })
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        embeddings: [
          [0, 0, 0, 1],
          [0, 0, 1, 0],
        ],
        dimensions: 4,
      },
    ])
    expect((await post({ texts: [] })).status).toBe(400)
    expect((await post({ texts: ['a'] }, { authorization: 'Bearer other' })).status).toBe(401)
    expect((await post({ texts: ['a'] }, { 'content-type': 'text/plain' })).status).toBe(400)
    expect((await fetch(own.url)).status).toBe(405)
    expect((await fetch(own.url.replace('/embed', '/health'))).status).toBe(200)
    server.misbehave = (response) => response.writeHead(500).end()
    expect((await post({ texts: ['a'] })).status).toBe(502)
    server.misbehave = undefined

    await using book = await openDaybook({
      name: 'b',
      path: ':memory:',
      embedder: {
        provider: 'http',
        url: own.url,
        key: () => Promise.resolve('local-key-0123456789'),
      },
    })
    const done = new Promise<void>((resolve) =>
      book.on('progress', ({ done: n, total }) => n === total && resolve()),
    )
    const { id } = await book.traces.store({ ...makeTrace(), task: { goal: 'ask a physician' } })
    await done
    expect((await book.recall({ text: 'hospital' })).hits[0]).toMatchObject({
      record: { id },
      because: { vector: { rank: 1 } },
    })
    expect((await book.embedder.status()).fingerprint).toBe(`http|${own.url}|4|true`)
    expect(await book.embedder.embed({ texts: ['rain'] })).toEqual({
      embeddings: [[0, 0, 0, 1]],
      dimensions: 4,
    })
  })

  test('serves other machines only with a key', async () => {
    const embedder = { provider: 'http', url: `${server.url}/embed` } as const
    expect(await failure(serveEmbed({ host: '0.0.0.0', port: 0, embedder }))).toMatchObject({
      details: { path: 'key' },
    })
    expect(await failure(serveEmbed({ key: 'fifteen-letters', port: 0, embedder }))).toMatchObject({
      details: { path: 'key' },
    })
  })

  test('without a key, answers nobody who came through a proxy or under another name', async () => {
    const options = { provider: 'http', url: `${server.url}/embed` } as const
    await using own = await serveEmbed({ port: 0, embedder: options })
    const port = Number(new URL(own.url).port)
    const ask = (headers: Record<string, string>, version: '1.0' | '1.1' = '1.1') =>
      askRaw(port, { target: '/embed', headers, body: { texts: [] }, version })
    expect((await ask({})).status).toBe(400)
    expect((await ask({ host: `localhost:${port}` })).status).toBe(400)
    for (const headers of [
      { host: `evil.example.org:${port}` },
      { 'x-forwarded-for': '203.0.113.7' },
      { forwarded: 'for=203.0.113.7' },
      { 'x-real-ip': '203.0.113.7' },
    ])
      expect([headers, (await ask(headers)).status]).toEqual([headers, 401])
    expect((await ask({}, '1.0')).status).toBe(401)
  })

  test('a book without an embedder says so', async () => {
    await using book = await openDaybook({ name: 'b', path: ':memory:', embedder: { provider: 'none' } })
    expect((await failure(book.embedder.embed({ texts: ['a'] }))).code).toBe('embedder-off')
    expect(await book.embedder.status()).toMatchObject({ provider: 'none', state: 'off' })
  })
})
