// A model of this machine in a thread of its own: what it gives, where its files come from, and how it ends.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createAbort, neverAborted } from '../../../src/core/abort.ts'
import type { Embedder } from '../../../src/core/ports.ts'
import type { Daybook } from '../../../src/book/daybook.ts'
import { openDaybook, serveEmbed } from '../../../src/hosts/node/index.ts'
import { nodeEmbedderHost } from '../../../src/hosts/node/model/node-embedder.ts'
import { createModelEmbedder } from '../../../src/recall/embed/create-embedder.ts'
import {
  type EmbedderOptions,
  type LocalModelOptions,
  parseEmbedderOptions,
} from '../../../src/recall/embed/embedder-options.ts'
import { embedderContract, failure } from '../../contract/embedder.ts'
import { meaningOf } from '../../support/meaning-embedder.ts'
import { tinyModel } from '../../support/server/tiny-model.ts'
import { startTinyServer } from '../../support/server/tiny-server.ts'
import { makeTrace } from '../../support/trace.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-model-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeAll(() => {
  for (const [file, content] of tinyModel()) {
    const path = join(folder, 'tiny', file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
})
const cache = join(folder, 'cache')
const own = { model: 'tiny', path: folder, cache }
const embedders: Embedder[] = []
afterEach(() => embedders.splice(0).forEach((embedder) => embedder.close()))

function local(options: LocalModelOptions = own): Embedder {
  const embedder = createModelEmbedder({ provider: 'local', ...options }, nodeEmbedderHost)
  embedders.push(embedder)
  return embedder
}

function openBook(options: LocalModelOptions = own, path = ':memory:'): Promise<Daybook> {
  return openDaybook({ name: 'local', path, embedder: { provider: 'local', ...options } })
}
/** The first status that is as wanted, looked at whenever the book tells of progress. */
async function statusWhere(book: Daybook, isWanted: (state: string, behind: number) => boolean) {
  for (;;) {
    const told = new Promise<void>((resolve) => {
      const off = book.on('progress', () => {
        off()
        resolve()
      })
    })
    const status = await book.embedder.status()
    if (isWanted(status.state, status.behind)) return status
    await told
  }
}

embedderContract('local, in a thread', () =>
  Promise.resolve(createModelEmbedder({ provider: 'local', ...own, path: folder }, nodeEmbedderHost)),
)

describe('a model', () => {
  test('gives the vectors that it has, by files of the folder alone', async () => {
    const embedder = local()
    const texts = ['the doctor drives a car', 'money', 'nothing known']
    const vectors = await embedder.embed(texts, 'document', neverAborted)
    const numbers = (vector: Float32Array) => [...vector].map((number) => number.toFixed(5))
    expect(vectors.map(numbers)).toEqual(texts.map((text) => numbers(meaningOf(text))))
    expect(embedder.model).toBe('tiny q8 mean')
  })

  test('is named by all that decides its vectors', () => {
    const name = (more: Partial<LocalModelOptions>) => local({ ...own, ...more }).model
    const names = [
      {},
      { dtype: 'fp32' as const },
      { pooling: 'cls' as const },
      { revision: 'v2' },
      { documentPrefix: 'passage: ' },
    ].map(name)
    expect(new Set(names).size).toBe(names.length)
    expect(name({ questionPrefix: 'query: ', deadlineMs: 5, device: 'cpu' })).toBe(names[0])
  })

  test('answers a question before the documents that were asked for earlier', async () => {
    const embedder = local()
    await embedder.embed(['car'], 'document', neverAborted)
    const order: string[] = []
    // So many that the model is still busy with the first of them when the question comes, however busy the machine.
    const many = Array.from({ length: 400 }, (_, i) => `car ${i}`)
    await Promise.all([
      ...[1, 2].map(() => embedder.embed(many, 'document', neverAborted).then(() => order.push('document'))),
      embedder.embed(['rain'], 'question', neverAborted).then(() => order.push('question')),
    ])
    expect(order).toEqual(['question', 'document', 'document'])
  })

  test('what is given up is not computed', async () => {
    const embedder = local()
    await embedder.embed(['car'], 'document', neverAborted)
    const abort = createAbort()
    const answers = [1, 2, 3].map(() => failure(embedder.embed(['rain'], 'document', abort.signal)))
    abort.abort()
    expect((await Promise.all(answers)).map(({ code }) => code)).toEqual(['aborted', 'aborted', 'aborted'])
    expect((await embedder.embed(['car'], 'document', neverAborted)).length).toBe(1)
  })
})

describe('a book', () => {
  test('tells how far its model is loaded, answers by full text meanwhile, then finds by meaning', async () => {
    const server = await startTinyServer()
    onTestFinished(() => server.close())
    let release = () => {}
    server.misbehave = (response, file) => {
      if (file !== 'onnx/model_quantized.onnx') return false
      release = () => response.end(tinyModel().get(file))
      return true
    }
    await using book = await openBook({ ...own, path: server.url, cache: join(folder, 'slow') })
    const told: string[] = []
    book.on('progress', ({ subject, done, total }) =>
      told.push(`${subject} ${done < total ? 'under way' : 'done'}`),
    )
    await book.traces.store({ ...makeTrace(), id: 't', task: { goal: 'ask a physician' } })
    const waiting = await statusWhere(book, (state) => state === 'waiting')
    expect(waiting.why).toMatch(/^Its model is/)
    while (!server.asked.includes('onnx/model_quantized.onnx'))
      await new Promise((resolve) => setImmediate(resolve))
    const meanwhile = await book.recall({ text: 'physician' })
    expect(meanwhile.hits[0]?.record.id).toBe('t')
    expect(meanwhile.degraded).toEqual([expect.stringMatching(/^vectors: Its model is being loaded/)])
    expect((await book.status()).degraded).toEqual(meanwhile.degraded)
    release()
    const status = await statusWhere(book, (state, behind) => state === 'ready' && behind === 0)
    expect(status).toMatchObject({ fingerprint: 'local|tiny q8 mean|4|true', embedded: 1 })
    expect(told).toContain('Bytes of the model done')
    const { hits, degraded } = await book.recall({ text: 'hospital' })
    expect([hits[0]?.record.id, hits[0]?.because.vector?.rank, degraded]).toEqual(['t', 1, []])
    expect((await book.status()).degraded).toEqual([])
  })

  test('opens offline once its model is cached, and says what is missing when it is not', async () => {
    const server = await startTinyServer()
    const options = { ...own, path: server.url, cache: join(folder, 'kept') }
    const once = local(options)
    await once.embed(['car'], 'document', neverAborted)
    await server.close()
    // Whoever could write there would choose what is run.
    expect(statSync(options.cache).mode & 0o777).toBe(0o700)
    const offline = local({ ...options, offline: true })
    expect((await offline.embed(['car'], 'document', neverAborted)).length).toBe(1)
    const empty = local({ ...options, offline: true, cache: join(folder, 'empty') })
    const error = await failure(empty.embed(['car'], 'document', neverAborted))
    expect(error).toMatchObject({ code: 'embedder-failed', retry: false, details: { model: 'tiny' } })
    expect(error.message).toContain('open the book once without')
  })

  test('another kind of numbers is another space, made anew', async () => {
    const path = join(folder, 'space.daybook')
    for (const dtype of ['q8', 'fp32'] as const) {
      await using book = await openBook({ ...own, dtype }, path)
      await book.traces.store({ ...makeTrace(), id: `t-${dtype}`, task: { goal: 'ask a physician' } })
      const status = await statusWhere(book, (state, behind) => state === 'ready' && behind === 0)
      expect(status.fingerprint).toBe(`local|tiny ${dtype} mean|4|true`)
      expect(status.embedded).toBe(dtype === 'q8' ? 1 : 2)
    }
  })

  test.each([
    [
      'no such model',
      { model: 'missing' },
      /`missing` could not be loaded.*`embedder\.model`.*`embedder\.path`/,
    ],
    ['no such file', { dtype: 'q4' as const }, /`embedder\.dtype` \(here q4\)/],
    ['no runtime', { runtime: 'file:///nowhere/transformers.mjs' }, /npm install @huggingface\/transformers/],
  ])('%s: says so once, with a way out, and full text answers', async (_what, more, message) => {
    await using book = await openBook({ ...own, ...more })
    await book.traces.store({ ...makeTrace(), id: 't', task: { goal: 'ask a physician' } })
    const failed = await failure(book.embedder.embed({ texts: ['a'] }))
    expect(failed).toMatchObject({ code: 'embedder-failed', retry: false })
    expect(failed.message).toMatch(message)
    let status = await book.embedder.status()
    while (status.state !== 'failing') {
      await new Promise((resolve) => setImmediate(resolve))
      status = await book.embedder.status()
    }
    expect(status.lastError?.message).toMatch(message)
    const { hits, degraded } = await book.recall({ text: 'physician' })
    expect(hits[0]?.record.id).toBe('t')
    expect(degraded).toEqual([expect.stringMatching(message)])
    expect((await book.status()).degraded).toEqual(degraded)
  })

  test('that is closed while its model is loading ends the download', async () => {
    const server = await startTinyServer()
    onTestFinished(() => server.close())
    const cut = new Promise<void>((resolve) => {
      server.misbehave = (response, file) => {
        if (!file.startsWith('onnx/')) return false
        response.on('close', () => resolve())
        return true
      }
    })
    const book = await openBook({ ...own, path: server.url, cache: join(folder, 'cut') })
    while (!server.asked.some((file) => file.startsWith('onnx/')))
      await new Promise((resolve) => setImmediate(resolve))
    await book.close()
    await cut
  })

  test('asks a server of this machine that runs the model', async () => {
    await using server = await serveEmbed({ port: 0, embedder: { provider: 'local', ...own } })
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ texts: ['rain', 'salary'] }),
    })
    expect(await response.json()).toEqual({
      embeddings: [
        [0, 0, 0, 1],
        [0, 0, 1, 0],
      ],
      dimensions: 4,
    })
  })
})

describe('options', () => {
  test.each([
    [{}, 'model'],
    [{ model: 'm', dtype: 'q9' }, 'dtype'],
    [{ model: 'm', pooling: 'max' }, 'pooling'],
    [{ model: 'm', offline: 'yes' }, 'offline'],
    [{ model: 'm', path: 'http://far.example/models' }, 'path'],
    [{ model: 'm', deadlineMs: 0 }, 'deadlineMs'],
  ])('%j is refused with its path', (options, path) => {
    const parse = () => parseEmbedderOptions({ provider: 'local', ...options } as EmbedderOptions)
    expect(parse).toThrow(expect.objectContaining({ details: { path: `embedder.${path}` } }))
  })
})
