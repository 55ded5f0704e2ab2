// The text index in memory beside FTS5: the same records in the same order with the same scores, after any history.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { createPostingSearch } from '../../../../src/store/posting/posting-search.ts'
import { Postings } from '../../../../src/store/posting/postings.ts'
import { tokenize } from '../../../../src/store/word/tokenize.ts'
import { compare, compareStores, fill, history, kinds, live, vocabulary } from './posting-case.ts'
import { openTestStore, type TestStore } from '../../../support/test-store.ts'

const opened: TestStore[] = []
afterEach(() => opened.splice(0).forEach(({ db }) => db.close()))

function open(): TestStore {
  const store = openTestStore(kinds, { textIndex: true })
  opened.push(store)
  return store
}

describe('postings', () => {
  test('rank as FTS5 does after any history, undone transactions included', () => {
    let hits = 0
    fc.assert(
      fc.property(
        history,
        fc.array(fc.constantFrom(...vocabulary, 'absent'), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 8 }),
        (past, words, limit) => {
          const store = open()
          live(store, past)
          fill(store)
          hits += compare(store, words, limit)
          compareStores(store, [...new Set(words)], limit)
          opened.pop()?.db.close()
        },
      ),
      { numRuns: 150 },
    )
    expect(hits).toBeGreaterThan(100)
  })

  test('index texts as they index terms, also after so many removals that the lists are numbered anew', () => {
    const [fromTexts, fromTerms] = [new Postings(), new Postings()]
    const attributes = { session: undefined, happenedAtMs: 0, isPlain: true, isLight: true }
    const add = (seq: number, texts: readonly string[]) => {
      const terms = texts.flatMap((text) => tokenize(text))
      expect(fromTexts.setTexts(seq, texts, attributes)).toBe(terms.length)
      fromTerms.set(seq, terms, attributes)
    }
    for (let seq = 1; seq <= 1500; seq++) add(seq, [`Word${seq} and common words`, `Straße ${seq % 7}`])
    for (let seq = 1; seq <= 1200; seq++) for (const postings of [fromTexts, fromTerms]) postings.remove(seq)
    expect(fromTexts.documentCount()).toBeLessThan(1500)
    add(1501, ['word1 word1400 Straße common', '', 'new common'])

    expect([...fromTexts.terms()].sort()).toEqual([...fromTerms.terms()].sort())
    for (const term of fromTerms.terms())
      expect([term, fromTexts.frequency(term)]).toEqual([term, fromTerms.frequency(term)])
    expect(fromTexts.frequency('common')).toBe(301)
    expect(fromTexts.frequency('word1')).toBe(1)
  })

  test('rank natural texts as FTS5 does, while records change and go by the thousand', () => {
    const store = open()
    const random = createRandom(5)
    // Zipf: the n-th word comes 1/n as often as the first.
    const word = () => `word${'abcdefghij'[Math.floor(random() * 10)] ?? ''}${Math.floor(2000 ** random())}`
    const words = (n: number) => Array.from({ length: n }, word)
    const put = (i: number) =>
      store.put({ title: words(3 + Math.floor(random() * 40)).join(' ') }, { id: `n-${i}` })
    const ask = () => {
      for (let i = 0; i < 25; i++) {
        const question = words(1 + Math.floor(random() * 9))
        compare(store, question, i % 2 === 0 ? 10 : 150)
        if (i < 5) compareStores(store, [...new Set(question)], 40)
      }
    }
    store.db.transaction(() => Array.from({ length: 4000 }, (_, i) => put(i)))
    fill(store)
    ask()
    const before = store.textIndex?.state().bytes ?? 0
    store.db.transaction(() => {
      for (let i = 0; i < 4000; i += 3) put(i)
      for (let i = 0; i < 4000; i += 2) store.forget(`n-${i}`)
    })
    fill(store)
    ask()
    const after = store.textIndex?.state()
    expect(after?.records).toBe(2000)
    expect(after?.bytes).toBeLessThan(before)
    store.db.transaction(() => Array.from({ length: 300 }, (_, i) => put(5000 + i)))
    fill(store)
    ask()
  })

  test('are off for good when they would take more than their budget, and FTS5 answers', () => {
    for (const budget of [
      { records: 20, bytes: 1e9 },
      { records: 1000, bytes: 8000 },
    ]) {
      const store = openTestStore(kinds, { textIndex: budget })
      opened.push(store)
      store.db.transaction(() => Array.from({ length: 100 }, (_, i) => store.put({ title: `red t${i}` })))
      store.projection.catchUp()
      while (store.textIndex?.step(7));
      expect(store.textIndex?.state()).toEqual({ state: 'off', records: 0, bytes: 0 })
      expect(store.textIndex?.search(['red'], 3)).toBeUndefined()
      expect(store.queries.search({ text: 'red', limit: 200 })).toHaveLength(100)
    }
  })

  test('answer only when all is taken in: a few missing records at once, many in idle time', () => {
    const store = open()
    const putMany = (n: number) =>
      store.db.transaction(() => Array.from({ length: n }, () => store.put({ title: 'red' })))
    const has = () =>
      store.queries
        .candidates({ words: ['red'], match: 'any', limit: 500 })
        .map(({ matchedTerms }) => matchedTerms)
    putMany(60)
    expect(has()).toEqual(Array.from({ length: 60 }))
    expect(store.textIndex?.state().state).toBe('cold')
    fill(store)
    putMany(3)
    expect(has()).toEqual(Array.from({ length: 63 }, () => ['red']))
    // Changed and changed back before it was derived: the index never had the text between.
    const [one] = putMany(1)
    store.projection.catchUp()
    const id = one?.id ?? ''
    store.put({ title: 'blue' }, { id })
    while (store.textIndex?.step(7));
    store.put({ title: 'red' }, { id })
    expect(has()).toHaveLength(64)
    compare(store, ['red', 'blue'], 100)
  })

  test('order equals by when they happened, however many there are and however few of them are asked for', () => {
    const store = open()
    store.db.transaction(() => {
      for (let i = 0; i < 600; i++) {
        const at = `2026-01-${10 + ((i * 7) % 20)}T12:00:00.000Z`
        store.put({ title: 'red', note: i % 3 ? 'blue' : '', at, place: i % 29 ? 'there' : 'here' })
      }
    })
    fill(store)
    for (const limit of [1, 10, 35]) compareStores(store, ['red', 'blue'], limit)
  })

  test('take a text in place of another, and know the shortest text also when it comes late', () => {
    const postings = new Postings()
    const facts = { session: undefined, happenedAtMs: 0, isPlain: true, isLight: true }
    const find = createPostingSearch(postings)
    const totals = { rows: 1000, terms: 30_000 }
    const filler = Array.from({ length: 60 }, (_, i) => `filler${i}`)
    for (let i = 1; i <= 20; i++) postings.set(i, ['rare', ...filler.slice(0, 5)], facts)
    for (let i = 21; i <= 60; i++) postings.set(i, ['common', ...filler], facts)
    expect(find(['rare', 'common'], totals, 5).map(({ seq }) => seq)).toEqual([20, 19, 18, 17, 16])
    for (let i = 61; i <= 70; i++)
      postings.set(
        i,
        Array.from({ length: 6 }, () => 'common'),
        facts,
      )
    expect(find(['rare', 'common'], totals, 5).map(({ seq }) => seq)).toEqual([70, 69, 68, 67, 66])
    postings.set(70, ['rare'], facts)
    expect(postings.frequency('common')).toBe(49)
    expect(find(['common'], totals, 5).map(({ seq }) => seq)).toEqual([69, 68, 67, 66, 65])
    expect(postings.recordCount()).toBe(70)
  })

  test('start over when what is derived starts over', () => {
    const store = open()
    for (let i = 0; i < 3; i++) store.put({ title: 'red' }, { id: `r-${i}` })
    fill(store)
    store.db.exec('DELETE FROM facets; DELETE FROM text_index')
    store.settings.set('derived_seq', 0)
    expect(store.textIndex?.search(['red'], 5)).toEqual([])
    expect(store.textIndex?.state().records).toBe(0)
    store.projection.markNew()
    fill(store)
    expect(compare(store, ['red'], 5)).toBe(3)
  })

  test('leave words that the index parts to FTS5', () => {
    const store = open()
    store.put({ title: 'a\u093fb red' })
    store.put({ title: 'b a red' })
    fill(store)
    const found = store.queries.search({ text: 'a\u093fb', limit: 5 })
    expect(found).toHaveLength(1)
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
