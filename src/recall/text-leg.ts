// The legs of full text: a record by its own words, by those of the records right beside it in its session, and by its
// session as a whole. What a turn leaves unsaid, the one before it often says.
import type { BookStore } from '../store/book-store.ts'
import type { TermCount } from '../store/evidence.ts'
import type { Leg, LegCandidate, LegName } from './leg.ts'
import { createEvidenceReader, gain, type TextEvidence } from './text-evidence.ts'

/** A record that has less than this share of the question's weight is not an answer to it. */
export const coverageFloor = 0.12
/** With its neighbours it must have this much: they may have come together by chance. */
export const windowFloor = 0.35
/** How much the strength of a window counts beside that of a record's own words. */
const windowStrength = 0.8

type FindIn<Name extends LegName> = (evidence: TextEvidence) => LegCandidate<Name>[]

/** The legs of full text over `store`, which share the work on a question. */
export function createTextLegs(store: BookStore): Leg[] {
  const evidenceOf = createEvidenceReader(store)
  const leg = <Name extends LegName>(name: Name, weight: number, find: FindIn<Name>): Leg<Name> => ({
    name,
    weight,
    find(question) {
      const evidence = evidenceOf(question)
      const candidates = evidence ? find(evidence) : []
      return { candidates, found: candidates.length }
    },
  })
  return [leg('text', 1, findTurns), leg('window', 1, findWindows), leg('session', 0.5, findSessions)]
}

/**
 * By a record's own words. strength = √(coverage × bm25 / best bm25): coverage is the weight of the matched words over
 * the weight of all, so what shares only a common word with a long question is near nothing.
 */
function findTurns({ found, counts, terms, weights, totalWeight }: TextEvidence): LegCandidate<'text'>[] {
  const best = Math.max(0, ...found.map(({ score }) => score))
  return found.map(({ seq, rank, score: bm25 }) => {
    const has = counts.get(seq)?.counts ?? []
    const words = terms.filter((_, i) => (has[i] ?? 0) > 0)
    const matched = weights.reduce((sum, weight, i) => ((has[i] ?? 0) > 0 ? sum + weight : sum), 0)
    const coverage = totalWeight > 0 ? matched / totalWeight : 0
    const strength = best > 0 ? Math.sqrt(coverage * (bm25 / best)) : coverage
    return {
      seq,
      rank,
      strength,
      answers: coverage >= coverageFloor,
      because: { rank, bm25, coverage, words },
    }
  })
}

/**
 * By a record's words and those of the records right before and after it, as if they were one text. One without
 * neighbours is a window by itself.
 */
function findWindows(evidence: TextEvidence): LegCandidate<'window'>[] {
  const { places, counts, weights, totalWeight, averageSize } = evidence
  const besides = new Map<number, number[]>()
  const join = (seq: number, other: number | undefined) => {
    if (other === undefined) return
    const known = besides.get(seq)
    if (!known) besides.set(seq, [other])
    else if (!known.includes(other)) known.push(other)
  }
  for (const [seq, { before, after }] of places) {
    join(seq, before)
    join(seq, after)
    if (before !== undefined) join(before, seq)
    if (after !== undefined) join(after, seq)
    if (!besides.has(seq)) besides.set(seq, [])
  }
  const windows = [...besides].map(([seq, beside]) => {
    const parts = [seq, ...beside].flatMap((one) => counts.get(one) ?? [])
    const length = parts.reduce((sum, { size }) => sum + size, 0) / (averageSize * Math.max(1, parts.length))
    let [bm25, matched] = [0, 0]
    weights.forEach((weight, i) => {
      const count = parts.reduce((sum, part) => sum + (part.counts[i] ?? 0), 0)
      bm25 += weight * gain(count, length)
      if (count > 0) matched += weight
    })
    return { seq, bm25, coverage: totalWeight > 0 ? matched / totalWeight : 0 }
  })
  windows.sort((a, b) => b.bm25 - a.bm25 || b.seq - a.seq)
  const best = windows[0]?.bm25 ?? 0
  return windows.map(({ seq, bm25, coverage }, i) => {
    const rank = i + 1
    const strength = best > 0 ? windowStrength * Math.sqrt(coverage * (bm25 / best)) : 0
    return { seq, rank, strength, answers: coverage >= windowFloor, because: { rank, bm25, coverage } }
  })
}

/** By the session: for each word, the best that one of its records found has. Without a session, a record is one. */
function findSessions(evidence: TextEvidence): LegCandidate<'session'>[] {
  const { places, counts, weights, averageSize } = evidence
  const sessions = new Map<string | number, { gains: number[]; seqs: number[] }>()
  for (const [seq, { session }] of places) {
    const key = session ?? `alone ${seq}`
    let one = sessions.get(key)
    if (!one) sessions.set(key, (one = { gains: weights.map(() => 0), seqs: [] }))
    one.seqs.push(seq)
    takeBest(one.gains, counts.get(seq), averageSize)
  }
  const ranked = [...sessions.values()]
    .map(({ gains, seqs }) => ({
      seqs,
      score: gains.reduce((sum, one, i) => sum + one * (weights[i] ?? 0), 0),
    }))
    .sort((a, b) => b.score - a.score)
  let rank = 0
  return ranked.flatMap(({ seqs, score }, i) => {
    if (score !== ranked[i - 1]?.score) rank = i + 1
    const at = rank
    return seqs.map((seq) => ({ seq, rank: at, strength: 0, answers: false, because: { rank: at, score } }))
  })
}

function takeBest(gains: number[], count: TermCount | undefined, averageSize: number): void {
  if (!count) return
  gains.forEach((best, i) => {
    gains[i] = Math.max(best, gain(count.counts[i] ?? 0, count.size / averageSize))
  })
}
