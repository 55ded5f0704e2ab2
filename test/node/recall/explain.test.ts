// Why a record was not found: every outcome and every code, one by one. For vectors see explain-vector.test.ts.
import { afterEach, describe, expect, test } from 'vitest'
import { explainRecall } from '../../../src/recall/explain/explain.ts'
import type { RecallParts } from '../../../src/recall/explain/recall-parts.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import type { Daybook } from '../../../src/book/daybook.ts'
import { open as openWithVectors, plain } from './embedding-case.ts'
import { codes, helps, missed, type Missed, reasonOf } from './explain-case.ts'

const opened: Daybook[] = []
afterEach(async () => {
  for (const book of opened.splice(0)) await book.close()
})

async function openBook(options: object = {}): Promise<Daybook> {
  const book = await openDaybook({
    name: 'explain',
    agent: 'mira',
    path: ':memory:',
    embedder: { provider: 'none' },
    ...options,
  })
  opened.push(book)
  return book
}

/** A book whose traces have the goals `goals`, with the ids t-0, t-1, …, one session each. */
async function bookOf(goals: readonly string[], more: (i: number) => object = () => ({})): Promise<Daybook> {
  const book = await openBook()
  await book.traces.storeMany({
    traces: goals.map((goal, i) => ({ ...plain(`t-${i}`, goal), session: `s-${i}`, ...more(i) })),
  })
  return book
}

const topics = ['harbour', 'orchard', 'violin', 'glacier', 'printer', 'compass', 'bakery', 'lantern']
/** Texts that share no subject with the others. */
const others = (count: number) =>
  Array.from({ length: count }, (_, i) => `${topics[i % topics.length] ?? ''} notes number${i}`)

describe('a record and a question', () => {
  test('found: the rank and the score of recall, and the place in each leg', async () => {
    const book = await bookOf(['repair the harbour crane', 'paint the harbour wall', 'tune the violin'])
    const { hits } = await book.recall({ text: 'harbour wall' })
    const answer = await book.recall.explain({ text: 'harbour wall', id: 't-1' })
    expect(answer).toMatchObject({ outcome: 'found', kind: 'trace', rank: 1, hits: 2, score: hits[0]?.score })
    const text = answer.outcome === 'found' ? answer.legs.find(({ leg }) => leg === 'text') : undefined
    expect(text).toMatchObject({ rank: 1, isCandidate: true, isAnswer: true, candidates: 2 })
    expect(text?.value).toBeGreaterThan(text?.needed ?? 1)
    expect(text?.says).toMatch(/^Number 1: “harbour”, “wall” covers 1.00/)
  })

  test('an unknown id', async () => {
    const book = await bookOf(others(3))
    expect(await book.recall.explain({ text: 'harbour', id: 't-99' })).toEqual({
      outcome: 'unknown-record',
      id: 't-99',
      says: 'There is no such record in this book, or this caller may not read it.',
    })
  })

  test('refuses bad input by its path', async () => {
    const book = await bookOf(others(3))
    for (const [input, path] of [
      [{ text: 'x', id: 'no id at all' }, 'id'],
      [{ text: 'x', id: 't-0', limit: 0 }, 'limit'],
      [{ text: 'x', id: 't-0', kinds: ['nothing'] }, 'kinds.0'],
      [{ id: 't-0' }, 'text'],
      [{ text: 'x' }, 'id'],
    ] as const)
      await expect(book.call('recall:explain' as string, input)).rejects.toMatchObject({
        code: 'invalid-input',
        details: { path },
      })
  })
})

describe('the state of the record', () => {
  test('forgotten', async () => {
    const book = await bookOf(others(3))
    await book.records.forget({ id: 't-0' })
    expect(codes(await missed(book.recall.explain({ text: 'harbour', id: 't-0' })))).toEqual(['forgotten'])
  })

  test('sealed under a key that is locked', async () => {
    const book = await openBook({ passphrase: 'correct horse battery' })
    const { id } = await book.perceptions.store({ content: 'the harbour pin', sensitivity: 'sensitive' })
    await book.seal.lock()
    const answer = await missed(book.recall.explain({ text: 'harbour', id }))
    expect([codes(answer), helps(answer)]).toEqual([['sealed'], [['unlock', undefined]]])
  })

  test('a kind that recall never returns, and a state that it does not return', async () => {
    const book = await bookOf(others(3))
    const { id } = await book.inbox.send({ to: 'mira', text: 'harbour' } as never)
    const ofKind = await missed(book.recall.explain({ text: 'harbour', id }))
    expect(reasonOf(ofKind, 'not-recalled').wholeKind).toBe(true)
    const document = { key: 'plan', value: { text: 'harbour' }, recalled: false }
    const { written } = await book.documents.write({ changes: [document] })
    const ofRecord = await missed(
      book.recall.explain({ text: 'harbour', id: written[0]?.id ?? '', kinds: ['document'] }),
    )
    expect(reasonOf(ofRecord, 'not-recalled').wholeKind).toBe(false)
  })

  test('expired: as of its own time it is a hit', async () => {
    const book = openWithVectors(undefined)
    const said = { content: 'the harbour is closed', valid_until: '2026-07-02T00:00:00Z' }
    const { id } = (await book.engine.call('kstar:store_perception', said)) as { id: string }
    await book.pass(3 * 86_400_000)
    const answer = await missed(book.engine.call('recall:explain', { text: 'harbour', id }))
    expect(reasonOf(answer, 'expired').at).toMatch(/^2026-07-02T/)
    expect(helps(answer)).toEqual([['other-time', 1]])
  })

  test('superseded, by a record that it names', async () => {
    const book = await openBook()
    const first = await book.facts.store({ schema: 'place', data: { harbour: 'Bergen' } } as never)
    const next = await book.facts.supersede({ id: first.id, data: { harbour: 'Oslo' } } as never)
    const answer = await missed(book.recall.explain({ text: 'harbour Bergen', id: first.id }))
    expect(reasonOf(answer, 'superseded').by).toEqual([next.id])
  })

  test('outdated, because a source is forgotten', async () => {
    const { engine } = openWithVectors(undefined)
    const source = { type: 'User', id: 'ann', name: 'Ann' }
    const messages = ['The harbour crane is red.', 'The gate is open.', 'The wall is built.'].map(
      (content, i) => ({ id: `m-${i}`, source, content, timestamp: `2026-06-01T10:0${i}:00Z` }),
    )
    const stored = await engine.call('ks:store_messages', { session: 's', messages })
    const { results } = stored as { results: { id: string }[] }
    const archived = await engine.call('ks:archive_episode', { session: 's' })
    const { episodeId: id } = archived as { episodeId: string }
    await engine.call('kstar:forget', { id: results[0]?.id, cascade: true })
    const answer = await missed(engine.call('recall:explain', { text: 'harbour crane', id }))
    expect(codes(answer)).toEqual(['outdated'])
  })
})

describe('the scope of the question', () => {
  test.each([
    ['kinds', { kinds: ['message'] }, 'trace'],
    ['agent', { agent: 'nobody' }, 'mira'],
    ['session', { session: 's-9' }, 's-0'],
    ['resource', { resource: 'course:x' }, undefined],
    ['filters', { filters: { 'task.goal': { contains: 'violin' } } }, undefined],
  ] as const)('%s leaves it out; without it the record is hit 1', async (option, scope, has) => {
    const book = await bookOf(['repair the harbour crane', 'tune the violin'], () => ({ agent: 'mira' }))
    const answer = await missed(book.recall.explain({ text: 'harbour crane', id: 't-0', ...scope } as never))
    expect(reasonOf(answer, 'out-of-scope')).toMatchObject({ option, ...(has ? { has } : {}) })
    expect(answer.suggestions[0]).toMatchObject({ code: 'remove-filter', remove: [option], rank: 1 })
    // No leg says that the record lacks the words: none looks at it.
    const text = answer.legs.find(({ leg }) => leg === 'text')
    expect(text?.says).toBe('Not searched: an option of the question, or its state, leaves the record out.')
  })

  test('`at` is earlier than the record', async () => {
    const book = await bookOf(['repair the harbour crane'], () => ({ timestamp: '2026-03-01T10:00:00Z' }))
    const answer = await missed(book.recall.explain({ text: 'harbour', id: 't-0', at: '2026-02-01' }))
    expect(reasonOf(answer, 'out-of-scope')).toMatchObject({ option: 'at' })
    expect(helps(answer)).toEqual([['remove-filter', 1]])
  })
})

test('outside of the scope, and without a common word: both, and what helps against both', async () => {
  const book = await bookOf(['repair the harbour crane', ...others(5)])
  const answer = await missed(book.recall.explain({ text: 'concert', id: 't-0', session: 's-9' }))
  expect(codes(answer)).toEqual(['out-of-scope', 'no-common-word'])
  const [both] = answer.suggestions
  expect(both).toMatchObject({ code: 'all-of-these', remove: ['session'], rank: 1 })
  const again = await book.recall({ text: String(both?.set?.['text']) })
  expect(again.hits[0]?.record.id).toBe('t-0')
})

describe('the words of the question', () => {
  test('no words', async () => {
    const book = await bookOf(['repair the harbour crane'])
    const answer = await missed(book.recall.explain({ text: '?!', id: 't-0' }))
    expect(codes(answer)).toEqual(['no-words'])
    expect(helps(answer)).toContainEqual(['add-word', 1])
  })

  test('no common word: a word of the record helps, or an embedder', async () => {
    const book = await bookOf(['repair the harbour crane', ...others(5)])
    const answer = await missed(book.recall.explain({ text: 'when is the concert', id: 't-0' }))
    expect(reasonOf(answer, 'no-common-word').words).toEqual(['concert'])
    const [word, embedder] = answer.suggestions
    expect([word?.code, word?.rank, embedder?.code]).toEqual(['add-word', 1, 'embedder'])
    const again = await book.recall({ text: String(word?.set?.['text']) })
    expect(again.hits[0]?.record.id).toBe('t-0')
  })

  test('stop words only: a hit has all of them', async () => {
    const book = await bookOf(['to be or not to be', 'the harbour'])
    const answer = await missed(book.recall.explain({ text: 'to be or not', id: 't-1' }))
    expect(codes(answer)).toEqual(['not-all-words'])
  })

  test('below the floor: the coverage that it had and needed', async () => {
    const goals = ['the crane', ...others(200), 'zebra quilt mosaic', 'zebra quilt saffron']
    const book = await bookOf(goals)
    const text = 'zebra quilt mosaic saffron crane notes harbour'
    const id = 't-9'
    const answer = await missed(book.recall.explain({ text, id, limit: 5 }))
    const { value, needed } = reasonOf(answer, 'below-floor')
    expect(value).toBeGreaterThan(0)
    expect(value).toBeLessThan(needed)
  })

  test('off the subject of the book', async () => {
    const book = await bookOf(['repair the harbour crane', ...others(150)])
    const answer = await missed(
      book.recall.explain({ text: 'crane migration ornithology feathers', id: 't-0' }),
    )
    expect(reasonOf(answer, 'off-subject').words).toEqual(['crane'])
  })

  test('out of the candidates: its true rank', async () => {
    const goals = Array.from({ length: 260 }, (_, i) => `harbour ${'ship '.repeat(1 + (i % 3))}${i}`)
    const book = await bookOf([
      ...goals,
      `harbour ${topics.slice(1).join(' ')} and many more words than the others`,
    ])
    const answer = await missed(book.recall.explain({ text: 'harbour', id: 't-260' }))
    expect(reasonOf(answer, 'out-of-candidates')).toMatchObject({ leg: 'text', rank: 261, candidates: 200 })
    const text = answer.legs.find(({ leg }) => leg === 'text')
    expect(text).toMatchObject({ rank: 261, isCandidate: false, candidates: 200 })
  })
})

describe('the place and the options of the answer', () => {
  const ships = Array.from({ length: 30 }, (_, i) => `harbour pilot ${topics[i % 8] ?? ''} ${i}`)

  test('below others: its rank, and the number of hits that helps', async () => {
    const book = await bookOf(ships)
    const { hits } = await book.recall({ text: 'harbour pilot', limit: 30 })
    const id = hits[24]?.record.id ?? ''
    const answer = await missed(book.recall.explain({ text: 'harbour pilot', id }))
    const { rank, limit, lastScore } = reasonOf(answer, 'below-others')
    expect([rank, limit, answer.hits]).toEqual([25, 10, 10])
    expect(lastScore).toBeCloseTo((await book.recall({ text: 'harbour pilot' })).hits.at(-1)?.score ?? 0, 5)
    expect(answer.suggestions[0]).toMatchObject({ code: 'more-hits', set: { limit: 40 }, rank: 25 })
  })

  test('a duplicate, and of which record', async () => {
    const book = await bookOf(['open the harbour gate at noon', 'open the harbour gate at noon', 'violin'])
    const { hits } = await book.recall({ text: 'harbour gate' })
    const kept = hits[0]?.record.id ?? ''
    const id = kept === 't-0' ? 't-1' : 't-0'
    const answer = await missed(book.recall.explain({ text: 'harbour gate', id }))
    expect(reasonOf(answer, 'duplicate').of).toBe(kept)
    expect(helps(answer)).toEqual([['with-duplicates', 2]])
  })

  test('below `minScore`', async () => {
    const book = await bookOf(['harbour gate crane', 'harbour lantern compass notes', ...others(5)])
    const text = 'harbour gate crane'
    const whole = (await book.recall({ text })).hits
    const last = whole.at(-1)
    const answer = await missed(
      book.recall.explain({ text, id: last?.record.id ?? '', minScore: whole[0]?.score ?? 1 }),
    )
    expect(reasonOf(answer, 'below-min-score').score).toBeCloseTo(last?.score ?? 0, 5)
    expect(answer.suggestions[0]).toMatchObject({ code: 'lower-score', rank: whole.length })
  })

  test('after the sharp cut', async () => {
    const book = await bookOf(['harbour gate crane', 'harbour lantern compass notes', ...others(5)])
    const text = 'harbour gate crane'
    const id = (await book.recall({ text })).hits.at(-1)?.record.id ?? ''
    const answer = await missed(book.recall.explain({ text, id, cut: 'sharp' }))
    expect(reasonOf(answer, 'cut-sharp').lastScore).toBeGreaterThan(reasonOf(answer, 'cut-sharp').score)
    expect(answer.suggestions[0]?.code).toBe('no-cut')
  })

  test('too similar for `diversity`', async () => {
    const book = await bookOf([
      'harbour gate crane red 1',
      'harbour gate crane red 2',
      'harbour lantern compass bakery gate',
    ])
    const text = 'harbour gate crane'
    const [, second] = (await book.recall({ text, limit: 2 })).hits
    const answer = await missed(
      book.recall.explain({ text, id: second?.record.id ?? '', limit: 2, diversity: 0.9 }),
    )
    expect(reasonOf(answer, 'too-similar')).toMatchObject({ rank: 2, diversity: 0.9 })
    expect(answer.suggestions[0]).toMatchObject({ code: 'no-diversity', rank: 2 })
  })

  test('several options that each leave it out: all of them at once', async () => {
    const book = await bookOf(ships)
    const { hits } = await book.recall({ text: 'harbour pilot', limit: 30 })
    const id = hits[24]?.record.id ?? ''
    const cuts = { limit: 1, minScore: 0.999, cut: 'sharp' } as const
    const answer = await missed(book.recall.explain({ text: 'harbour pilot', id, ...cuts }))
    expect(helps(answer)).toEqual([['all-of-these', 25]])
    expect(answer.suggestions[0]?.set).toEqual({ limit: 200, minScore: 0, cut: 'none' })
  })

  test('a better record that `diversity` leaves out is not below the others', async () => {
    const book = await bookOf([
      'harbour gate crane red one',
      'harbour gate crane red two',
      'harbour gate crane red three',
      'harbour lantern compass bakery',
    ])
    const question = { text: 'harbour gate crane', diversity: 1, limit: 2 }
    const { hits } = await book.recall(question)
    const left = ['t-0', 't-1', 't-2'].filter((id) => !hits.some(({ record }) => record.id === id))
    expect(left.length).toBe(2)
    for (const id of left) {
      const answer = await missed(book.recall.explain({ ...question, id }))
      expect(codes(answer)).toEqual(['too-similar'])
    }
  })

  test('a change of the book between two reads is named', async () => {
    const stages = {
      want: 'best',
      limit: 10,
      question: { words: [], limit: 200, match: 'any' },
      parts: [],
      later: new Map(),
      noise: new Map(),
      lists: [],
      weighted: [],
      reranked: [],
      best: [],
    }
    const parts = {
      query: { text: 'x' },
      recall: (_query: unknown, _signal: unknown, trace?: (one: unknown) => void) => {
        trace?.({ ...stages, weighted: [{ seq: 1 }] })
        return Promise.resolve({ hits: [], legs: {}, degraded: [], durationMs: 0 })
      },
      seen: {
        kinds: new Map(),
        row: () => ({ seq: 1, id: 'a', kind: 'trace', deleted: 0 }),
        queries: {
          query: () => ({ records: [] }),
          matching: () => new Set([1]),
          findVisibleIds: () => new Set(['a']),
          read: () => new Map([[1, { id: 'a', kind: 'trace' }]]),
          candidates: () => [],
        },
      },
      isOwner: true,
    } as unknown as RecallParts
    expect(codes((await explainRecall(parts, 'a')) as Missed)).toEqual(['changed'])
  })
})

test('contradicted: the later statement that is above it', async () => {
  const { engine } = openWithVectors(undefined)
  const texts = [
    'My dentist is Dr Alvarez.',
    'I changed my dentist to Dr Brandt, because Dr Alvarez retired.',
  ]
  const messages = texts.map((content, i) => ({
    content,
    source: { type: 'User', name: 'Mara' },
    timestamp: `2026-03-0${i + 1}T10:00:00Z`,
  }))
  const stored = await engine.call('ks:store_messages', { session: 's', messages })
  const [first, second] = (stored as { results: { id: string }[] }).results
  const asked = { text: 'who is my dentist', limit: 1, distinct: false }
  const answer = await missed(engine.call('recall:explain', { ...asked, id: first?.id }))
  expect(reasonOf(answer, 'contradicted').by).toBe(second?.id)
  expect(codes(answer)).toEqual(['contradicted', 'below-others'])
})

describe('a whole answer', () => {
  const ships = Array.from({ length: 60 }, (_, i) => `harbour pilot ${topics[i % 8] ?? ''} ${i}`)

  test('is chosen by the words of the question, with its own limit', async () => {
    const book = await bookOf([...ships, ...others(200)])
    const text = 'list all harbour pilots'
    const { want, hits } = await book.recall({ text })
    expect([want, hits.length]).toEqual(['all', 40])
    const id =
      ships.map((_, i) => `t-${i}`).find((one) => !hits.some(({ record }) => record.id === one)) ?? ''
    const answer = await missed(book.recall.explain({ text, id }))
    expect(answer).toMatchObject({ want: 'all', hits: 40 })
    const { rank, limit, lastScore } = reasonOf(answer, 'below-others')
    expect(rank).toBeGreaterThan(40)
    expect(limit).toBe(40)
    expect(lastScore).toBeCloseTo(Math.min(...hits.map(({ score }) => score)), 5)
    expect(answer.suggestions[0]).toMatchObject({ code: 'more-hits', set: { limit: 100 } })
    // Another sort of answer has another limit.
    const best = await missed(book.recall.explain({ text, id, want: 'best' }))
    expect([best.want, reasonOf(best, 'below-others').limit]).toEqual(['best', 10])
  })

  test('an order: the rank is the place in time', async () => {
    const book = await bookOf(['open the harbour gate', 'harbour', 'paint the harbour wall red'], (i) => ({
      timestamp: `2026-03-0${3 - i}T10:00:00Z`,
    }))
    const answer = await book.recall.explain({ text: 'in what order harbour', id: 't-0' })
    expect(answer).toMatchObject({ outcome: 'found', want: 'order', rank: 3, hits: 3 })
    expect(answer.says).toMatch(/^It is hit 3 of 3 in the order of time, with score/)
  })

  test('below its floor: the score that the record had and needed', async () => {
    const book = await bookOf(['zebra quilt mosaic saffron', 'zebra quilt mosaic', ...others(190)])
    const text = 'zebra quilt mosaic saffron notes'
    const answer = await missed(book.recall.explain({ text, id: 't-7', want: 'all', limit: 200 }))
    const { score, needed } = reasonOf(answer, 'below-whole-floor')
    expect(score).toBeLessThan(needed)
    const { hits } = await book.recall({ text, want: 'all', limit: 200 })
    expect(Math.min(...hits.map((hit) => hit.score))).toBeGreaterThanOrEqual(needed)
  })

  test('takes a record that is below the floor of the best hits', async () => {
    const book = await bookOf(['the crane', ...others(200), 'zebra quilt mosaic', 'zebra quilt saffron'])
    const text = 'zebra quilt mosaic saffron crane notes harbour'
    const answer = await missed(book.recall.explain({ text, id: 't-9' }))
    expect(codes(answer)).toContain('below-floor')
    expect(helps(answer).map(([code]) => code)).toContain('other-want')
    expect(await book.recall.explain({ text, id: 't-9', want: 'all' })).toMatchObject({ outcome: 'found' })
  })

  test('a record that only words of the best records find', async () => {
    const roof = ['roof leak: slates and roofer', 'roof leak: slates again', 'slates from the roofer arrive']
    const book = await bookOf([...roof, ...others(150)])
    const answer = await book.recall.explain({ text: 'roof leak', want: 'all', id: 't-2' })
    expect(answer).toMatchObject({ outcome: 'found', want: 'all' })
    expect(answer.says).toMatch(/Words of the best records find it: “slates”, “roofer”\.$/)
  })
})

describe('words of reasons', () => {
  test('are those of the question, as they are written', async () => {
    const book = await bookOf(['paint the harbour wall', 'tune the violin', ...others(5)])
    const found = await book.recall.explain({ text: 'Painting HARBOURS', id: 't-0' })
    const says = found.outcome === 'found' ? found.legs.find(({ leg }) => leg === 'text')?.says : undefined
    expect(says).toMatch(/“Painting”, “HARBOURS” covers/)
    const answer = await missed(book.recall.explain({ text: 'Painting HARBOURS', id: 't-1' }))
    expect(reasonOf(answer, 'no-common-word').words).toEqual(['Painting', 'HARBOURS'])
  })
})

test('hits of a list have the similarity of recall, and each has a reason', async () => {
  const book = await openDaybook({ name: 'list', agent: 'mira', path: ':memory:' })
  opened.push(book)
  const goals = [
    'Bought a kettle',
    'Bought a bicycle in Ghent',
    'The invoice for the laptop came',
    'Paid for new shoes',
    'Rain all day',
    'Bought a second-hand desk',
  ]
  await book.traces.storeMany({ traces: goals.map((goal, i) => plain(`t-${i}`, goal)) })
  await expect.poll(async () => (await book.embedder.status()).behind, { timeout: 20_000 }).toBe(0)
  const text = 'List every thing I bought'
  const { want, hits } = await book.recall({ text })
  expect(want).toBe('all')
  expect(hits.some(({ because }) => because.vector)).toBe(true)
  for (const { record, because } of hits) {
    const answer = await book.recall.explain({ text, id: record.id })
    if (answer.outcome !== 'found') throw new Error(answer.says)
    const value = answer.legs.find(({ leg }) => leg === 'vector')?.value
    if (because.vector) expect(value).toBeCloseTo(because.vector.similarity, 5)
    const isAnswer = answer.legs.some((leg) => leg.isAnswer)
    expect(answer.says).toMatch(isAnswer ? /with score/ : /each candidate above its floor|find it/)
  }
})
