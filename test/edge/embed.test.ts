// `POST /embed` at the edge: the shape of its answer, who may ask, what it refuses, and what it says without an embedder.
import { describe, expect, test } from 'vitest'
import type { EdgeEnv } from '../../worker/edge-env.ts'
import { call, expectError } from './http.ts'

const asked: unknown[] = []
const AI: NonNullable<EdgeEnv['AI']> = {
  run(model, input) {
    asked.push({ model, ...input })
    return Promise.resolve({ shape: [input.text.length, 2], data: input.text.map((_, i) => [3, 4 * i]) })
  },
}
const embed = (body: unknown, env: Partial<EdgeEnv> = { AI }) => call('/embed', { body, env })

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
    ['more than it knows', { texts: ['a'], model: 'x' }, ''],
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
})
