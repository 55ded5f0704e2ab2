// Fuses the candidates of the legs into one order, weighs them, and explains each score (`because`). Pure arithmetic,
// the same on every host.
import type { Because, Factors, LegReasons } from '../core/capability/port/recall-port.ts'
import type { RankWeights } from '../store/condition/condition.ts'
import type { LegCandidate, LegName } from './leg.ts'

/** The candidates of one leg, and its weight. */
export interface LegList {
  readonly name: LegName
  readonly weight: number
  readonly candidates: readonly LegCandidate[]
}

export interface Brought {
  readonly seq: number
  /** See `fuse`; after `weigh`, multiplied by the record's factors. */
  readonly score: number
  /** The record's candidate in each list, in the order of the lists. */
  readonly candidates: readonly (LegCandidate | undefined)[]
}

export interface Weighted extends Brought {
  readonly factors: Factors
}

/** Dampens the difference between the first ranks (Cormack, Clarke and Büttcher 2009 use 60 for many long lists). */
export const rankConstant = 20
/**
 * Weight of a word: BM25's inverse document frequency `ln(1 + (N − n + 0.5) / (n + 0.5))` (Robertson & Spärck Jones),
 * with N records in the book and n of them having the word.
 */
export function wordWeight(records: number, having: number): number {
  return Math.log(1 + (Math.max(records, having) - having + 0.5) / (having + 0.5))
}

/** One record in all lists. */
interface Fused {
  share: number
  /** The highest strength of a leg, and of a second witness. */
  strength: number
  second: number
  answers: boolean
  readonly by: (LegCandidate | undefined)[]
}

/**
 * Weighted reciprocal rank fusion: the share of a record is the sum over the legs of `weight × share / (20 + rank)`,
 * divided by the same sum for a record that is first in every leg with candidates. The score is share × strength.
 * Left out: records that no leg brings as an answer, and records that answer only `besides` when no other leg has an
 * answer. The result is unordered.
 */
export function fuse(lists: readonly LegList[]): Brought[] {
  const most = lists.reduce(
    (sum, { weight, candidates }) => (candidates.length > 0 ? sum + weight / (rankConstant + 1) : sum),
    0,
  )
  const brought = new Map<number, Fused>()
  const answering = lists.map(({ candidates }) => candidates.some(({ answers }) => answers))
  lists.forEach(({ weight, candidates }, i) => {
    const isBacked = answering.some((answers, j) => answers && j !== i)
    for (const candidate of candidates) {
      const { seq, rank, strength, share = 1 } = candidate
      const one = brought.get(seq) ?? {
        share: 0,
        strength: 0,
        second: 0,
        answers: false,
        by: lists.map(() => undefined),
      }
      brought.set(seq, one)
      one.share += (weight * share) / (rankConstant + rank) / most
      if (candidate.isWitness) one.second = Math.max(one.second, strength)
      else one.strength = Math.max(one.strength, strength)
      one.answers ||= candidate.answers && (isBacked || candidate.besides !== true)
      one.by[i] = candidate
    }
  })
  const answers: Brought[] = []
  for (const [seq, one] of brought)
    if (one.answers) answers.push({ seq, score: one.share * strengthOf(one), candidates: one.by })
  return answers
}

/** The strength of two independent witnesses: 1 − (1 − strength) × (1 − second). */
const strengthOf = ({ strength, second }: Fused): number => strength + second * (1 - strength)

/**
 * Multiplies scores by factors and sorts; of equal scores, the last stored record comes first. A record without
 * factors may not be recalled, and is left out. A multiplied score may exceed 1; hits report at most 1.
 */
export function weigh(
  brought: readonly Brought[],
  factorsOf: (seq: number) => Factors | undefined,
): Weighted[] {
  const weighted: Weighted[] = []
  for (const { seq, score, candidates } of brought) {
    const factors = factorsOf(seq)
    if (factors) weighted.push({ seq, score: score * multiplierOf(factors), candidates, factors })
  }
  return weighted.sort((a, b) => b.score - a.score || b.seq - a.seq)
}

/** Explains a score by the reasons of each leg. */
export function becauseOf({ candidates, factors }: Weighted, lists: readonly LegList[]): Because {
  const reasons = lists.flatMap(({ name }, i): [string, unknown][] => {
    const candidate = candidates[i]
    return candidate ? [[name, candidate.because]] : []
  })
  const passage = candidates.find((candidate) => candidate?.passage)?.passage
  return {
    ...(Object.fromEntries(reasons) as LegReasons),
    ...factors,
    ...(passage ? { passage: { path: passage.path, from: passage.from, to: passage.to } } : {}),
  }
}

/** At this age, recency is 0.5. All factors together multiply a score by 0.65 to 1.51. */
export const recencyHalfLifeMs = 30 * 86_400_000
/** After this many uses, half of the effect of use is reached. */
export const useHalf = 5
/** Values of a record that has none: neutral and certain. */
const defaults = { importance: 0.5, confidence: 1 } as const

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
    importance: clamp(weighed.importance ?? defaults.importance),
    confidence: clamp(weighed.confidence ?? defaults.confidence),
    use: 1 - 2 ** (-Math.max(0, weighed.uses) / useHalf),
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

/** BM25's k1 and b, as in FTS5. */
const k1 = 1.2
const b = 0.75

/** BM25's gain of a word that a text has `count` times. `length`: of the text, as a multiple of the average. */
export function gain(count: number, length: number): number {
  return count === 0 ? 0 : (count * (k1 + 1)) / (count + k1 * (1 - b + b * length))
}
