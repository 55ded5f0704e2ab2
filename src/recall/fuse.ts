// Fuses the candidates of the legs into one order, and weighs them. Pure arithmetic, the same on every host.
import type { Factors } from '../core/capability/port/recall-port.ts'
import type { RankWeights } from '../store/condition/condition.ts'
import { gainOf, lengthNormOf } from '../store/posting/bm25.ts'
import type { LegCandidate, LegName } from './leg.ts'

/** The candidates of one leg, and its weight. */
export interface LegCandidates {
  readonly name: LegName
  readonly weight: number
  readonly candidates: readonly LegCandidate[]
  /** See `LegResult.canFind`. */
  readonly canFind?: ((seq: number) => boolean) | undefined
  /** See `LegResult.isComing`. */
  readonly isComing?: ((seq: number) => boolean) | undefined
}

export interface FusedRecord {
  readonly seq: number
  /** See `fuse`; after `applyFactors`, multiplied by the record's factors. */
  readonly score: number
  /** The record's candidate in each list, in the order of the lists. */
  readonly candidates: readonly (LegCandidate | undefined)[]
}

export interface WeightedRecord extends FusedRecord {
  readonly factors: Factors
}

/** Dampens the difference between the first ranks (Cormack, Clarke and Büttcher 2009 use 60 for many long lists). */
export const rankConstant = 20

/** One record in all lists. */
interface FusionState {
  /** The sum of `fuse` so far, not divided; `LegCandidate.share` is one leg's part of it. */
  share: number
  /** The part of `share` by vectors. */
  vectorShare: number
  /** See `LegCandidate.coversAlone`. */
  coversAlone: boolean
  /** The highest strength by legs of words, and by legs that are independent of them (`isWitness`). */
  strength: number
  witnessStrength: number
  isAnswer: boolean
  readonly candidates: (LegCandidate | undefined)[]
}

/**
 * Weighted reciprocal rank fusion: the share of a record is the sum over the legs of `weight × share /
 * (rankConstant + rank)`, divided by the same sum for a record that is first in every leg with candidates that can
 * find it. The score is share × strength.
 * Left out: records that no leg brings as an answer; `LegCandidate.alone` decides if no other leg has one. The result is
 * unordered. A record with `coversAlone` gets at least its score without vectors. `isWide`: if there is an answer, all candidates are in the result.
 */
export function fuse(lists: readonly LegCandidates[], isWide = false): FusedRecord[] {
  /** `found`: the candidates of the record. */
  const maxShareOf = (seq: number, found: FusionState['candidates'], some = lists) =>
    some.reduce(
      (sum, { weight, candidates, canFind }, i) =>
        candidates.length > 0 && (canFind === undefined || found[i] !== undefined || canFind(seq))
          ? sum + weight / (rankConstant + 1)
          : sum,
      0,
    )
  const states = new Map<number, FusionState>()
  const hasAnswer = lists.map(({ candidates }) => candidates.some(({ isAnswer }) => isAnswer))
  lists.forEach(({ name, weight, candidates }, i) => {
    const hasOtherAnswer = hasAnswer.some((has, j) => has && j !== i)
    for (const candidate of candidates) {
      const { seq, rank, share = 1 } = candidate
      const lone = hasOtherAnswer ? undefined : candidate.alone
      const { strength } = lone ?? candidate
      const state = states.get(seq) ?? {
        share: 0,
        vectorShare: 0,
        coversAlone: false,
        strength: 0,
        witnessStrength: 0,
        isAnswer: false,
        candidates: lists.map(() => undefined),
      }
      states.set(seq, state)
      const part = (weight * (lone ? 1 : share)) / (rankConstant + rank)
      state.share += part
      if (name === 'vector') state.vectorShare += part
      state.coversAlone ||= candidate.coversAlone === true
      if (candidate.isWitness) state.witnessStrength = Math.max(state.witnessStrength, strength)
      else state.strength = Math.max(state.strength, strength)
      state.isAnswer ||= lone ? lone.isAnswer || lone.agrees?.() === true : candidate.isAnswer
      state.candidates[i] = candidate
    }
  })
  const wordLists = lists.filter(({ name }) => name !== 'vector')
  const scoreOf = (seq: number, state: FusionState): number => {
    const score = (state.share / maxShareOf(seq, state.candidates)) * strengthOf(state)
    if (!state.coversAlone) return score
    const wordShare = state.share - state.vectorShare
    return Math.max(score, (wordShare / maxShareOf(seq, state.candidates, wordLists)) * state.strength)
  }
  const answers: FusedRecord[] = []
  const hasAny = isWide && [...states.values()].some(({ isAnswer }) => isAnswer)
  for (const [seq, state] of states)
    if (state.isAnswer || hasAny)
      answers.push({
        seq,
        score: scoreOf(seq, state),
        candidates: state.candidates,
      })
  return answers
}

/** The strength of two independent witnesses: 1 − (1 − strength) × (1 − second). */
const strengthOf = ({ strength, witnessStrength }: FusionState): number =>
  strength + witnessStrength * (1 - strength)

/**
 * Multiplies scores by factors and sorts; of equal scores, the last stored record comes first. A record without
 * factors may not be recalled, and is left out. A multiplied score may exceed 1; hits report at most 1.
 */
export function applyFactors(
  fused: readonly FusedRecord[],
  rankFactors: (seq: number) => Factors | undefined,
): WeightedRecord[] {
  const weighted: WeightedRecord[] = []
  for (const { seq, score, candidates } of fused) {
    const factors = rankFactors(seq)
    if (factors) weighted.push({ seq, score: score * multiplierOf(factors), candidates, factors })
  }
  return weighted.sort((a, b) => b.score - a.score || b.seq - a.seq)
}

/** Enough to order two scores, too little to show. */
const aLittleMore = 1 + 1e-9

/**
 * Raises the records that a leg can't find yet: each gets at least the score of every record below it in `without`, the
 * ranking without that leg. Both rankings are sorted, best first, and so is the result.
 */
export function raiseComing(
  ranked: readonly WeightedRecord[],
  without: readonly WeightedRecord[],
  isComing: (seq: number) => boolean,
): WeightedRecord[] {
  const scores = new Map(ranked.map(({ seq, score }) => [seq, score]))
  const placed = new Set(without.map(({ seq }) => seq))
  // The highest score of the records below, from the last one up.
  let highest = ranked.find(({ seq }) => !placed.has(seq))?.score ?? 0
  for (const { seq } of without.toReversed()) {
    const score = scores.get(seq) ?? 0
    if (isComing(seq)) scores.set(seq, Math.max(score, highest * aLittleMore))
    highest = Math.max(highest, scores.get(seq) ?? 0)
  }
  return ranked
    .map((one) => ({ ...one, score: scores.get(one.seq) ?? one.score }))
    .sort((a, b) => b.score - a.score || b.seq - a.seq)
}

/** At this age, recency is 0.5. All factors together multiply a score by 0.65 to 1.51. */
export const recencyHalfLifeMs = 30 * 86_400_000
/** After this many uses, half of the effect of use is reached. */
export const useHalfCount = 5
/** Values of a record that has none: neutral and certain. */
const defaultWeights = { importance: 0.5, confidence: 1 } as const

/**
 * Each 0 to 1: recency `2^(−age / 30 days)`, 1 for the future; importance and confidence of the record, by default
 * 0.5 and 1; use `1 − 2^(−uses / 5)`; pin 1 or 0.
 */
export function factorsOf(
  weighed: Pick<RankWeights, 'importance' | 'confidence' | 'pinned' | 'uses'>,
  ageMs: number,
): Factors {
  return {
    recency: 2 ** (-Math.max(0, ageMs) / recencyHalfLifeMs),
    importance: clamp(weighed.importance ?? defaultWeights.importance),
    confidence: clamp(weighed.confidence ?? defaultWeights.confidence),
    use: 1 - 2 ** (-Math.max(0, weighed.uses) / useHalfCount),
    pin: weighed.pinned ? 1 : 0,
  }
}

/** (0.9 + 0.1 recency) × (0.9 + 0.2 importance) × (0.8 + 0.2 confidence) × (1 + 0.1 use) × (1 + 0.25 pin). */
export function multiplierOf({ recency, importance, confidence, use, pin }: Factors): number {
  return (
    (0.9 + 0.1 * recency) *
    (0.9 + 0.2 * importance) *
    (0.8 + 0.2 * confidence) *
    (1 + 0.1 * use) *
    (1 + 0.25 * pin)
  )
}

const clamp = (value: number) => Math.min(1, Math.max(0, value))

/** BM25's gain of a word that a text has `count` times. `length`: of the text, as a multiple of the average. */
export function bm25Gain(count: number, length: number): number {
  return gainOf(count, lengthNormOf(length, 1))
}
