// From the candidates of the legs to one order: pure arithmetic, the same on every host. Every part of a score is kept
// for `because`.
import type { Because, Factors, LegReasons } from '../core/capability/port/recall-port.ts'
import { multiplierOf } from './factor.ts'
import type { LegCandidate, LegName } from './leg.ts'

/** What one leg brought, and its share. */
export interface LegList {
  readonly name: LegName
  readonly weight: number
  readonly candidates: readonly LegCandidate[]
}

/** One that the legs brought: by score, best first, once weighed. */
export interface Brought {
  readonly seq: number
  /** Share of ranks × strength, see `fuse`, and from `weigh` on × what weighs it. */
  readonly score: number
  /** What each list says of it, in their order. */
  readonly candidates: readonly (LegCandidate | undefined)[]
}

export interface Weighted extends Brought {
  readonly factors: Factors
}

/** Dampens the difference between the first ranks (Cormack, Clarke and Büttcher 2009 took 60 for many long lists). */
export const rankConstant = 20
/**
 * Weight of a word: BM25's inverse document frequency `ln(1 + (N − n + 0.5) / (n + 0.5))` (Robertson & Spärck Jones),
 * with N records in the book and n of them having the word.
 */
export function wordWeight(records: number, having: number): number {
  return Math.log(1 + (Math.max(records, having) - having + 0.5) / (having + 0.5))
}

/** What all lists say of one record. */
interface Fused {
  share: number
  /** The highest strength that a leg sees in it, and the highest of a second witness. */
  strength: number
  second: number
  answers: boolean
  readonly by: (LegCandidate | undefined)[]
}

/**
 * Weighted reciprocal rank fusion: a record's share is the sum over the legs of `weight / (20 + rank)`, divided by what
 * the first of every leg that found something has; a candidate may have less or more of its leg's weight (`share`). Its score
 * is that share × its strength. What no leg brings as an answer is left out, and so is what answers only besides when no other
 * leg has an answer. In no order.
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

/** As strong as two witnesses together, each right by itself that often: 1 − (1 − strength) × (1 − second). */
const strengthOf = ({ strength, second }: Fused): number => strength + second * (1 - strength)

/**
 * Weighs and orders: score × multiplier, see factor.ts; what `factorsOf` does not know may not be recalled. Equal scores
 * go by what was stored last. The multiplied score may be above 1; hits report it up to 1.
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

/** Why one is where it is, in the words of each leg. */
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
