// A book goes on without its embedder: it asks again, says why, and answers by full text meanwhile.
import { describe, expect, test } from 'vitest'
import { DaybookError } from '../../../src/core/errors.ts'
import { createQuestionVectors } from '../../../src/recall/embed/question-vector.ts'
import { createMeaningEmbedder } from '../../support/meaning-embedder.ts'
import { goals, ids, keptDatabase, open } from './embedding-case.ts'

describe('an embedder that fails', () => {
  test('is asked again, later and later, and says why meanwhile; full text answers', async () => {
    const embedder = createMeaningEmbedder()
    const book = open(embedder)
    let calls = 0
    embedder.fail = () => {
      calls += 1
      throw new DaybookError('embedder-failed', 'It is away.')
    }
    await book.store()
    await book.pass(8000)
    expect(calls).toBe(4)
    const status = await book.status()
    expect(status).toMatchObject({ state: 'failing', behind: 4, lastError: { code: 'embedder-failed' } })
    const asked = calls
    const { hits, degraded } = await book.recall('salary')
    expect(hits[0]?.record.id).toBe('t-2')
    expect(degraded[0]).toMatch(/^vectors: .*It is away\./)
    expect(calls).toBe(asked)
    embedder.fail = undefined
    await book.pass(20_000)
    expect(await book.status()).toMatchObject({ state: 'ready', embedded: 4 })
    expect((await book.recall('hospital')).degraded).toEqual([])
  })

  test("its code that a page can't load without a connection is no failure", async () => {
    const embedder = createMeaningEmbedder()
    const book = open(embedder)
    embedder.fail = () => {
      throw new DaybookError('part-unavailable')
    }
    await book.store()
    await book.pass()
    expect(await book.status()).toMatchObject({
      state: 'waiting',
      why: expect.stringContaining('words answer') as string,
    })
    embedder.fail = undefined
    await book.pass(20_000)
    expect(await book.status()).toMatchObject({ state: 'ready', embedded: 4 })
  })

  test('one that is slow is not waited for', async () => {
    const embedder = createMeaningEmbedder()
    const book = open(embedder, undefined, 300)
    await book.store()
    await book.pass()
    embedder.fail = () => new Promise(() => undefined)
    const answer = book.recall('the salary')
    await book.pass(301)
    const { hits, degraded } = await answer
    expect(hits[0]?.record.id).toBe('t-2')
    expect(degraded).toEqual([expect.stringContaining('longer than 300 ms') as string])
  })

  test('a question that was asked before needs no embedder', async () => {
    const embedder = createMeaningEmbedder()
    const book = open(embedder)
    await book.store()
    await book.pass()
    await book.recall('hospital')
    embedder.fail = () => {
      throw new DaybookError('embedder-failed')
    }
    expect(ids(await book.recall('hospital'))).toEqual(['t-1'])
  })

  test('a text that it refuses holds up no other', async () => {
    const embedder = createMeaningEmbedder()
    embedder.fail = (texts) => {
      if (texts.some((text) => text.includes('storm')))
        throw new DaybookError('embedder-failed', undefined, { details: { status: 400 }, retry: false })
    }
    const book = open(embedder)
    await book.store(['take a storm', ...goals])
    await book.pass()
    expect(await book.status()).toMatchObject({
      state: 'ready',
      total: 5,
      embedded: 3,
      refused: 2,
      behind: 0,
    })
  })

  test('one that refuses everything is at fault itself', async () => {
    const embedder = createMeaningEmbedder({ batch: 1 })
    embedder.fail = () => {
      throw new DaybookError('embedder-failed', undefined, { details: { status: 400 }, retry: false })
    }
    const book = open(embedder)
    await book.store(Array.from({ length: 20 }, (_, i) => `pay ${i}`))
    await book.pass()
    expect(await book.status()).toMatchObject({ state: 'failing', refused: 3, behind: 17 })
  })

  test('gets the texts again that it refused while it was at fault itself', async () => {
    const embedder = createMeaningEmbedder({ batch: 1 })
    embedder.fail = () => {
      throw new DaybookError('embedder-failed', undefined, { details: { status: 400 }, retry: false })
    }
    const book = open(embedder)
    await book.store(Array.from({ length: 20 }, (_, i) => `pay ${i}`))
    await book.pass()
    embedder.fail = undefined
    await book.pass(300_000)
    expect(await book.status()).toMatchObject({ state: 'ready', embedded: 20, refused: 0 })
  })

  test('gets a batch again later and later while its vectors cannot be stored', async () => {
    const db = keptDatabase()
    let isFull = true
    const embedder = createMeaningEmbedder()
    const book = open(embedder, {
      ...db,
      run(sql, values) {
        if (isFull && sql.startsWith('INSERT OR REPLACE INTO vectors'))
          throw new DaybookError('storage-full', undefined, { retry: true })
        return db.run(sql, values)
      },
    })
    await book.store()
    await book.pass(8000)
    expect(embedder.asked).toHaveLength(4 * goals.length)
    expect(await book.status()).toMatchObject({ state: 'failing', lastError: { code: 'storage-full' } })
    isFull = false
    await book.pass(20_000)
    expect(await book.status()).toMatchObject({ state: 'ready', embedded: 4 })
  })

  test('is not called for a caller that has already stopped', async () => {
    let calls = 0
    const vectors = createQuestionVectors({
      embedder: {
        provider: 'p',
        model: 'm',
        dimensions: 1,
        embed: () => Promise.resolve([new Float32Array([++calls])]),
      } as never,
      health: {
        pauseLeftMs: () => 0,
        lastError: () => undefined,
        recordFailure: () => undefined,
        recordSuccess: () => undefined,
      } as never,
      scheduler: { later: () => () => undefined } as never,
      deadlineMs: 800,
      masked: (question) => question,
    })
    await expect(vectors.vectorOf('salary', AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' })
    expect(calls).toBe(0)
  })
})
