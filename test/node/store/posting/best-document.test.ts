// The search in postings beside plain arithmetic over all documents: windows so small that each question crosses
// many, lists so uneven that each way through a window is taken.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BestDocuments } from '../../../../src/store/posting/best-document.ts'
import { createPostingSearch, type ScoredRecord } from '../../../../src/store/posting/posting-search.ts'
import { Postings } from '../../../../src/store/posting/postings.ts'

const facts = { session: undefined, happenedAtMs: 0, isPlain: true, isLight: true }

/** How likely a text has the term: common ones, rare ones, and one that comes in a run of documents only. */
const shares: Readonly<Record<string, number>> = { a: 0.7, b: 0.4, c: 0.3, d: 0.1, e: 0.02, f: 0.005, run: 0 }
const terms = Object.keys(shares)

interface Case {
  readonly seed: number
  readonly documents: number
  readonly window: number
  readonly limit: number
  readonly asked: readonly string[]
  readonly removed: number
}

const anyCase: fc.Arbitrary<Case> = fc.record({
  seed: fc.nat(),
  documents: fc.integer({ min: 0, max: 700 }),
  window: fc.constantFrom(1, 7, 32, 64, 300, 4096),
  limit: fc.constantFrom(1, 2, 10, 50, 1000),
  asked: fc.array(fc.constantFrom(...terms, 'absent'), { minLength: 1, maxLength: 9 }),
  removed: fc.constantFrom(0, 0.1, 0.9),
})

const saying = (a: ScoredRecord, b: ScoredRecord) => b.score - a.score || b.seq - a.seq

/** Texts by their seq, and the answers of both. */
function run({ seed, documents, window, limit, asked, removed }: Case) {
  const random = createRandom(seed)
  const postings = new Postings()
  const texts = new Map<number, readonly string[]>()
  const makeText = (seq: number) => [
    ...terms.flatMap((term) => {
      const isIn = random() < (term === 'run' ? Number(seq > 200 && seq < 230) : (shares[term] ?? 0))
      // Mostly once, seldom often, hardly ever more often than a byte holds.
      const times = random() < 0.8 ? 1 : Math.ceil(300 ** random())
      return isIn ? Array.from({ length: times }, () => term) : []
    }),
    ...Array.from({ length: Math.floor(4 + 300 ** random()) }, () => 'filler'),
  ]
  const put = (seq: number) => {
    texts.set(seq, makeText(seq))
    postings.set(seq, texts.get(seq) ?? [], facts)
  }
  for (let seq = 1; seq <= documents; seq++) put(seq)
  for (let seq = 1; seq <= documents; seq++) {
    if (random() >= removed) continue
    texts.delete(seq)
    postings.remove(seq)
    if (random() < 0.3) put(seq)
  }
  const size = [...texts.values()].reduce((sum, text) => sum + text.length, 0)
  const totals = { rows: Math.max(1, texts.size), terms: Math.max(1, size) }
  const count = (text: readonly string[], term: string) => text.filter((one) => one === term).length
  const average = totals.terms / totals.rows
  const weights = new Map(
    asked.map((term) => {
      const having = [...texts.values()].filter((text) => text.includes(term)).length
      return [term, Math.max(1e-6, Math.log((totals.rows - having + 0.5) / (having + 0.5)))]
    }),
  )
  const wanted = [...texts].flatMap(([seq, text]): ScoredRecord[] => {
    const matchedTerms = [...new Set(asked)].filter((term) => text.includes(term))
    const base = 1.2 * (1 - 0.75 + (0.75 * text.length) / average)
    let score = 0
    for (const term of asked) {
      const frequency = count(text, term)
      if (frequency > 0) score += (weights.get(term) ?? 0) * ((frequency * (1.2 + 1.0)) / (frequency + base))
    }
    return matchedTerms.length > 0 ? [{ seq, score, matchedTerms }] : []
  })
  const found = createPostingSearch(postings, new BestDocuments(window))(asked, totals, limit)
  return { found, wanted: wanted.sort(saying).slice(0, limit) }
}

describe('the best documents', () => {
  test('are those of plain arithmetic, bit by bit, whatever the windows', () => {
    let hits = 0
    fc.assert(
      fc.property(anyCase, (one) => {
        const { found, wanted } = run(one)
        expect(found).toEqual(wanted)
        hits += found.length
      }),
      { numRuns: 250 },
    )
    expect(hits).toBeGreaterThan(1000)
  })

  test('leave nothing behind for the next question', () => {
    const postings = new Postings()
    const random = createRandom(3)
    for (let seq = 1; seq <= 500; seq++)
      postings.set(
        seq,
        terms.filter((term) => random() < (shares[term] ?? 0)),
        facts,
      )
    const totals = { rows: 500, terms: 800 }
    const search = createPostingSearch(postings, new BestDocuments(64))
    const ask = (asked: readonly string[]) => search(asked, totals, 5)
    const fresh = terms.map((term) => createPostingSearch(postings, new BestDocuments(64))([term], totals, 5))
    for (let round = 0; round < 3; round++) {
      ask(terms)
      expect(terms.map((term) => ask([term]))).toEqual(fresh)
    }
  })
})

/** Numbers in [0, 1), the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
