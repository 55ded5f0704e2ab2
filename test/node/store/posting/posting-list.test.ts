// A list of postings beside plain pairs of numbers, short and packed, over several stretches of documents.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addPostings,
  compactPostings,
  createPostingList,
  documentAt,
  documentFrequency,
  eachPosting,
  frequencyOf,
  isEntryOf,
  listBytes,
  type PostingList,
  raiseLastPosting,
  seekPosting,
} from '../../../../src/store/posting/posting-list.ts'

type Pair = readonly [document: number, frequency: number]

interface Run {
  readonly count: number
  readonly gap: number
  readonly leap: number
  readonly frequency: number
}
const run: fc.Arbitrary<Run> = fc.record({
  count: fc.constantFrom(1, 40, 300, 700),
  gap: fc.constantFrom(1, 2, 9, 60),
  leap: fc.constantFrom(0, 0, 8191, 30_000),
  frequency: fc.constantFrom(1, 3, 6, 7, 8, 254, 255, 900),
})

/** Adds runs of documents, the last of each with this frequency and the others with 1 or 2. */
function fill(list: PostingList, runs: readonly Run[], sizes: Uint32Array): Pair[] {
  const pairs: Pair[] = []
  let document = 0
  for (const { count, gap, leap, frequency } of runs) {
    document += leap
    const added: Pair[] = []
    for (let i = 1; i <= count; i++) added.push([(document += gap), i === count ? frequency : 1 + (i % 2)])
    addPostings(
      list,
      Uint32Array.from(added, ([one, times]) => one * 256 + Math.min(times, 254)),
      sizes,
    )
    if (frequency > 254) raiseLastPosting(list, { document, size: 10, times: frequency - 254 })
    pairs.push(...added)
  }
  return pairs
}

function pairsOf(list: PostingList): Pair[] {
  const pairs: Pair[] = []
  eachPosting(list, 0, list.length, (...pair) => pairs.push(pair))
  return pairs
}

test('lists say what was put into them, wherever they are looked into', () => {
  let packed = 0
  fc.assert(
    fc.property(
      fc.array(run, { maxLength: 6 }),
      fc.array(fc.nat(300_000), { maxLength: 30 }),
      (runs, asked) => {
        const sizes = new Uint32Array(400_000).fill(10)
        const list = createPostingList()
        const pairs = fill(list, runs, sizes)
        expect(pairsOf(list)).toEqual(pairs)
        if (list.packed) packed += 1
        const at = asked[0] === undefined ? 0 : asked[0] % (pairs.length + 1)
        eachPosting(list, at, Math.min(at + 1, pairs.length), (...pair) => expect(pair).toEqual(pairs[at]))
        for (let i = 0; i < pairs.length; i += 97) {
          const [document, frequency] = pairs[i] as Pair
          expect(documentAt(list, i)).toBe(document)
          expect(frequencyOf(list, i, document)).toBe(frequency)
        }
        const documents = [...asked, ...pairs.slice(0, 20).map(([document]) => document)]
        for (const document of documents) {
          const wanted = pairs.findIndex(([one]) => one >= document)
          const found = seekPosting(list, document, 0)
          expect(found).toBe(wanted < 0 ? pairs.length : wanted)
          expect(isEntryOf(list, found, document)).toBe(pairs[found]?.[0] === document)
          expect(seekPosting(list, document, Math.min(pairs.length, found + 3))).toBe(
            Math.min(pairs.length, found + 3),
          )
        }
        for (const [document] of pairs.filter((_, i) => i % 3 === 0)) sizes[document] = 0
        expect(documentFrequency(list, 1, sizes)).toBe(pairs.length - Math.ceil(pairs.length / 3))
        const renamed = new Int32Array(400_000).fill(-1)
        const left = pairs.filter((_, i) => i % 3 > 0)
        left.forEach(([document], i) => (renamed[document] = i))
        expect(compactPostings(list, renamed)).toBe(left.length > 0)
        expect(pairsOf(list)).toEqual(left.map(([, frequency], i) => [i, frequency]))
      },
    ),
    { numRuns: 60 },
  )
  expect(packed).toBeGreaterThan(20)
})

test('a long list takes little more than two bytes for an entry', () => {
  const list = createPostingList()
  const sizes = new Uint32Array(400_000).fill(10)
  for (let document = 1; document < 300_000; document += 1000)
    addPostings(
      list,
      Uint32Array.from({ length: 500 }, (_, i) => (document + 2 * i) * 256 + 1),
      sizes,
    )
  expect(listBytes(list) / list.length).toBeLessThan(2.3)
})
