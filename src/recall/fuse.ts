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
  /** Share of ranks × the highest strength that a leg sees in it, and from `weigh` on × what weighs it. */
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

/**
 * Weighted reciprocal rank fusion: a record's share is the sum over the legs of `weight / (20 + rank)`, divided by what
 * the first of every leg that found something has; a candidate may have less or more of its leg's weight (`share`). Its score is that share × the highest strength that a leg sees in
 * it. What no leg brings as an answer is left out, and so is what answers only besides when no other leg has an answer. In no order.
 */
export function fuse(lists: readonly LegList[]): Brought[] {
  const most = lists.reduce(
    (sum, { weight, candidates }) => (candidates.length > 0 ? sum + weight / (rankConstant + 1) : sum),
    0,
  )
  const brought = new Map<
    number,
    { share: number; strength: number; answers: boolean; by: Brought['candidates'] }
  >()
  const answering = lists.map(({ candidates }) => candidates.some(({ answers }) => answers))
  lists.forEach(({ weight, candidates }, i) => {
    const isBacked = answering.some((answers, j) => answers && j !== i)
    for (const candidate of candidates) {
      const doesAnswer = candidate.answers && (isBacked || candidate.besides !== true)
      const share = (weight * (candidate.share ?? 1)) / (rankConstant + candidate.rank) / most
      const one = brought.get(candidate.seq)
      if (one) {
        one.share += share
        one.strength = Math.max(one.strength, candidate.strength)
        one.answers ||= doesAnswer
        ;(one.by as (LegCandidate | undefined)[])[i] = candidate
      } else {
        const by: (LegCandidate | undefined)[] = lists.map(() => undefined)
        by[i] = candidate
        const { strength } = candidate
        brought.set(candidate.seq, { share, strength, answers: doesAnswer, by })
      }
    }
  })
  const answers: Brought[] = []
  for (const [seq, { share, strength, answers: does, by }] of brought)
    if (does) answers.push({ seq, score: share * strength, candidates: by })
  return answers
}

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
