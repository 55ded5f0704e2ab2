// Latent semantic analysis of a book: finds what shares meaning but no word, is the same each time, grows with the
// book.
import { afterEach, describe, expect, test } from 'vitest'
import type { EmbedStatus } from '../../../src/core/capability/status.ts'
import type { RecallResult } from '../../../src/core/capability/port/recall-port.ts'
import { DaybookError } from '../../../src/core/errors.ts'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'
import type { EmbedderSource } from '../../../src/recall/embed/create-embedder.ts'
import { createLsaEmbedder } from '../../../src/recall/embed/lsa-embedder.ts'
import { minTexts, type LsaModel, readLsa } from '../../../src/recall/embed/lsa-model.ts'
import { trainLsa } from '../../../src/recall/embed/lsa-training.ts'
import { makeTrace } from '../../support/trace.ts'
import { openTestEngine, type TestEngine } from '../../support/test-engine.ts'

/** Texts of four subjects; each has five of the seven words of its own. */
const subjects = [
  ['car', 'automobile', 'engine', 'wheel', 'garage', 'brake', 'tyre'],
  ['doctor', 'physician', 'hospital', 'medicine', 'nurse', 'patient', 'clinic'],
  ['bank', 'salary', 'loan', 'invoice', 'tax', 'budget', 'account'],
  ['storm', 'rain', 'umbrella', 'cloud', 'thunder', 'forecast', 'wind'],
]
function makeTexts(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const words = subjects[i % subjects.length] ?? []
    const from = Math.floor(i / subjects.length) * (1 + (i % 3))
    return Array.from({ length: 5 }, (_word, n) => words[(from + n) % words.length]).join(' ')
  })
}

function train(texts: readonly string[], dimensions: number): LsaModel | undefined {
  const steps = trainLsa(texts, dimensions)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value && readLsa(value, dimensions)
  }
}
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)

describe('the model', () => {
  const model = train(makeTexts(120), 8) as LsaModel
  const of = (text: string) => model.embed(text, 'document')

  test('texts of words that stand beside each other elsewhere are near, others are not', () => {
    expect(cosine(of('automobile wheel brake'), of('car engine garage tyre'))).toBeGreaterThan(0.6)
    expect(Math.abs(cosine(of('automobile wheel brake'), of('umbrella cloud wind')))).toBeLessThan(0.2)
    expect(cosine(of('automobiles'), of('Automobile!'))).toBeCloseTo(1, 6)
  })

  test('vectors are of length 1; a question is shorter by what the book does not know', () => {
    const length = (vector: Float32Array) => Math.hypot(...vector)
    expect(length(of('car unheard'))).toBeCloseTo(1, 5)
    expect(length(model.embed('car', 'question'))).toBeCloseTo(1, 5)
    expect(length(model.embed('car unheard ungiven unknown', 'question'))).toBeLessThan(0.6)
    expect([...of('unheard'), ...of('')].every((value) => value === 0)).toBe(true)
  })

  test('the same texts make the same model', () => {
    const again = train(makeTexts(120), 8) as LsaModel
    for (const word of subjects.flat()) expect(again.embed(word, 'document')).toEqual(of(word))
  })

  test('too few texts, or texts with nothing in common, make none', () => {
    expect(train(makeTexts(minTexts - 1), 8)).toBeUndefined()
    expect(
      train(
        Array.from({ length: 100 }, (_, i) => `word${i}`),
        8,
      ),
    ).toBeUndefined()
    expect(
      train(
        Array.from({ length: 100 }, () => 'always the same words'),
        8,
      ),
    ).toBeUndefined()
  })
})

const opened: TestEngine[] = []
afterEach(() => opened.splice(0).forEach(({ engine }) => engine.close()))

function open(db: SqlDatabase = { ...openNodeDatabase({ path: ':memory:' }), close: () => undefined }) {
  const source = {
    open: (parts: Parameters<EmbedderSource['open']>[0]) =>
      createLsaEmbedder({ provider: 'lsa' }, { ...parts, scheduler: nodePorts.scheduler }),
  }
  const test = openTestEngine({ db, embedder: source })
  opened.push(test)
  const { engine } = test
  return {
    ...test,
    db,
    store: (texts: readonly string[], from = 0) =>
      engine.call('kstar:store_traces', {
        traces: texts.map((goal, i) => ({
          ...makeTrace({ id: `t-${from + i}`, task: { goal } }),
          situation: { domain: 'd', context: {} },
          action: { type: 'n' },
          result: { success: true, outcome: {} },
        })),
      }),
    recall: (text: string) => engine.call('daybook:recall', { text }) as Promise<RecallResult>,
    status: () => engine.call('embed:status', {}) as Promise<EmbedStatus>,
  }
}

describe('a book with its own model', () => {
  test('waits for enough records, without a complaint in recall', async () => {
    const book = open()
    await book.store(makeTexts(minTexts - 1))
    await book.pass()
    expect(await book.status()).toMatchObject({
      provider: 'lsa',
      state: 'waiting',
      why: expect.stringMatching(/32/) as string,
    })
    const { hits, degraded } = await book.recall('physician')
    expect([hits.length > 0, degraded]).toEqual([true, []])
  })

  test('never says that it needs as many as it has, not at once after they came nor with nothing to learn', async () => {
    const unlike = Array.from({ length: 544 }, (_, i) => `word${i}`)
    for (const texts of [makeTexts(544), unlike, makeTexts(minTexts)]) {
      const book = open()
      const said: (string | undefined)[] = []
      await book.store(texts)
      for (let steps = 0; steps < 6; steps++) {
        said.push((await book.status()).why)
        await book.pass(10)
      }
      await book.pass(60_000)
      said.push((await book.status()).why)
      expect(said.filter((why) => why?.includes(String(minTexts)))).toEqual([])
      // What it says instead is what comes of it.
      expect(said.at(-1)).toEqual(
        texts === unlike ? expect.stringContaining('too few words in common') : undefined,
      )
    }
  })

  test('finds records that share no word with the question, after those that do', async () => {
    const book = open()
    await book.store(makeTexts(200))
    await book.pass()
    expect(await book.status()).toMatchObject({
      state: 'ready',
      embedded: 200,
      fingerprint: 'lsa|book-1|128|true',
    })
    const { hits, legs } = await book.recall('thunder')
    expect(legs['vector']).toBeGreaterThan(legs['text'] ?? 0)
    const weather = new Set(subjects[3])
    for (const { record } of hits)
      expect(
        (record as unknown as { task: { goal: string } }).task.goal
          .split(' ')
          .some((word) => weather.has(word)),
      ).toBe(true)
    expect(hits[0]?.because.text?.words).toEqual(['thunder'])
  })

  test('returns nothing for nonsense, also beside one word that is known', async () => {
    const book = open()
    await book.store(makeTexts(200))
    await book.pass()
    for (const text of ['purple elephants juggling', 'quantum pancakes juggling purple elephants for rain'])
      expect((await book.recall(text)).hits.map(({ because }) => because)).toEqual([])
  })

  test('keeps its model when it is opened again, and embeds a new record with it', async () => {
    const book = open()
    await book.store(makeTexts(100))
    await book.pass()
    const before = book.db.all('SELECT * FROM vectors')
    book.engine.close()
    const again = open(book.db)
    await again.pass()
    expect(book.db.all('SELECT * FROM vectors')).toEqual(before)
    await again.store(['umbrella forecast'], 100)
    await again.pass()
    expect(await again.status()).toMatchObject({ fingerprint: 'lsa|book-1|128|true', embedded: 101 })
  })

  test('learns again after its model could not be saved', async () => {
    const memory = openNodeDatabase({ path: ':memory:' })
    let isFull = true
    const book = open({
      ...memory,
      close: () => undefined,
      run(sql, params) {
        if (isFull && sql.startsWith('INSERT INTO model_parts')) throw new DaybookError('storage-full')
        memory.run(sql, params)
      },
    })
    await book.store(makeTexts(100))
    await book.pass()
    expect(await book.status()).toMatchObject({
      embedded: 0,
      why: expect.not.stringMatching(/too few/) as string,
    })
    isFull = false
    await book.store(['rain'], 100)
    await book.pass(600_000)
    expect(await book.status()).toMatchObject({ fingerprint: 'lsa|book-1|128|true', embedded: 101 })
  })

  test('computes a new model, which is a new space, when the book has grown by half', async () => {
    const book = open()
    await book.store(makeTexts(100))
    await book.pass()
    await book.store(makeTexts(49), 100)
    await book.pass()
    expect((await book.status()).fingerprint).toBe('lsa|book-1|128|true')
    await book.store(['rain'], 149)
    await book.pass(60_000)
    expect(await book.status()).toMatchObject({
      fingerprint: 'lsa|book-2|128|true',
      embedded: 150,
      state: 'ready',
    })
    const spaces = book.db.all('SELECT DISTINCT space FROM vectors')
    expect(spaces.length).toBe(1)
  })
})
