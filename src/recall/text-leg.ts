// The legs of full text: a record by its own words, by those of the records right beside it in its session, and by its
// session as a whole. What a turn leaves unsaid, the one before it often says.
import type { BookStore } from '../store/book-store.ts'
import { isUnspaced } from '../store/word/unspaced-script.ts'
import type { Leg, LegCandidate, LegName } from './leg.ts'
import { createNameLeg } from './name-leg.ts'
import { withoutNone } from './part.ts'
import { gain } from './asked.ts'
import { createEvidenceReader, type TextEvidence } from './text-evidence.ts'

/** A record that has less than this share of the question's weight is not an answer to it. */
export const coverageFloor = 0.12
/** One word of this many may be there by chance, so it must weigh more. */
export const longQuestion = 5
export const chanceFloor = 0.18
/** With its neighbours it must have this much: they may have come together by chance. */
export const windowFloor = 0.25
/** How much a word counts that stands in the record before, or in the one after: answers follow what they answer. */
const beside = { before: 0.8, after: 0.4 } as const
/** Shares of the legs in the fusion. */
const shares = { text: 1, window: 1.5, session: 0.5 } as const

type FindIn<Name extends LegName> = (evidence: TextEvidence) => LegCandidate<Name>[]

/** The legs of full text over `store`, which share the work on a question. */
export function createTextLegs(store: Pick<BookStore, 'queries' | 'kinds'>, without = withoutNone): Leg[] {
  const evidenceOf = createEvidenceReader(store, without)
  const leg = <Name extends LegName>(name: Name, weight: number, find: FindIn<Name>): Leg<Name> => ({
    name,
    weight,
    find(question) {
      const evidence = evidenceOf(question)
      const candidates = evidence ? find(evidence) : []
      return { candidates, found: candidates.length }
    },
  })
  return [
    leg('text', shares.text, findTurns),
    leg('window', shares.window, findWindows),
    leg('session', shares.session, findSessions),
    ...(without.has('name') ? [] : [createNameLeg(store, evidenceOf)]),
  ]
}

/**
 * By a record's own words. strength = √(coverage × bm25 / best bm25): coverage is the weight of the matched words over
 * the weight of all, so what shares only a common word with a long question is near nothing. A long record speaks for
 * itself: the longer it is, the less its window and its session count, and the more its own rank.
 */
function findTurns(evidence: TextEvidence): LegCandidate<'text'>[] {
  const { found, counts, terms, telling, foreign, passages, near, spelled, isCapped } = evidence
  const totalWeight = telling.reduce((sum, weight) => sum + weight, 0)
  const floorShare = floorShareOf(telling, isCapped, totalWeight)
  const ranked = found.map(({ seq, score }, i) => {
    const passage = passages.get(seq)
    return { i, seq, passage, bm25: passage ? mixed(score, passage.score) : score }
  })
  // Those without a passage keep the order in which they were found.
  if (passages.size > 0) ranked.sort((a, b) => b.bm25 - a.bm25 || a.i - b.i)
  const best = ranked[0]?.bm25 ?? 0
  return ranked.map(({ i, seq, passage, bm25 }, at) => {
    const words: string[] = []
    let matched = 0
    for (let j = 0; j < terms.length; j++) {
      if (counts[i * terms.length + j] === 0) continue
      words.push(terms[j] as string)
      matched += telling[j] as number
    }
    // What is said all over a long record answers nothing, so its best passage must cover the question.
    const coverage = passage?.coverage ?? (totalWeight > 0 ? matched / totalWeight : 0)
    const strength = best > 0 ? Math.sqrt(coverage * (bm25 / best)) : coverage
    const rank = at + 1
    return {
      seq,
      rank,
      strength,
      answers: !foreign && coverage >= floorFor(words, terms.length, floorShare),
      because: { rank, bm25, coverage, words, ...spelledIn(words, spelled) },
      share: 1 + (shares.window + shares.session) * (1 - (near[i] as number)),
      passage,
    }
  })
}

/** Of the words that a record has, those that the question spells otherwise. */
function spelledIn(words: readonly string[], spelled: TextEvidence['spelled']) {
  const some = words.flatMap((word) => (spelled.has(word) ? [[spelled.get(word) ?? '', word] as const] : []))
  return some.length > 0 ? { spelled: Object.fromEntries(some) } : {}
}

/** Half by the whole of a long record, half by its best passage. */
const mixed = (whole: number, passage: number) => (whole + passage) / 2

/** A long question is measured by so many of its best words: it goes on for a while, and still asks for one thing. */
const bestWords = 4

/** What the best words of a question weigh, as a share of all of them. */
function floorShareOf(telling: Float64Array, isCapped: boolean, total: number): number {
  if (!isCapped || telling.length <= bestWords || total === 0) return 1
  return (
    telling
      .toSorted()
      .subarray(-bestWords)
      .reduce((sum, weight) => sum + weight, 0) / total
  )
}

/** One word of a long question may be there by chance, so it never needs less than any answer to a short one. */
const floorFor = (words: readonly string[], asked: number, share: number) =>
  words.length === 1 && asked >= longQuestion && !isUnspaced(words[0] ?? '')
    ? Math.max(chanceFloor * share, coverageFloor)
    : coverageFloor * share

/**
 * By a record's words and those of the records right before and after it, as if they were one text. One without
 * neighbours is a window by itself. One without any of the words can be an answer to the one before it. Of a long
 * neighbour only a part stands right beside, so its words count for that part.
 */
function findWindows(evidence: TextEvidence): LegCandidate<'window'>[] {
  const { foreign, limit, found, seqs, counts, lengths, near, weights, totalWeight, before, after } = evidence
  const width = weights.length
  const left = new Int32Array(seqs.length).fill(-1)
  const right = new Int32Array(seqs.length).fill(-1)
  left.set(before)
  right.set(after)
  for (let i = 0; i < found.length; i++) {
    const one = before[i] as number
    const other = after[i] as number
    if (one >= 0) right[one] = i
    if (other >= 0) left[other] = i
  }
  const scores = new Float64Array(seqs.length)
  const coverages = new Float64Array(seqs.length)
  for (let i = 0; i < seqs.length; i++) {
    const a = left[i] as number
    const b = right[i] as number
    const nearBefore = a >= 0 ? (near[a] as number) : 0
    const nearAfter = b >= 0 ? (near[b] as number) : 0
    const parts = 1 + nearBefore + nearAfter
    let length = lengths[i] as number
    if (a >= 0) length += nearBefore * (lengths[a] as number)
    if (b >= 0) length += nearAfter * (lengths[b] as number)
    let score = 0
    let matched = 0
    for (let j = 0; j < width; j++) {
      let count = counts[i * width + j] as number
      if (a >= 0) count += nearBefore * beside.before * (counts[a * width + j] as number)
      if (b >= 0) count += nearAfter * beside.after * (counts[b * width + j] as number)
      if (count === 0) continue
      score += (weights[j] as number) * gain(count, length / parts)
      matched += weights[j] as number
    }
    scores[i] = score
    coverages[i] = totalWeight > 0 ? matched / totalWeight : 0
  }
  const order = Array.from(seqs, (_, i) => i)
    .sort(
      (x, y) => (scores[y] as number) - (scores[x] as number) || (seqs[y] as number) - (seqs[x] as number),
    )
    .slice(0, limit)
  const best = scores[order[0] ?? 0] ?? 0
  return order.map((i, at) => {
    const bm25 = scores[i] as number
    const coverage = coverages[i] as number
    const rank = at + 1
    const share = near[i] as number
    const strength = best > 0 ? share * Math.sqrt(coverage * (bm25 / best)) : 0
    const next = right[i] as number
    const candidate = {
      seq: seqs[i] as number,
      rank,
      strength,
      share,
      answerBeside: next >= 0 ? (near[next] as number) : 1,
      because: { rank, bm25, coverage },
    }
    const own = counts.subarray(i * width, (i + 1) * width).some((count) => count > 0)
    // Without a word of its own it can only be what was said to the record before it.
    return { ...candidate, answers: !foreign && coverage >= windowFloor && (own || (left[i] as number) >= 0) }
  })
}

/** By the session: for each word, the best that one of its records found has. Without a session, a record is one. */
function findSessions({
  found,
  counts,
  lengths,
  weights,
  sessions,
  near,
}: TextEvidence): LegCandidate<'session'>[] {
  const width = weights.length
  const gains = new Map<number, Float64Array>()
  for (let i = 0; i < found.length; i++) {
    const session = sessions[i] as number
    let best = gains.get(session)
    if (!best) gains.set(session, (best = new Float64Array(width)))
    for (let j = 0; j < width; j++) {
      const one = gain(counts[i * width + j] as number, lengths[i] as number)
      if (one > (best[j] as number)) best[j] = one
    }
  }
  const scores = new Map<number, number>()
  for (const [session, best] of gains)
    scores.set(
      session,
      best.reduce((sum, one, j) => sum + one * (weights[j] as number), 0),
    )
  const ranks = new Map<number, number>()
  const sorted = [...scores.values()].sort((x, y) => y - x)
  sorted.forEach((score, i) => {
    if (!ranks.has(score)) ranks.set(score, i + 1)
  })
  return found.map(({ seq }, i) => {
    const score = scores.get(sessions[i] as number) ?? 0
    const rank = ranks.get(score) ?? 1
    return { seq, rank, strength: 0, share: near[i] as number, answers: false, because: { rank, score } }
  })
}
