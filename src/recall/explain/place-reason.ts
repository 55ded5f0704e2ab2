// Why a record that is an answer is no hit: its place in the order, and the options that cut the answer.
// Invariant: the order is that of recall itself, run again with a larger limit and without cuts.
import type { RecallQuery, RecallResult, Want } from '../../core/capability/port/recall-port.ts'
import type { Noise } from '../noise.ts'
import { orderUnique } from '../rerank.ts'
import type { RecallTrace } from '../trace.ts'
import type { Reason } from './explanation.ts'
import type { RecallParts } from './recall-parts.ts'
import { recallWithTrace, type TracedRecall } from './traced-recall.ts'

/** More than all candidates of all legs. */
const wholeOrder = 100_000

const figure = (value: number) => value.toFixed(2)
/** For scores near 0. */
const shortFigure = (value: number) => value.toFixed(4)

/** The question for the same sort of answer, without limit and without cuts. */
const withoutCuts = (query: RecallQuery, want: Want): RecallQuery => ({
  ...query,
  want,
  limit: wholeOrder,
  minScore: 0,
  diversity: 0,
  cut: 'none',
})

/** Why the record is not among the hits of `recalled`; empty if recall did not rank it as an answer. */
export async function placeReasons(
  parts: RecallParts,
  recalled: TracedRecall,
  seq: number,
): Promise<Reason[]> {
  const { query } = parts
  const { want, weighted } = recalled.trace
  const place = weighted.findIndex((one) => one.seq === seq)
  // A record that only words of the best records find is no candidate of a leg.
  if (place < 0 && !recalled.trace.reranked.some((one) => one.seq === seq)) return []
  const whole = await recallWithTrace(parts, withoutCuts(query, want))
  // Of a contradicted statement, the order has a lower score.
  const isOwn = (one: { readonly seq: number }) => one.seq === seq
  const own = whole.trace.best.find(isOwn) ?? whole.trace.reranked.find(isOwn)
  if (!own) return saysLittle(whole.trace.noise.get(seq))
  const score = Math.min(1, own.score)
  const { floor = 0 } = whole.trace
  if (want !== 'best' && (own.score <= 0 || own.score < floor))
    return [
      {
        code: 'below-whole-floor',
        score,
        needed: floor,
        says: `Its score is ${shortFigure(score)}; a record of a whole answer needs ${shortFigure(floor)}, a share of the best score.`,
      },
    ]
  const rank = whole.trace.best.findIndex((one) => one.seq === seq) + 1
  if (rank === 0) {
    const of = originalOf(whole.trace, own)
    return of === undefined
      ? []
      : [{ code: 'duplicate', of, says: `It says the same as ${of}, which is a better hit.` }]
  }
  const by = whole.trace.later.get(seq)
  const contradicted: Reason[] =
    by === undefined
      ? []
      : [{ code: 'contradicted', by, says: `A later statement of the same person contradicts it: ${by}.` }]
  return [...contradicted, cutReason(query, recalled, { seq, score: own.score, rank, place })]
}

/** Why a record that says little by itself is no hit. */
function saysLittle(sort: Noise | undefined): Reason[] {
  if (sort === undefined) return []
  const part = sort === 'small-talk' ? 'It only acknowledges or greets' : 'It is output of a machine'
  return [{ code: 'says-little', sort, says: `${part}: it answers only a question about its own words.` }]
}

interface Place {
  readonly seq: number
  /** May exceed 1. */
  readonly score: number
  /** Among all answers, from 1. */
  readonly rank: number
  /** In the fused ranking, before its records are judged again, from 0. */
  readonly place: number
}

/** The option of the question, or else the limit, that leaves out a record of the order. */
function cutReason(
  { minScore = 0, diversity = 0 }: RecallQuery,
  { trace, result: { hits } }: TracedRecall,
  { seq, score: ownScore, rank, place }: Place,
): Reason {
  const { limit } = trace
  const score = Math.min(1, ownScore)
  const lastScore = hits.reduce((least, hit) => Math.min(least, hit.score), hits[0]?.score ?? 0)
  if (ownScore < minScore)
    return {
      code: 'below-min-score',
      score,
      minScore,
      says: `Its score is ${figure(score)}, and the question asks for ${figure(minScore)} (\`minScore\`).`,
    }
  if (trace.best.some((one) => one.seq === seq))
    return {
      code: 'cut-sharp',
      score,
      lastScore,
      says: `It comes after the largest drop in score (${figure(lastScore)} to ${figure(score)}), where \`cut: 'sharp'\` ends the answer.`,
    }
  // A record of a lower score is a hit: not the order left this one out.
  if (diversity > 0 && (rank <= limit || score > lastScore))
    return {
      code: 'too-similar',
      rank,
      diversity,
      says: `By score it is number ${rank}, but it resembles other hits (\`diversity\` ${diversity}).`,
    }
  // Recall stops to judge records again once it has enough hits: such a record has its place before that.
  const isJudged = rank > limit
  const shownRank = isJudged ? rank : place + 1
  return {
    code: 'below-others',
    rank: shownRank,
    ...(isJudged ? { score } : {}),
    lastScore,
    limit,
    says: `It is number ${shownRank.toLocaleString('en-US')} with score ${figure(score)}; the lowest of ${limit} hits has ${figure(lastScore)}.`,
  }
}

/** The id of the better record that `own` nearly repeats. */
function originalOf({ best, isSame }: RecallTrace, own: RecallTrace['reranked'][number]): string | undefined {
  return best.find((other) => orderUnique([other, own], true, Infinity, isSame).length === 1)?.record.id
}

/** The place of record `id` among the hits, from 1; undefined for a record that recall did not return. */
export function rankOf({ hits }: RecallResult, id: string): number | undefined {
  const place = hits.findIndex(({ record }) => record.id === id)
  return place < 0 ? undefined : place + 1
}
