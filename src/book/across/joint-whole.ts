// A whole answer of several books: its sort, its order, and the share that was returned. Pure.
// Invariant: the order changes no score and drops no hit.
import { usualLimits, type Want } from '../../core/capability/port/recall-port.ts'

/** An answer of one book. An older book's answer has neither `want` nor `complete`. */
interface BookAnswer {
  readonly want?: Want | undefined
  readonly complete?: number | undefined
}

/** The sort of the joint answer: as the query says, else the first whole that a book chose by the words. */
export const jointWant = (wanted: Want | undefined, answers: readonly BookAnswer[]): Want =>
  wanted ?? answers.find(({ want = 'best' }) => want !== 'best')?.want ?? 'best'

/** The most hits of the joint answer, if the query does not say it. */
export const jointLimit = (want: Want): number => usualLimits[want === 'best' ? 'best' : 'whole']

interface PlacedHit {
  readonly happenedAt?: string | undefined
  /** The book, by its place in the call. */
  readonly place: number
  /** The hit's place in the answer of its book. */
  readonly row: number
}

/**
 * `hits`, best first, in the order of the sort. `best`: unchanged. `order`: by time, those without a time last. `all` and `summary`:
 * book by book, the book of the best hit first, each in the order of its own answer, so that its runs stay together.
 */
export function inJointOrder<Hit extends PlacedHit>(hits: readonly Hit[], want: Want): Hit[] {
  if (want === 'best') return [...hits]
  if (want === 'order')
    return hits.toSorted((a, b) => compareTimes(a, b) || a.place - b.place || a.row - b.row)
  const bookOrder = [...new Set(hits.map(({ place }) => place))]
  return hits.toSorted((a, b) => bookOrder.indexOf(a.place) - bookOrder.indexOf(b.place) || a.row - b.row)
}

function compareTimes({ happenedAt: one }: PlacedHit, { happenedAt: other }: PlacedHit): number {
  if (one === other) return 0
  if (one === undefined || other === undefined) return one === undefined ? 1 : -1
  return one < other ? -1 : 1
}

/** The scores of a book's hits on the joint scale, and its own estimate of the share that they are. */
export interface BookWeight {
  readonly scores: readonly number[]
  readonly complete?: number | undefined
}

/**
 * The share of the joint answer, 0 to 1: the weight (score) of the `returned` hits, divided by that of all records of the
 * books above `minScore`. A book estimates its records by its own `complete`; if one of its hits is below `minScore`, it has
 * returned all others above.
 */
export function jointComplete(
  returned: readonly number[],
  books: readonly BookWeight[],
  minScore: number,
): number {
  const sum = (scores: readonly number[]) => scores.reduce((all, one) => all + one, 0)
  const total = books.reduce((all, { scores, complete = 1 }) => {
    const above = scores.filter((score) => score >= minScore)
    const share = above.length < scores.length || complete <= 0 ? 1 : complete
    return all + sum(above) / share
  }, 0)
  // Sums in another order differ in the last bits: a complete answer has 1.
  return total === 0 ? 1 : Math.min(1, Math.round((1e6 * sum(returned)) / total) / 1e6)
}
