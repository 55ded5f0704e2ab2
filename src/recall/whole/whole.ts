// Answers a question for a whole: a wider pool than for the best hits, by all candidates of the legs and by a second
// question with the words of the best records; then the messages of an exchange together, gathered by gather.ts.
// Invariant: both questions have the caller's view and scope; a question without an answer stays without one.
import type { Want } from '../../core/capability/port/recall-port.ts'
import type { BookStore } from '../../store/book-store.ts'
import { type FusedRecord, fuse, type LegCandidates, type WeightedRecord } from '../fuse.ts'
import type { Leg, Question } from '../leg.ts'
import type { RecallPartSet } from '../part.ts'
import type { RerankedRecord } from '../rerank.ts'
import { exchangeScores, type WholePlace } from './exchange.ts'
import { feedbackShares, feedbackWords } from './feedback.ts'
import { gatherWhole, type Whole, type WholeOptions } from './gather.ts'
import { isStandingRequest, standingFactor } from './standing.ts'

export { subjectOf } from './subject.ts'
export { wantOf } from './want.ts'

export interface WholeSource {
  readonly store: Pick<BookStore, 'kinds' | 'queries'>
  readonly legs: readonly Leg[]
  readonly question: Question
  /** The candidates of the legs, and all of them as one ranking. */
  readonly lists: readonly LegCandidates[]
  readonly weighted: readonly WeightedRecord[]
  /** Terms of the question, as in the index. */
  readonly terms: readonly string[]
  readonly prefersPerson: boolean
  readonly withoutParts: RecallPartSet
  /** The ranking of records that may be recalled. */
  weigh(fused: readonly FusedRecord[]): WeightedRecord[]
  /** The records with their texts, reranked. */
  read(weighted: readonly WeightedRecord[]): RerankedRecord<WeightedRecord>[]
}

/** `feedback`: the words of the best records that were the second question. */
export type WholeAnswer = Whole<WeightedRecord> & { readonly feedback: readonly string[] }

export async function answerWhole(source: WholeSource, options: WholeOptions): Promise<WholeAnswer> {
  const { store, lists, question, withoutParts, prefersPerson } = source
  const { want } = options
  const first = source.read(source.weighted)
  const feedback = withoutParts.has('feedback') ? [] : wordsOfBest(source, first, want)
  const pool = feedback.length === 0 ? first : await addByFeedback(source, first, feedback, want)
  const placeBySeq = readPlaces(store, pool, question)
  const placed = pool.flatMap((one) => {
    const place = placeBySeq.get(one.seq)
    return place ? [{ ...one, place }] : []
  })
  const scores = withoutParts.has('exchange') ? undefined : exchangeScores(placed, want, prefersPerson)
  const ranked = placed.map((one) => {
    const score = scores?.get(one.seq) ?? one.score
    const isStanding = want !== 'order' && one.place.role === 'person' && isStandingRequest(one.texts)
    return { ...one, score: isStanding ? score * standingFactor : score }
  })
  const whole = gatherWhole(ranked, placeBySeq, options, answeringCount(store, lists, question))
  return { ...whole, feedback }
}

/** The words of the best records; of persons only, if the question asks for a person's words. */
function wordsOfBest(
  { store, terms, prefersPerson }: WholeSource,
  first: readonly RerankedRecord<WeightedRecord>[],
  want: Want,
): string[] {
  const ordered = first.toSorted((a, b) => b.score - a.score || b.seq - a.seq)
  const isOfAgent = ({ record }: RerankedRecord<unknown>) =>
    store.kinds.get(record.kind)?.roleOf?.(record) === 'agent'
  return feedbackWords(store, prefersPerson ? ordered.filter((one) => !isOfAgent(one)) : ordered, terms, want)
}

/** The pool with the records that `words` find, and with their scores added. */
async function addByFeedback(
  { legs, question, lists, weigh, read }: WholeSource,
  first: readonly RerankedRecord<WeightedRecord>[],
  words: readonly string[],
  want: Want,
): Promise<readonly RerankedRecord<WeightedRecord>[]> {
  const second: Question = { ...question, words, match: 'any' }
  const wordLegs = legs.filter(({ name }) => name !== 'name' && name !== 'vector')
  const fused = fuse(
    await Promise.all(
      wordLegs.map(async (leg) => ({ name: leg.name, weight: leg.weight, ...(await leg.find(second)) })),
    ),
    true,
  )
  const bestFused = fused.reduce((most, { score }) => Math.max(most, score), 0)
  if (bestFused === 0) return first
  const bestScore = first.reduce((most, { score }) => Math.max(most, score), 0)
  const scale = (feedbackShares[want === 'order' ? 'order' : 'others'] * bestScore) / bestFused
  const added = new Map(fused.map(({ seq, score }) => [seq, score * scale]))
  const pooled = new Set(first.map(({ seq }) => seq))
  // The second question gives no reasons: `because` is about the first.
  const fresh = fused.filter(({ seq }) => !pooled.has(seq))
  const noReasons = lists.map(() => undefined)
  const freshRecords = read(weigh(fresh.map(({ seq }) => ({ seq, score: 0, candidates: noReasons }))))
  return [...first, ...freshRecords].map((one) => ({ ...one, score: one.score + (added.get(one.seq) ?? 0) }))
}

/** By number, the places of the records that may still be recalled. */
function readPlaces(
  { kinds, queries }: Pick<BookStore, 'kinds' | 'queries'>,
  pool: readonly RerankedRecord<unknown>[],
  { scope }: Question,
): Map<number, WholePlace> {
  if (pool.length === 0) return new Map()
  const seqs = pool.map(({ seq }) => seq)
  const neighbours = queries.neighbours(seqs, scope)
  const weights = queries.rankWeights(seqs, scope)
  return new Map(
    pool.flatMap(({ seq, record }): [number, WholePlace][] => {
      const weight = weights.get(seq)
      if (!weight) return []
      const { before, after } = neighbours.get(seq) ?? {}
      const role = kinds.get(record.kind)?.roleOf?.(record)
      return [[seq, { before, after, happenedAtMs: weight.happenedAtMs, role }]]
    }),
  )
}

/**
 * How many records may answer if the leg of words has as many candidates as it may have: as many as have the rarest word
 * of the question that the best candidate has. 0: the candidates have them all.
 */
function answeringCount(
  { queries }: Pick<BookStore, 'queries'>,
  lists: readonly LegCandidates[],
  { limit }: Question,
): number {
  const candidates = lists.find(({ name }) => name === 'text')?.candidates ?? []
  if (candidates.length < limit) return 0
  const words = candidates[0]?.matchedTerms?.() ?? []
  const frequencies = [...queries.frequencies([...words]).values()].filter((one) => one > 0)
  const rarest = Math.min(...frequencies)
  return frequencies.length > 0 && rarest > candidates.length ? rarest : 0
}
