// `POST /embed` at the edge: the shape of its answer, who may ask, what it refuses, and what it says without an embedder.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { EdgeEnv } from '../../src/edge/edge-env.ts'
import { call, expectError, newBook } from './http/http.ts'

const asked: unknown[] = []
const AI: NonNullable<EdgeEnv['AI']> = {
  run(model, input) {
    asked.push({ model, ...input })
    return Promise.resolve({ shape: [input.text.length, 2], data: input.text.map((_, i) => [3, 4 * i]) })
  },
}
const embed = (body: unknown, own: Partial<EdgeEnv> = { AI }) => call('/embed', { body, env: own })

describe('POST /embed', () => {
  test('answers vectors of length 1 and their dimensions', async () => {
    const response = await embed({ texts: ['hello', 'world'] })
    expect(response.status).toBe(200)
    const { embeddings, ...rest } = (await response.json()) as { embeddings: number[][] }
    expect(rest).toEqual({ dimensions: 2 })
    expect(embeddings[0]).toEqual([1, 0])
    expect(embeddings[1]).toEqual([expect.closeTo(0.6, 6), expect.closeTo(0.8, 6)])
    expect(asked.at(-1)).toEqual({ model: '@cf/baai/bge-small-en-v1.5', text: ['hello', 'world'] })
    await embed({ texts: ['x'] }, { AI, DAYBOOK_EMBED_MODEL: '@cf/baai/bge-m3' })
    expect(asked.at(-1)).toMatchObject({ model: '@cf/baai/bge-m3' })
  })

  test('asks for the key', async () => {
    const response = await call('/embed', { key: 'wrong', body: { texts: ['x'] }, env: { AI } })
    await expectError(response, 401, 'unauthorized')
    await expectError(await call('/embed', { key: null, body: { texts: ['x'] } }), 401, 'unauthorized')
    // What belongs to one book can be looked at by that book alone, and here is none.
    for (const key of ['dbt1.AAAA', `dbk1.${'A'.repeat(16)}.${'A'.repeat(43)}`])
      await expectError(
        await call('/embed', { key, body: { texts: ['x'] }, env: { AI } }),
        401,
        'unauthorized',
      )
  })

  test.each([
    ['nothing', {}, 'texts'],
    ['no text', { texts: [] }, 'texts'],
    ['too many', { texts: Array.from({ length: 101 }, () => 'x') }, 'texts'],
    ['an empty text', { texts: ['a', ''] }, 'texts.1'],
    ['a number', { texts: [7] }, 'texts.0'],
    ['more than it knows', { texts: ['a'], model: 'x' }, 'model'],
  ])('refuses %s with the path', async (_what, body, path) => {
    await expectError(await embed(body), 400, 'invalid-input', path)
  })

  test('takes 100 texts', async () => {
    const response = await embed({ texts: Array.from({ length: 100 }, (_, i) => `text ${i}`) })
    expect(((await response.json()) as { embeddings: unknown[] }).embeddings.length).toBe(100)
  })

  test('says plainly that it has no embedder, or that the one it has failed', async () => {
    await expectError(await embed({ texts: ['x'] }, {}), 503, 'embedder-off')
    const broken = { run: () => Promise.reject(new Error('a secret')) }
    const failed = await embed({ texts: ['x'] }, { AI: broken })
    expect(await failed.clone().text()).not.toContain('secret')
    await expectError(failed, 502, 'embedder-failed')
    const odd = { run: () => Promise.resolve({ data: [[1], [2]] }) }
    await expectError(await embed({ texts: ['x'] }, { AI: odd }), 502, 'embedder-failed')
    const noModel = { DAYBOOK_EMBED_KEY: 'k' }
    await expectError(await embed({ texts: ['x'] }, noModel), 503, 'embedder-off')
  })

  test('answers POST only', async () => {
    await expectError(await call('/embed', { method: 'GET' }), 405, 'wrong-method')
  })

  describe('with a JSON Web Token', async () => {
    const { privateKey, publicKey } = await generateKeyPair('EdDSA')
    const jwk = { ...(await exportJWK(publicKey)), kid: 'a' }
    const settings = {
      DAYBOOK_JWKS_URL: 'https://embed.example.org/keys',
      DAYBOOK_JWT_ISSUER: 'https://id.example.org/',
      DAYBOOK_JWT_AUDIENCE: 'daybook',
    }
    const ask = async (claims: object, over: Partial<EdgeEnv> = {}) => {
      const key = await new SignJWT({
        sub: 'alice',
        iss: settings.DAYBOOK_JWT_ISSUER,
        aud: 'daybook',
        ...claims,
      })
        .setProtectedHeader({ alg: 'EdDSA', kid: 'a' })
        .setExpirationTime('10m')
        .sign(privateKey)
      return call('/embed', { key, body: { texts: ['x'] }, env: { AI, ...settings, ...over } })
    }
    beforeEach(() => {
      vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ keys: [jwk] })))
    })
    afterEach(() => {
      vi.unstubAllGlobals()
    })

    test('answers who owns a book, and nobody whom the identity provider merely knows', async () => {
      const count = asked.length
      await expectError(await ask({}), 403, 'forbidden')
      await expectError(await ask({ daybook: { books: [] } }), 403, 'forbidden')
      await expectError(await ask({ daybook: { books: [], owner: true } }), 403, 'forbidden')
      await expectError(await ask({ daybook: { books: 7 } }), 403, 'forbidden')
      const reader = { books: newBook(), permissions: ['read', 'write', 'embed:*', '**'] }
      await expectError(await ask({ daybook: reader }), 403, 'forbidden')
      await expectError(await ask({ sub: 'al/ice' }, { DAYBOOK_JWT_BOOK: 'user-{sub}' }), 403, 'forbidden')
      expect(asked.length).toBe(count)
      expect((await ask({ daybook: { books: newBook(), owner: true } })).status).toBe(200)
      expect((await ask({}, { DAYBOOK_JWT_BOOK: 'user-{sub}' })).status).toBe(200)
    })

    test('pays from the purse that its holder has in that book', async () => {
      const book = newBook()
      const daybook = { books: [book], owner: true }
      expect((await ask({ daybook })).status).toBe(200)
      await emptyPurses(book)
      await expectError(await ask({ daybook }), 429, 'rate-limited')
      expect((await ask({ sub: 'bob', daybook })).status).toBe(200)
    })
  })

  test('counts what the key of the edge asks for', async () => {
    expect((await embed({ texts: ['x'] })).status).toBe(200)
    await emptyPurses('_embed')
    await expectError(await embed({ texts: ['x'] }), 429, 'rate-limited')
    await fillPurses('_embed')
    expect((await embed({ texts: ['x'] })).status).toBe(200)
  })
})

/** Says of everybody who has asked this book that nothing is left, for now. */
async function emptyPurses(book: string): Promise<void> {
  await setPurses(book, 'UPDATE rate_buckets SET remaining = 0, at_ms = 9999999999999')
}
const fillPurses = (book: string) => setPurses(book, 'DELETE FROM rate_buckets')

async function setPurses(book: string, sql: string): Promise<void> {
  await evictDurableObject(env.MIRROR.getByName(book))
  await runInDurableObject(env.MIRROR.getByName(book), (_object, { storage }) => void storage.sql.exec(sql))
  await evictDurableObject(env.MIRROR.getByName(book))
}
