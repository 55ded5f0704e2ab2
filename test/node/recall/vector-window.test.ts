// Records by the vectors of themselves and of what stands right beside them in their sessions.
import { expect, test } from 'vitest'
import type { Place } from '../../../src/store/query/evidence.ts'
import { besideOthers } from '../../../src/recall/vector-window.ts'

/** One session of records 1, 2, 3 …, as similar as said. */
function sessionOf(similar: readonly number[]) {
  const placeOf = (seq: number): Place => ({
    session: 's',
    before: seq > 1 ? seq - 1 : undefined,
    after: seq < similar.length ? seq + 1 : undefined,
  })
  const hit = (seq: number) => ({ seq, similarity: similar[seq - 1] ?? 0 })
  return (lowest: number) => {
    const hits = similar
      .map((_, i) => hit(i + 1))
      .filter(({ similarity }) => similarity >= lowest)
      .sort((a, b) => b.similarity - a.similarity)
    return besideOthers(hits, {
      lowest,
      places: (seqs) => new Map(seqs.map((seq) => [seq, placeOf(seq)])),
      similarities: (seqs) => seqs.map(hit),
    })
  }
}

test('an answer comes before what is as similar and answers nothing', () => {
  const order = sessionOf([0.4, 0, 0, 0.8, 0.4, 0.3])(0.2).map(({ seq }) => seq)
  // 5 follows what is very similar; 1 stands alone.
  expect(order.indexOf(5)).toBeLessThan(order.indexOf(1))
  expect(order[0]).toBe(4)
})

test('what follows counts as well, and less than what goes before', () => {
  expect(sessionOf([0.4, 0.9, 0, 0, 0.45])(0.2).map(({ seq }) => seq)).toEqual([2, 1, 5, 3, 4])
  expect(sessionOf([0.4, 0.8, 0.4, 0])(0.2).map(({ seq }) => seq)).toEqual([2, 3, 1, 4])
})

test('what stands beside the best comes along with its own similarity, and what is below the usual lifts nothing', () => {
  const ranked = sessionOf([0.1, 0.9, -0.3, 0.25])(0.2)
  expect(ranked).toContainEqual({ seq: 1, similarity: 0.1 })
  expect(ranked).toContainEqual({ seq: 3, similarity: -0.3 })
  expect(ranked.map(({ seq }) => seq)).toEqual([2, 4, 1, 3])
})

test('without sessions the order is that of the similarities, and nothing is asked for', () => {
  const hits = [3, 1, 2].map((seq, i) => ({ seq, similarity: 0.9 - i / 10 }))
  const alone = { session: undefined, before: undefined, after: undefined }
  const similarities = () => expect.unreachable('nobody stands beside')
  const places = (seqs: readonly number[]) => new Map(seqs.map((seq) => [seq, alone]))
  expect(besideOthers(hits, { lowest: 0, places, similarities })).toEqual(hits)
})
