// The legs of full text: each finds a record by its own words, by the words of its neighbours in the session too (a
// turn often depends on words of the previous turn), by its whole session, or by its name. Evidence is in arrays by
// the index of a record: `counts[i × terms + j]` (how often record `i` has term `j`), `nearShare` (its part that is
// near its neighbours, 0 to 1), `before` and `after` (indexes of its neighbours; -1: none).
import type { BookStore } from '../store/book-store.ts'
import { tokenize } from '../store/word/tokenize.ts'
import { hasUnspacedScript, segmentQuery } from '../store/word/unspaced-script.ts'
import { bm25Gain } from './fuse.ts'
import type { Leg, LegCandidate, LegName, Question } from './leg.ts'
import { noParts } from './part.ts'
import { createEvidenceReader, type TextEvidence } from './text-evidence.ts'

/** An answer covers at least this share of the question's weight. */
export const minCoverage = 0.12
/** A single match of a question with this many words may be chance, so it needs more weight. */
export const longQuestionWords = 5
export const minSingleWordCoverage = 0.18
/** The floor of a record with its neighbours: their words may meet by chance. */
export const minWindowCoverage = 0.25
/** Weights of words in the previous and the next record: an answer follows its question. */
const neighbourWeights = { before: 0.8, after: 0.4 } as const
/** Weights of the legs in the fusion. */
const legWeights = { text: 1, window: 1.5, session: 0.5, name: 0.25 } as const

type FindCandidates<Name extends LegName> = (evidence: TextEvidence) => LegCandidate<Name>[]

/** The legs of full text over `store`; they share the evidence of a question. */
export function createTextLegs(store: Pick<BookStore, 'queries' | 'kinds'>, without = noParts): Leg[] {
  const evidenceOf = createEvidenceReader(store, without)
  const leg = <Name extends LegName>(name: Name, weight: number, find: FindCandidates<Name>): Leg<Name> => ({
    name,
    weight,
    find(question) {
      const evidence = evidenceOf(question)
      const candidates = evidence ? find(evidence) : []
      if (!evidence) return { candidates, found: 0 }
      const { respelled, wordCounts } = evidence
      return { candidates, found: candidates.length, wordCounts, ...(respelled ? { respelled } : {}) }
    },
  })
  return [
    leg('text', legWeights.text, findByOwnWords),
    leg('window', legWeights.window, findByWindow),
    leg('session', legWeights.session, findBySession),
    ...(without.has('name') ? [] : [createNameLeg(store, evidenceOf)]),
  ]
}

/** The vector of a long record is that of all its subjects: a passage with this share of the question outweighs it. */
const coveringShare = 0.6

/**
 * Finds records by their own words. strength = √(coverage × bm25 / best bm25). coverage = weight of the matched words
 * / weight of all words of the question, near 0 for a record that shares only a common word with a long question. The
 * longer a record, the less its window and session count, and the more its own rank.
 */
function findByOwnWords(evidence: TextEvidence): LegCandidate<'text'>[] {
  const {
    found,
    isLeftOut,
    counts,
    terms,
    coverageWeights,
    isForeign,
    rarest,
    passages,
    unread,
    nearShare,
    usesBestWordsOnly,
  } = evidence
  const totalWeight = coverageWeights.reduce((sum, weight) => sum + weight, 0)
  const measuredShare = measuredShareOf(coverageWeights, usesBestWordsOnly, totalWeight)
  const subjectSessions = sessionsWithSubject(evidence)
  const ranked = found.flatMap(({ seq, score }, i) => {
    if (isLeftOut?.[i] === 1) return []
    const passage = passages.get(seq)
    // Nothing is known of the passages of an unread record: they count as if they matched nothing.
    const bm25 = passage || unread.has(seq) ? meanScore(score, passage?.score ?? 0) : score
    return [{ i, seq, passage, bm25 }]
  })
  // Without passages and dates, the order of the found records stays.
  if (passages.size > 0 || isLeftOut) ranked.sort((a, b) => b.bm25 - a.bm25 || a.i - b.i)
  const best = ranked[0]?.bm25 ?? 0
  return ranked.map(({ i, seq, passage, bm25 }, position) => {
    const words: string[] = []
    let matched = 0
    for (let j = 0; j < terms.length; j++) {
      if (counts[i * terms.length + j] === 0) continue
      words.push(terms[j] as string)
      matched += coverageWeights[j] as number
    }
    // Words scattered over a long record answer nothing: its best passage must cover the question.
    const whole = totalWeight > 0 ? matched / totalWeight : 0
    const coverage = passage?.coverage ?? (unread.has(seq) ? unreadShare * whole : whole)
    const subjectFactor = subjectFactorOf(evidence, i)
    const strength = subjectFactor * (best > 0 ? Math.sqrt(coverage * (bm25 / best)) : coverage)
    const rank = position + 1
    return {
      seq,
      rank,
      strength,
      isAnswer:
        !isForeign &&
        subjectSessions.has(evidence.sessions[i] as number) &&
        (coverage >= minCoverageFor(words, terms.length, measuredShare) || hasTerm(evidence, i, rarest)),
      because: { rank, bm25, coverage },
      matchedTerms: () => words,
      // The weight that its window and session lose goes to its own rank.
      share: 1 + (legWeights.window + legWeights.session) * (1 - (nearShare[i] as number)),
      passage,
      coversAlone: passage !== undefined && coverage >= coveringShare,
    }
  })
}

/** How much of the coverage of an unread record counts: its words may be scattered. */
const unreadShare = 0.5

/** True when record `i` has a word of the question that is not light. */
const hasOwnSubject = ({ terms, counts, isLight }: TextEvidence, i: number): boolean =>
  isLight.some((light, j) => light === 0 && (counts[i * terms.length + j] as number) > 0)

/** The sessions in which a found record has a word of the question that is not light. */
const sessionsWithSubject = (evidence: TextEvidence): ReadonlySet<number> =>
  new Set(
    evidence.found.flatMap((_, i) => (hasOwnSubject(evidence, i) ? [evidence.sessions[i] as number] : [])),
  )

/** Factor of a record with light words only, when the question has a rarest word. */
const lightFactor = 0.85

const subjectFactorOf = (evidence: TextEvidence, i: number): number =>
  evidence.rarest < 0 || hasOwnSubject(evidence, i) || !hasAnyTerm(evidence, i) ? 1 : lightFactor

const hasAnyTerm = ({ terms, counts }: TextEvidence, i: number): boolean =>
  terms.some((_, j) => (counts[i * terms.length + j] as number) > 0)

/** True when record `i` has term `j`; -1: no term. */
const hasTerm = ({ counts, terms }: TextEvidence, i: number, j: number): boolean =>
  j >= 0 && (counts[i * terms.length + j] as number) > 0

/** The score of a long record: half by the whole record, half by its best passage. */
const meanScore = (whole: number, passage: number) => (whole + passage) / 2

/** Only this many words, with the highest weights, measure a long question: also a long question has one subject. */
const maxMeasuredWords = 4

/** The weight of the best words of a question, as a share of the weight of all its words. */
export function measuredShareOf(weights: Float64Array, isCapped: boolean, total: number): number {
  if (!isCapped || weights.length <= maxMeasuredWords || total === 0) return 1
  return (
    weights
      .toSorted()
      .subarray(-maxMeasuredWords)
      .reduce((sum, weight) => sum + weight, 0) / total
  )
}

/** A single match of a long question may be chance: it needs at least the floor of a short question. */
export const minCoverageFor = (words: readonly string[], questionWords: number, share: number) =>
  words.length === 1 && questionWords >= longQuestionWords && !hasUnspacedScript(words[0] ?? '')
    ? Math.max(minSingleWordCoverage * share, minCoverage)
    : minCoverage * share

interface Windows {
  /** The index of the previous and the next record of each record; -1 for none. */
  readonly previous: Int32Array
  readonly next: Int32Array
  readonly scores: Float64Array
  readonly coverages: Float64Array
  /** 1: the window has a word of the question that is not light. */
  readonly hasSubject: Uint8Array
}

function scoreWindows(evidence: TextEvidence): Windows {
  const { isLight, ownDate, found, seqs, counts, lengths, nearShare, weights, totalWeight, before, after } =
    evidence
  const width = weights.length
  const previous = new Int32Array(seqs.length).fill(-1)
  const next = new Int32Array(seqs.length).fill(-1)
  previous.set(before)
  next.set(after)
  for (let i = 0; i < found.length; i++) {
    const previousIndex = before[i] as number
    const nextIndex = after[i] as number
    if (previousIndex >= 0) next[previousIndex] = i
    if (nextIndex >= 0) previous[nextIndex] = i
  }
  const scores = new Float64Array(seqs.length)
  const coverages = new Float64Array(seqs.length)
  const hasSubject = new Uint8Array(seqs.length)
  for (let i = 0; i < seqs.length; i++) {
    const a = previous[i] as number
    const b = next[i] as number
    const nearBefore = a >= 0 ? (nearShare[a] as number) : 0
    const nearAfter = b >= 0 ? (nearShare[b] as number) : 0
    const parts = 1 + nearBefore + nearAfter
    let length = lengths[i] as number
    if (a >= 0) length += nearBefore * (lengths[a] as number)
    if (b >= 0) length += nearAfter * (lengths[b] as number)
    let score = 0
    let matched = 0
    for (let j = 0; j < width; j++) {
      let count = counts[i * width + j] as number
      if (a >= 0 && ownDate?.[a * width + j] !== 1)
        count += nearBefore * neighbourWeights.before * (counts[a * width + j] as number)
      if (b >= 0 && ownDate?.[b * width + j] !== 1)
        count += nearAfter * neighbourWeights.after * (counts[b * width + j] as number)
      if (count === 0) continue
      if (isLight[j] === 0) hasSubject[i] = 1
      score += (weights[j] as number) * bm25Gain(count, length / parts)
      matched += weights[j] as number
    }
    scores[i] = score
    coverages[i] = totalWeight > 0 ? matched / totalWeight : 0
  }
  return { previous, next, scores, coverages, hasSubject }
}

/**
 * Finds records by their own words and the words of the previous and the next record, as one text; without
 * neighbours, by the record alone. A record without any of the words can answer the previous record. Words of a long
 * neighbour count for its near part only.
 */
function findByWindow(evidence: TextEvidence): LegCandidate<'window'>[] {
  const { isForeign, limit, seqs, counts, nearShare, weights } = evidence
  const { previous, next, scores, coverages, hasSubject } = scoreWindows(evidence)
  const width = weights.length
  const order = Array.from(seqs, (_, i) => i)
    .filter((i) => (scores[i] as number) > 0)
    .sort(
      (x, y) => (scores[y] as number) - (scores[x] as number) || (seqs[y] as number) - (seqs[x] as number),
    )
    .slice(0, limit)
  const best = scores[order[0] ?? 0] ?? 0
  return order.map((i, position) => {
    const bm25 = scores[i] as number
    const coverage = coverages[i] as number
    const rank = position + 1
    const share = nearShare[i] as number
    const strength = best > 0 ? subjectFactorOf(evidence, i) * share * Math.sqrt(coverage * (bm25 / best)) : 0
    const follower = next[i] as number
    const candidate = {
      seq: seqs[i] as number,
      rank,
      strength,
      share,
      answerInNextShare: follower >= 0 ? (nearShare[follower] as number) : 1,
      because: { rank, bm25, coverage },
      matchedTerms: () => termsOfWindow(evidence, [i, previous[i] as number, next[i] as number]),
    }
    const hasOwnWord = counts.subarray(i * width, (i + 1) * width).some((count) => count > 0)
    // A record without a word of the question can only answer the previous record.
    return {
      ...candidate,
      isAnswer:
        !isForeign &&
        hasSubject[i] === 1 &&
        coverage >= minWindowCoverage &&
        (hasOwnWord || (previous[i] as number) >= 0),
    }
  })
}

/** The terms of a record and its neighbours, which come after it in `indexes`; -1: no neighbour. */
const termsOfWindow = ({ terms, counts, ownDate }: TextEvidence, indexes: readonly number[]) =>
  terms.filter((_, j) =>
    indexes.some((i, place) => {
      const at = i * terms.length + j
      return i >= 0 && (counts[at] as number) > 0 && (place === 0 || ownDate?.[at] !== 1)
    }),
  )

/**
 * Ranks records by their session: its score adds, for each word, the best gain of a found record. A record without a
 * session counts as a session.
 */
function findBySession({
  found,
  terms,
  counts,
  lengths,
  weights,
  sessions,
  nearShare,
  isLeftOut,
}: TextEvidence): LegCandidate<'session'>[] {
  const width = weights.length
  const gains = new Map<number, Float64Array>()
  for (let i = 0; i < found.length; i++) {
    const session = sessions[i] as number
    let best = gains.get(session)
    if (!best) gains.set(session, (best = new Float64Array(width)))
    for (let j = 0; j < width; j++) {
      const one = bm25Gain(counts[i * width + j] as number, lengths[i] as number)
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
  return found.flatMap(({ seq }, i) => {
    if (isLeftOut?.[i] === 1) return []
    const score = scores.get(sessions[i] as number) ?? 0
    const rank = ranks.get(score) ?? 1
    // A session only raises records that another leg has as answers.
    return [
      {
        seq,
        rank,
        strength: 0,
        share: nearShare[i] as number,
        isAnswer: false,
        because: { rank, score },
        matchedTerms: () => terms.filter((_, j) => (gains.get(sessions[i] as number)?.[j] ?? 0) > 0),
      },
    ]
  })
}

/** How many of the best records of full text have their names compared. */
const maxNamedRecords = 50
/** The strength of every match of a name: the leg compares names, and measures no other words. */
const nameStrength = 0.5
/** A name needs a word that at most a twentieth of all records have: a little less than ln(1 + 0.95 / 0.05). */
const minNameWeight = 2.9

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
    weight: legWeights.name,
    find(question) {
      const evidence = evidenceOf(question)
      const candidates = evidence ? findByName(queries, question.text, evidence) : []
      return { candidates, found: candidates.length }
    },
  }
}

function findByName(
  queries: BookStore['queries'],
  text: string,
  { found, terms, coverageWeights }: TextEvidence,
): LegCandidate<'name'>[] {
  const questionTerms = tokenize(segmentQuery(text))
  const weights = new Map(terms.map((term, j) => [term, coverageWeights[j] ?? 0]))
  const named: { seq: number; name: string; weight: number }[] = []
  for (const [seq, names] of queries.names(found.slice(0, maxNamedRecords).map(({ seq }) => seq))) {
    let best = { seq, name: '', weight: 0 }
    for (const name of names) {
      const words = tokenize(segmentQuery(name))
      const rarest = words.reduce((most, word) => Math.max(most, weights.get(word) ?? 0), 0)
      if (rarest < minNameWeight || !isPhraseIn(words, questionTerms)) continue
      const sum = words.reduce((all, word) => all + (weights.get(word) ?? 0), 0)
      if (sum > best.weight) best = { seq, name, weight: sum }
    }
    if (best.weight > 0) named.push(best)
  }
  const heaviest = named.toSorted((a, b) => b.weight - a.weight || b.seq - a.seq)
  return heaviest.map(({ seq, name }, i) => ({
    seq,
    rank: i + 1,
    strength: nameStrength,
    isAnswer: true,
    because: { rank: i + 1, name },
  }))
}

/** True when `words` are consecutive in `terms`. */
const isPhraseIn = (words: readonly string[], terms: readonly string[]) =>
  words.length > 0 && terms.some((_, at) => words.every((word, i) => terms[at + i] === word))
