// The legs of full text: each finds a record by its own words, by the words of its neighbours in the session too (a
// turn often depends on words of the previous turn), by its whole session, or by its name.
import type { BookStore } from '../store/book-store.ts'
import { tokenize } from '../store/word/tokenize.ts'
import { hasUnspacedScript, segmentQuery } from '../store/word/unspaced-script.ts'
import { gain } from './fuse.ts'
import type { Leg, LegCandidate, LegName, Question } from './leg.ts'
import { withoutNone } from './part.ts'
import { createEvidenceReader, type TextEvidence } from './text-evidence.ts'

/** An answer covers at least this share of the question's weight. */
export const coverageFloor = 0.12
/** A single match of a question with this many words may be chance, so it needs more weight. */
export const longQuestion = 5
export const chanceFloor = 0.18
/** The floor of a record with its neighbours: their words may meet by chance. */
export const windowFloor = 0.25
/** Weights of words in the previous and the next record: an answer follows its question. */
const beside = { before: 0.8, after: 0.4 } as const
/** Weights of the legs in the fusion. */
const shares = { text: 1, window: 1.5, session: 0.5, name: 0.25 } as const

type FindIn<Name extends LegName> = (evidence: TextEvidence) => LegCandidate<Name>[]

/** The legs of full text over `store`; they share the evidence of a question. */
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
 * Finds records by their own words. strength = √(coverage × bm25 / best bm25). coverage = weight of the matched words
 * / weight of all words of the question, near 0 for a record that shares only a common word with a long question. The
 * longer a record, the less its window and session count, and the more its own rank.
 */
function findTurns(evidence: TextEvidence): LegCandidate<'text'>[] {
  const { found, counts, terms, telling, foreign, passages, near, spelled, isCapped } = evidence
  const totalWeight = telling.reduce((sum, weight) => sum + weight, 0)
  const floorShare = floorShareOf(telling, isCapped, totalWeight)
  const ranked = found.map(({ seq, score }, i) => {
    const passage = passages.get(seq)
    return { i, seq, passage, bm25: passage ? mixed(score, passage.score) : score }
  })
  // Without passages, the order of the found records stays.
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
    // Words scattered over a long record answer nothing: its best passage must cover the question.
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

/** The words among `words` that correct a misspelt word of the question, by that word. */
function spelledIn(words: readonly string[], spelled: TextEvidence['spelled']) {
  const some = words.flatMap((word) => (spelled.has(word) ? [[spelled.get(word) ?? '', word] as const] : []))
  return some.length > 0 ? { spelled: Object.fromEntries(some) } : {}
}

/** The score of a long record: half by the whole record, half by its best passage. */
const mixed = (whole: number, passage: number) => (whole + passage) / 2

/** Only this many words, with the highest weights, measure a long question: also a long question has one subject. */
const bestWords = 4

/** The weight of the best words of a question, as a share of the weight of all its words. */
function floorShareOf(telling: Float64Array, isCapped: boolean, total: number): number {
  if (!isCapped || telling.length <= bestWords || total === 0) return 1
  return (
    telling
      .toSorted()
      .subarray(-bestWords)
      .reduce((sum, weight) => sum + weight, 0) / total
  )
}

/** A single match of a long question may be chance: it needs at least the floor of a short question. */
const floorFor = (words: readonly string[], questionWords: number, share: number) =>
  words.length === 1 && questionWords >= longQuestion && !hasUnspacedScript(words[0] ?? '')
    ? Math.max(chanceFloor * share, coverageFloor)
    : coverageFloor * share

/**
 * Finds records by their own words and the words of the previous and the next record, as one text; without
 * neighbours, by the record alone. A record without any of the words can answer the previous record. Words of a long
 * neighbour count for its near part only.
 */
function findWindows(evidence: TextEvidence): LegCandidate<'window'>[] {
  const { foreign, limit, found, seqs, counts, lengths, near, weights, totalWeight, before, after } = evidence
  const width = weights.length
  const previous = new Int32Array(seqs.length).fill(-1)
  const next = new Int32Array(seqs.length).fill(-1)
  previous.set(before)
  next.set(after)
  for (let i = 0; i < found.length; i++) {
    const one = before[i] as number
    const other = after[i] as number
    if (one >= 0) next[one] = i
    if (other >= 0) previous[other] = i
  }
  const scores = new Float64Array(seqs.length)
  const coverages = new Float64Array(seqs.length)
  for (let i = 0; i < seqs.length; i++) {
    const a = previous[i] as number
    const b = next[i] as number
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
    const follower = next[i] as number
    const candidate = {
      seq: seqs[i] as number,
      rank,
      strength,
      share,
      answerBeside: follower >= 0 ? (near[follower] as number) : 1,
      because: { rank, bm25, coverage },
    }
    const own = counts.subarray(i * width, (i + 1) * width).some((count) => count > 0)
    // A record without a word of the question can only answer the previous record.
    return {
      ...candidate,
      answers: !foreign && coverage >= windowFloor && (own || (previous[i] as number) >= 0),
    }
  })
}

/**
 * Ranks records by their session: its score adds, for each word, the best gain of a found record. A record without a
 * session counts as a session.
 */
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

/** How many of the best records of full text have their names compared. */
const lookedAt = 50
/** A name needs a word that at most a twentieth of all records have: a little less than ln(1 + 0.95 / 0.05). */
const leastWeight = 2.9

/**
 * Finds records by name: a question with the whole name of a record finds the record, however long the rest of the
 * question is. Names are folded and stemmed like words; two or more words are a phrase. Only records that full text
 * found are compared, so hidden records stay hidden.
 */
function createNameLeg(
  { queries }: Pick<BookStore, 'queries'>,
  evidenceOf: (question: Question) => TextEvidence | undefined,
): Leg<'name'> {
  return {
    name: 'name',
    weight: shares.name,
    find(question) {
      const evidence = evidenceOf(question)
      const candidates = evidence ? findNames(queries, question.text, evidence) : []
      return { candidates, found: candidates.length }
    },
  }
}

function findNames(
  queries: BookStore['queries'],
  text: string,
  { found, terms, telling }: TextEvidence,
): LegCandidate<'name'>[] {
  const questionTerms = tokenize(segmentQuery(text))
  const weights = new Map(terms.map((term, j) => [term, telling[j] ?? 0]))
  const named: { seq: number; name: string; weight: number }[] = []
  for (const [seq, names] of queries.named(found.slice(0, lookedAt).map(({ seq }) => seq))) {
    let best = { seq, name: '', weight: 0 }
    for (const name of names) {
      const words = tokenize(segmentQuery(name))
      const rarest = words.reduce((most, word) => Math.max(most, weights.get(word) ?? 0), 0)
      if (rarest < leastWeight || !isPhraseIn(words, questionTerms)) continue
      const sum = words.reduce((all, word) => all + (weights.get(word) ?? 0), 0)
      if (sum > best.weight) best = { seq, name, weight: sum }
    }
    if (best.weight > 0) named.push(best)
  }
  const heaviest = named.toSorted((a, b) => b.weight - a.weight || b.seq - a.seq)
  return heaviest.map(({ seq, name }, i) => ({
    seq,
    rank: i + 1,
    strength: 0.5,
    answers: true,
    because: { rank: i + 1, name },
  }))
}

/** True when `words` are consecutive in `terms`. */
const isPhraseIn = (words: readonly string[], terms: readonly string[]) =>
  words.length > 0 && terms.some((_, at) => words.every((word, i) => terms[at + i] === word))
