// Judges records of a ranking again by their texts, and chooses the best hits.
// Invariant: records are read in the order of the ranking, and none after there are enough hits.
import { sharpCut } from '../core/capability/hit-rule.ts'
import { whenField } from '../core/kind.ts'
import type { BookStore } from '../store/book-store.ts'
import type { WeightedRecord } from './fuse.ts'
import type { LegCandidate } from './leg.ts'
import { statedTexts } from '../store/word/text.ts'
import { textsToJudge } from './long-record.ts'
import { type Noise, noiseFactor, noiseOf } from './noise.ts'
import { agentFactor } from './question-words.ts'
import { diversify, highestScore, type IsSame, orderUnique, rerank, type RerankedRecord } from './rerank.ts'

/**
 * How many of the best records are read and reranked: first `extra` more than the limit, then more while they can
 * matter, in steps of `perHit` for each wanted hit and at least `min`.
 */
const rerankCounts = { min: 20, perHit: 3, extra: 6 } as const

interface BestOptions {
  readonly limit: number
  readonly minScore: number
  readonly distinct: boolean
  readonly diversity: number
  readonly cut: 'none' | 'sharp'
}

type Records = readonly RerankedRecord<WeightedRecord>[]

/** Changes the order of the best records, if it applies to them. It gets a few more than the limit, best first. */
export interface Reorder {
  applies(ranked: Records): boolean
  order(ranked: Records): Records
}

/** A ranking that was judged again, and the records that answer. */
export interface Judged<Item> {
  /** The answer, in its order. */
  readonly records: readonly RerankedRecord<Item>[]
  /** All records that were read and judged again, unordered. */
  readonly reranked: readonly RerankedRecord<Item>[]
  /** The answer before the sharp cut, best first. */
  readonly best: readonly RerankedRecord<Item>[]
  /** How a record is folded into a better one. Default: if it says the same. */
  readonly isSame?: IsSame | undefined
}

/** The best records, read and reranked in batches while further ones can matter. */
export function rankBest(
  weightedRecords: readonly WeightedRecord[],
  read: (some: readonly WeightedRecord[]) => Records,
  { limit, minScore, distinct, diversity, cut }: BestOptions,
  reorder?: Reorder,
): Judged<WeightedRecord> {
  const step = Math.max(rerankCounts.min, rerankCounts.perHit * limit)
  // `diversify` needs the whole order, and whole steps.
  const orderLimit = diversity === 0 ? limit : Infinity
  const batchSize = diversity === 0 ? limit + rerankCounts.extra : step
  const reranked: RerankedRecord<WeightedRecord>[] = []
  let ranked: Records = []
  for (let from = 0; from < weightedRecords.length;) {
    // Stop with enough hits (duplicates are left out): after a whole step, or when no further record can reach the last.
    const last = ranked[limit - 1]
    if (last && (from % step === 0 || highestScore(weightedRecords[from]?.score ?? 0) < last.score)) break
    const to = Math.min(from + batchSize, from - (from % step) + step)
    reranked.push(...read(weightedRecords.slice(from, to)))
    ranked = orderUnique(reranked, distinct, orderLimit)
    from = to
  }
  const ordered = reorder?.applies(reranked)
    ? reorder.order(orderUnique(reranked, distinct, orderLimit + rerankCounts.extra))
    : ranked
  const best = diversify(
    ordered.filter(({ score }) => score >= minScore),
    limit,
    diversity,
  )
  const records = cut === 'sharp' ? best.slice(0, sharpCut(best.map(({ score }) => score))) : best
  return { records, reranked, best }
}

export interface Judging {
  /** The terms of the question, in order. */
  readonly terms: readonly string[]
  /** The words of its terms: see `wordsByTerm`. */
  readonly forms: ReadonlyMap<string, string>
  readonly lists: readonly { readonly name: string }[]
  /** True: an agent's record scores less. */
  readonly prefersPerson: boolean
  /** True: a question scores less, according to the length of the next record. */
  readonly discountsQuestions: boolean
  /** Gets the records that are noise and answer nothing, by seq; undefined: noise counts as any text. */
  readonly noise: Map<number, Noise> | undefined
}

/** The records of a ranking, reranked by their texts without the words of their dates. */
export function readReranked(
  store: Pick<BookStore, 'kinds' | 'queries'>,
  rankedBatch: readonly WeightedRecord[],
  { terms, forms, lists, prefersPerson, discountsQuestions, noise }: Judging,
): RerankedRecord<WeightedRecord>[] {
  const textLegIndex = lists.findIndex(({ name }) => name === 'text')
  const records = store.queries.read(rankedBatch.map(({ seq }) => seq))
  return rankedBatch.flatMap((item) => {
    const record = records.get(item.seq)
    const kind = record && store.kinds.get(record.kind)
    if (!kind) return []
    const undated = { ...kind, text: kind.text.filter((path) => path !== whenField) }
    const matchedTerms = item.candidates[textLegIndex]?.matchedTerms?.()
    const texts = textsToJudge(undated, record, item.candidates[textLegIndex]?.passage)
    const sort = noise && kind.roleOf ? noiseOf(statedTexts(kind, record).join('\n')) : undefined
    const speechFactor = sort ? noiseFactor(sort, coverageOf(item.candidates[textLegIndex])) : 1
    if (sort && speechFactor === 0) {
      noise?.set(item.seq, sort)
      return []
    }
    const speakerFactor = prefersPerson && kind.roleOf?.(record) === 'agent' ? agentFactor : 1
    const score = item.score * speakerFactor * speechFactor
    const answerInNextShare = item.candidates.find(
      (candidate) => candidate?.answerInNextShare !== undefined,
    )?.answerInNextShare
    return [
      rerank(
        {
          item,
          record,
          seq: item.seq,
          score,
          texts,
          kind,
          matchedTerms,
          answerInNextShare: discountsQuestions ? answerInNextShare : 1,
        },
        terms,
        forms,
      ),
    ]
  })
}

/** The share of the question, by weight, that the own words of a record have. */
const coverageOf = (candidate: LegCandidate | undefined): number =>
  candidate && 'coverage' in candidate.because ? candidate.because.coverage : 0
