// What vectors bring into recall by themselves, what never becomes one, and which embedder's they are.
import { afterEach, describe, expect, test } from 'vitest'
import type { EmbedStatus } from '../../../../src/core/capability/status.ts'
import type { RecallResult } from '../../../../src/core/capability/port/recall-port.ts'
import { defined } from '../../../../src/core/defined.ts'
import { createMeaningEmbedder, meaningOf, type MeaningEmbedder } from '../../../support/meaning-embedder.ts'
import { openTestEngine, type TestEngine } from '../../../support/test-engine.ts'

const opened: TestEngine[] = []
afterEach(() => opened.splice(0).forEach(({ engine }) => engine.close()))

function open(embedder: MeaningEmbedder) {
  const book = openTestEngine({ embedder: { open: () => embedder } })
  opened.push(book)
  const { engine } = book
  return {
    ...book,
    store: (goals: readonly string[]) =>
      engine.call('kstar:store_traces', {
        traces: goals.map((goal, i) => ({
          id: `t-${i}`,
          situation: { domain: 'd' },
          task: { goal },
          action: { type: 'note' },
        })),
      }),
    recall: (text: string) => engine.call('daybook:recall', { text }) as Promise<RecallResult>,
    status: () => engine.call('embed:status', {}) as Promise<EmbedStatus>,
  }
}

test('a call from a tab that was opened with another embedder is told which one is used', async () => {
  const source = { name: 'test|meaning', open: () => createMeaningEmbedder() }
  const book = openTestEngine({ embedder: source })
  opened.push(book)
  const from = (embedder?: string) => ({
    from: { tab: 't', scope: { agent: 'a' }, owner: false, ...defined({ embedder }) },
  })
  const why = async (embedder?: string) =>
    ((await book.engine.call('embed:status', {}, from(embedder))) as EmbedStatus).why
  expect(await why('none')).toContain(
    'opened with `none`, but the one that holds the book has `test|meaning`',
  )
  expect([await why('test|meaning'), await why()]).toEqual([undefined, undefined])
})

test('texts of a kind that says `embed: false` never go to an embedder', async () => {
  const embedder = createMeaningEmbedder()
  const book = open(embedder)
  await book.store(['ask a physician'])
  await book.engine.call('inbox:send', { text: 'the car of a stranger' })
  await book.pass()
  expect(embedder.asked.join(' ')).toContain('physician')
  expect(embedder.asked.join(' ')).not.toContain('stranger')
  expect(await book.status()).toMatchObject({ state: 'ready', total: 1, embedded: 1 })
})

describe('a hit that vectors alone brought', () => {
  /** As docs/find.md states it. */
  const strengthOf = (similarity: number) => Math.min(1, (similarity - 0.25) / (0.5 + 0.25))

  test('scores its share of all legs that found something, by the strength of its similarity', async () => {
    const book = open(createMeaningEmbedder())
    await book.store(['ask a physician', 'hospital car', 'rain'])
    await book.pass()
    const alone = await book.recall('medicine')
    expect(alone.hits.map(({ record }) => record.id)).toEqual(['t-0', 't-1'])
    const similar = alone.hits.map(({ because }) => because.vector?.similarity ?? 0)
    expect(similar).toEqual([expect.closeTo(1, 2), expect.closeTo(Math.SQRT1_2, 2)])
    // One leg: the whole share for its first, 21/22 of it for the second. The factors are those of both.
    const [first = 0, second = 0] = alone.hits.map(({ score }) => score)
    const [best = 0, next = 0] = similar.map(strengthOf)
    expect(second / first).toBeCloseTo(((21 / 22) * next) / best, 3)

    // Beside legs that found the word, what only means the same comes after what says it.
    const { hits } = await book.recall('hospital')
    expect(hits.map(({ record, because }) => [record.id, because.text !== undefined])).toEqual([
      ['t-1', true],
      ['t-0', false],
    ])
    expect(hits[1]?.score).toBeLessThan(0.3)
  })

  test('is none below the least similarity, which only lifts what another leg found', async () => {
    const book = open({ ...createMeaningEmbedder(), minSimilarity: 0.8 })
    await book.store(['hospital car', 'hospital rain salary automobile'])
    await book.pass()
    expect(await book.recall('medicine')).toMatchObject({ hits: [], legs: { vector: 2 } })
    const { hits } = await book.recall('hospital')
    expect(hits.map(({ because }) => because.vector?.rank)).toEqual([1, 2])
  })
})

describe('a model that says of no similarity what it means', () => {
  /** As many models do: whatever two texts say, they are 0.7 alike or more, and what means the same is somewhat more. */
  const crowded = (): MeaningEmbedder => {
    const inner = createMeaningEmbedder()
    return {
      ...inner,
      minSimilarity: undefined,
      dimensions: 1 + 64 + meaningOf('').length,
      embed: (texts) =>
        Promise.resolve(
          texts.map((text) => {
            const meaning = meaningOf(text)
            const own = noiseOf(text)
            const numbers = [1.6, ...own, ...meaning]
            const length = Math.hypot(...numbers)
            return Float32Array.from(numbers, (number) => number / length)
          }),
        ),
    }
  }
  const noiseOf = (text: string) => {
    let state = [...text].reduce((sum, letter) => Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0), 7)
    const numbers = Array.from({ length: 64 }, () => {
      state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
      return state / 2 ** 31
    })
    const length = Math.hypot(...numbers)
    return numbers.map((number) => (0.7 * number) / length)
  }
  const others = Array.from({ length: 40 }, (_, i) => `errand${i} parcel${i} ribbon${i}`)

  test('answers nonsense with nothing, and finds what only means the same', async () => {
    const book = open(crowded())
    await book.store([...others, 'ask a physician'])
    await book.pass()
    const { hits } = await book.recall('medicine')
    expect(hits.map(({ record }) => record.id)).toEqual(['t-40'])
    expect(hits[0]?.because.vector?.similarity).toBeGreaterThan(0.7)
    for (const nonsense of ['zeppelin', 'purple elephants juggling', 'quantum pancakes'])
      expect([nonsense, (await book.recall(nonsense)).hits]).toEqual([nonsense, []])
  })

  test('answers with less where full text answers too', async () => {
    const book = open(crowded())
    await book.store([...others, 'ask a physician'])
    await book.pass()
    const { hits } = await book.recall('medicine errand7')
    expect(hits.map(({ record }) => record.id)).toEqual(expect.arrayContaining(['t-7', 't-40']))
  })
})
