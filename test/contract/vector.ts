// Vectors, as every host must give them to a book: computed from the book itself, so that no model is needed to test it.
import { expect, it } from 'vitest'
import type { RecallResult } from '../../src/core/capability/port/recall-port.ts'
import type { Daybook, LiveSnapshot } from '../../src/book/daybook.ts'
import { makeTrace } from '../support/trace.ts'
import { type BookCase, failure, snapshotOf } from './book-case.ts'

const subjects = [
  ['car', 'automobile', 'engine', 'wheel', 'garage', 'brake', 'tyre'],
  ['doctor', 'physician', 'hospital', 'medicine', 'nurse', 'patient', 'clinic'],
  ['bank', 'salary', 'loan', 'invoice', 'tax', 'budget', 'account'],
  ['storm', 'rain', 'umbrella', 'cloud', 'thunder', 'forecast', 'wind'],
]
const traces = Array.from({ length: 200 }, (_, i) => {
  const words = subjects[i % 4] ?? []
  // Five of the seven, from another place on each time.
  const goal = Array.from(
    { length: 5 },
    (_word, n) => words[(Math.floor(i / 4) * (1 + (i % 3)) + n) % 7],
  ).join(' ')
  return makeTrace({
    id: `v-${i}`,
    timestamp: '2026-03-01T10:00:00Z',
    situation: {
      domain: 'test',
      context: {},
    },
    task: { goal },
    action: { type: 'note' },
    result: {
      success: true,
      outcome: {},
    },
  })
})
const lsa = { embedder: { provider: 'lsa' } } as const

/** Resolves when every record has its vector: at once, or with the event that tells of the last. */
function embedded(book: Daybook): Promise<void> {
  return new Promise((resolve, reject) => {
    const off = book.on('progress', ({ capability, done, total }) => {
      if (capability !== 'embed:status' || done < total) return
      off()
      resolve()
    })
    book.embedder.status().then(({ state }) => {
      if (state !== 'ready') return
      off()
      resolve()
    }, reject)
  })
}

export function vectorCases({ book: open, reopen }: BookCase): void {
  it('recalls what shares meaning but no word, by a model of its own texts, and says so', async () => {
    const book = await open(lsa)
    const all = embedded(book)
    await book.traces.storeMany({ traces })
    await all
    expect(await book.embedder.status()).toMatchObject({
      provider: 'lsa',
      state: 'ready',
      fingerprint: 'lsa|book-1|128|true',
      total: 200,
      embedded: 200,
      behind: 0,
      refused: 0,
    })
    const { hits, legs, degraded } = await book.recall({ text: 'thunder', limit: 50 })
    expect(degraded).toEqual([])
    expect(legs['vector']).toBeGreaterThan(legs['text'] ?? 0)
    expect(hits[0]?.because.text?.words).toEqual(['thunder'])
    const others = hits.filter(({ because }) => !because.text && (because.vector?.similarity ?? 0) >= 0.45)
    expect(others.length).toBeGreaterThan(0)
    for (const { record } of others) {
      const { goal } = (record as unknown as { task: { goal: string } }).task
      expect(goal.split(' ').some((word) => subjects[3]?.includes(word))).toBe(true)
    }
    const rainy = { 'task.goal': { contains: 'umbrella' } }
    const narrow = await book.recall({ text: 'thunder', filters: rainy, limit: 50 })
    expect(narrow.legs['vector']).toBeGreaterThan(0)
    expect(narrow.hits.every(({ record }) => JSON.stringify(record).includes('umbrella'))).toBe(true)
    expect((await book.recall({ text: 'purple elephants juggling quantum pancakes' })).hits).toEqual([])

    const again = await reopen(book, lsa)
    await embedded(again)
    expect((await again.embedder.status()).fingerprint).toBe('lsa|book-1|128|true')
    const { hits: same } = await again.recall({ text: 'thunder', limit: 50, exact: true })
    expect(same.map(({ record }) => record.id)).toEqual(hits.map(({ record }) => record.id))
    const { dimensions, embeddings } = await again.embedder.embed({ texts: ['thunder', 'nurse'] })
    expect([dimensions, embeddings.length]).toEqual([128, 2])
  })

  it('runs a live recall again when the vectors of a reopened book are there', async () => {
    const book = await open(lsa)
    const all = embedded(book)
    await book.traces.storeMany({ traces })
    await all
    const again = await reopen(book, lsa)
    const live = again.live({ method: 'recall', input: { text: 'thunder', limit: 50 } })
    const hasVectors = ({ data }: LiveSnapshot<RecallResult>) =>
      data?.hits.some(({ because }) => because.vector) === true
    const { data } = await snapshotOf(live, (one) => hasVectors(one as LiveSnapshot<RecallResult>))
    expect(data?.degraded).toEqual([])
  })

  it('takes in a first model without losing anything, and another one as another space, made anew', async () => {
    const book = await open()
    await book.traces.storeMany({ traces })
    const first = await reopen(book, lsa)
    const early = await first.recall({ text: 'thunder' })
    expect(early.hits[0]?.because.text?.words).toEqual(['thunder'])
    await embedded(first)
    expect(await first.embedder.status()).toMatchObject({ fingerprint: 'lsa|book-1|128|true', embedded: 200 })
    const other = { embedder: { provider: 'lsa', dimensions: 32 } } as const
    const second = await reopen(first, other)
    const meanwhile = await second.recall({ text: 'thunder' })
    expect(meanwhile.hits[0]?.because.text?.words).toEqual(['thunder'])
    await embedded(second)
    expect(await second.embedder.status()).toMatchObject({
      state: 'ready',
      fingerprint: 'lsa|book-2|32|true',
      total: 200,
      embedded: 200,
      behind: 0,
    })
    const { hits, degraded } = await second.recall({ text: 'thunder', limit: 50 })
    expect([hits.some(({ because }) => !because.text && because.vector), degraded]).toEqual([true, []])
    expect((await second.status()).records['trace']).toBe(200)
  })

  it('has no vectors unless asked to, and says so', async () => {
    const book = await open()
    expect(await book.embedder.status()).toMatchObject({ provider: 'none', state: 'off', total: 0 })
    expect((await failure(book.embedder.embed({ texts: ['a'] }))).code).toBe('embedder-off')
    const wrong = await failure(book.embedder.embed({ texts: [] }))
    expect(wrong).toMatchObject({ code: 'invalid-input', details: { path: 'texts' } })
  })
}
