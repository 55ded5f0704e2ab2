// From the candidates of the legs to one order: pure arithmetic, the same on every host. Every part of a score is kept
// for `because`.
import type { Because, Factors, LegReasons } from '../core/capability.ts'
import { multiplierOf } from './factor.ts'
import type { LegCandidate, LegName } from './leg.ts'

/** What one leg brought, and its share. */
export interface LegList {
  readonly name: LegName
  readonly weight: number
  readonly candidates: readonly LegCandidate[]
}

export interface Fused {
  readonly seq: number
  readonly score: number
  readonly because: Because
}

/** Dampens the difference between the first ranks (Cormack, Clarke and Büttcher 2009, who found 60). */
export const rankConstant = 60
/**
 * Weight of a word: BM25's inverse document frequency `ln(1 + (N − n + 0.5) / (n + 0.5))` (Robertson & Spärck Jones),
 * with N records in the book and n of them having the word.
 */
export function wordWeight(records: number, having: number): number {
  return Math.log(1 + (Math.max(records, having) - having + 0.5) / (having + 0.5))
}

/**
 * Weighted reciprocal rank fusion: for each record the sum over the legs of `weight / (60 + rank)`, as a share of what
 * a record has that is the first of every leg that found something.
 */
export function fuseRanks(lists: readonly LegList[]): Map<number, number> {
  const live = lists.filter(({ candidates }) => candidates.length > 0)
  const most = live.reduce((sum, { weight }) => sum + weight / (rankConstant + 1), 0)
  const shares = new Map<number, number>()
  for (const { weight, candidates } of live)
    for (const { seq, rank } of candidates)
      shares.set(seq, (shares.get(seq) ?? 0) + weight / (rankConstant + rank) / most)
  return shares
}

/** One that the legs brought, before it is weighed. */
export interface Brought {
  readonly seq: number
  /** Share of ranks × the highest strength that a leg sees in it. */
  readonly score: number
  readonly legs: LegReasons
}

/** What the legs bring as an answer: at least one of them says so. In no order. */
export function fuse(lists: readonly LegList[]): Brought[] {
  const reasons = new Map<number, { legs: LegReasons; strength: number; answers: boolean }>()
  for (const { name, candidates } of lists) {
    for (const { seq, strength, answers, because } of candidates) {
      const known = reasons.get(seq)
      reasons.set(seq, {
        legs: { ...known?.legs, [name]: because },
        strength: Math.max(known?.strength ?? 0, strength),
        answers: answers || known?.answers === true,
      })
    }
  }
  return [...fuseRanks(lists)].flatMap(([seq, share]) => {
    const reason = reasons.get(seq)
    return reason?.answers ? [{ seq, score: share * reason.strength, legs: reason.legs }] : []
  })
}

/**
 * Weighs and orders: score × multiplier, see factor.ts; what `factorsOf` does not know may not be recalled. Equal scores
 * go by what was stored last. The multiplied score may be above 1; hits report it up to 1.
 */
export function weigh(brought: readonly Brought[], factorsOf: (seq: number) => Factors | undefined): Fused[] {
  return brought
    .flatMap(({ seq, score, legs }): Fused[] => {
      const factors = factorsOf(seq)
      if (!factors) return []
      return [{ seq, score: score * multiplierOf(factors), because: { ...legs, ...factors } }]
    })
    .sort((a, b) => b.score - a.score || b.seq - a.seq)
}
