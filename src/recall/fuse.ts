// From the candidates of the legs to one order: pure arithmetic, the same on every host. Every part of a score is kept
// for `because`.
import type { Because, LegReasons } from '../core/capability.ts'
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
/** Half of the recency part is gone after this long. */
export const recencyHalfLifeMs = 30 * 86_400_000
/** How much of a score recency may decide. */
export const recencyShare = 0.1

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

/**
 * Scores and orders what the legs brought: `score = share of ranks × strength × (0.9 + 0.1 × 2^(−age / 30 days))`,
 * where strength is the highest that a leg sees in it. What no leg brings as an answer is left out.
 * `ageMs` is the time since a record happened, negative when it lies ahead, or undefined when it may not be recalled.
 */
export function fuse(
  lists: readonly LegList[],
  ageMs: (seq: number) => number | undefined,
  options: { limit: number; minScore: number },
): Fused[] {
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
  const fused: Fused[] = []
  for (const [seq, share] of fuseRanks(lists)) {
    const reason = reasons.get(seq)
    const age = ageMs(seq)
    if (!reason?.answers || age === undefined) continue
    const recency = 2 ** (-Math.max(0, age) / recencyHalfLifeMs)
    const score = share * reason.strength * (1 - recencyShare + recencyShare * recency)
    if (score >= options.minScore) fused.push({ seq, score, because: { ...reason.legs, recency } })
  }
  return fused.sort((a, b) => b.score - a.score || b.seq - a.seq).slice(0, options.limit)
}
