// Why no leg makes a record an answer, and the record's place in each leg. Pure.
import type { LegReasons } from '../../core/capability/port/recall-port.ts'
import { defined } from '../../core/defined.ts'
import { tokenize } from '../../store/word/tokenize.ts'
import type { LegCandidate, LegName } from '../leg.ts'
import { wordsWith } from '../reason.ts'
import { minWindowCoverage } from '../text-leg.ts'
import type { RecallTrace } from '../trace.ts'
import type { LegSight, Reason } from './explanation.ts'
import { candidateIn, type TextSight, type VectorSight } from './leg-probe.ts'

export interface Sights {
  readonly text: TextSight
  /** Undefined without an embedder, and for guests. */
  readonly vector: VectorSight | undefined
}

/** A share as text, with two decimals; a small one does not become 0. */
const figure = (value: number) =>
  value !== 0 && Math.abs(value) < 0.01 ? value.toPrecision(1) : value.toFixed(2)
/** Words of a sentence, in quotation marks. */
export const listed = (words: readonly string[]) => words.map((word) => `“${word}”`).join(', ')
const counted = (count: number) => count.toLocaleString('en-US')

/** The words of the question, as they are written, that a candidate has. */
const wordsOf = ({ parts }: Pick<RecallTrace, 'parts'>, candidate: LegCandidate) =>
  wordsWith(parts, new Set(candidate.matchedTerms?.()))

/** The words of the question, as they are written, that recall searches for. */
const searchedWords = ({ parts, question }: Pick<RecallTrace, 'parts' | 'question'>) =>
  wordsWith(parts, new Set(question.words.flatMap((word) => tokenize(word))))

/** The reasons of the legs, of a record that no leg makes an answer. At least one. */
export function legReasons(trace: RecallTrace, { text, vector }: Sights, seq: number): Reason[] {
  return [...textReasons(trace, text), ...vectorReasons(trace, vector, seq)]
}

/** True for a whole answer that has an answer: then every candidate is part of its pool, whatever its measure. */
const takesAllCandidates = ({ want, weighted }: RecallTrace) => want !== 'best' && weighted.length > 0

function textReasons(trace: RecallTrace, { rank, candidates, evidence, needed = 0 }: TextSight): Reason[] {
  const { match, limit } = trace.question
  const words = searchedWords(trace)
  if (trace.question.words.length === 0)
    return [{ code: 'no-words', says: 'The question has no word to search for.' }]
  const own = candidates.get('text')
  const hasDate = (trace.question.dates?.dates.length ?? 0) > 0
  if (!own) {
    return match === 'all'
      ? [
          {
            code: 'not-all-words',
            words,
            says: `The question has common words only, and the record does not have all of them: ${listed(words)}.`,
          },
        ]
      : [
          {
            code: 'no-common-word',
            words,
            says: hasDate
              ? `It has neither the whole date of the question nor another of its words: ${listed(words)}.`
              : `It has none of the words that recall searches for: ${listed(words)}.`,
          },
        ]
  }
  const { coverage } = own.because as NonNullable<LegReasons['text']>
  const shared = wordsOf(trace, own)
  const reasons: Reason[] = []
  if (rank !== undefined && rank > limit)
    reasons.push({
      code: 'out-of-candidates',
      leg: 'text',
      rank,
      candidates: limit,
      says: `By its words it is number ${counted(rank)}; recall compares the best ${counted(limit)}.`,
    })
  if (takesAllCandidates(trace)) return reasons
  if (coverage < needed)
    reasons.push({
      code: 'below-floor',
      value: coverage,
      needed,
      words: shared,
      says: `It shares too little with the question: ${listed(shared)} is ${figure(coverage)} of its weight, and an answer needs ${figure(needed)}.`,
    })
  else if (evidence?.isForeign === true)
    reasons.push({
      code: 'off-subject',
      words: shared,
      says: `The book has only ${listed(shared)} of the question, so recall takes the question as one about something else.`,
    })
  return reasons
}

function vectorReasons(trace: RecallTrace, sight: VectorSight | undefined, seq: number): Reason[] {
  if (!sight) return []
  if (sight.missing !== undefined)
    return [{ code: 'no-vector', says: sight.missing, isComing: sight.isComing ?? true }]
  const { lists, question } = trace
  const { similarity = 0, rank = 1, matchFrom = 0, aloneFrom } = sight
  const needed = neededSimilarity(trace, sight)
  const isJoined = takesAllCandidates(trace) || hasOtherAnswer(trace, 'vector')
  const candidate = candidateIn({ lists }, 'vector', seq)
  if (!isJoined && candidate?.alone?.agrees?.() === true) return []
  if (similarity < (isJoined ? needed : matchFrom))
    return [
      {
        code: 'less-similar',
        value: similarity,
        needed,
        says: `Its meaning is not near enough: similarity ${figure(similarity)}, and an answer needs ${figure(needed)}.`,
      },
    ]
  if (!candidate && rank > question.limit)
    return [
      {
        code: 'out-of-candidates',
        leg: 'vector',
        rank,
        candidates: question.limit,
        says: `By meaning it is number ${counted(rank)}; recall compares the best ${counted(question.limit)}.`,
      },
    ]
  if (isJoined) return []
  const least =
    aloneFrom === undefined
      ? 'this embedder answers this question only beside a record that shares words with it'
      : `without a record that shares words with the question an answer needs ${figure(aloneFrom)}`
  return [
    {
      code: 'needs-other-answer',
      similarity,
      ...defined({ needed: aloneFrom }),
      says: `Its meaning is near (similarity ${figure(similarity)}), but ${least}.`,
    },
  ]
}

/** True if another leg than `leg` has an answer. */
const hasOtherAnswer = ({ lists }: Pick<RecallTrace, 'lists'>, leg: LegName) =>
  lists.some(({ name, candidates }) => name !== leg && candidates.some(({ isAnswer }) => isAnswer))

/** The least similarity of an answer to this question: it depends on what full text found. */
function neededSimilarity(
  trace: RecallTrace,
  { boostFrom = 0, matchFrom = 0, aloneFrom = matchFrom }: VectorSight,
): number {
  if (takesAllCandidates(trace)) return boostFrom
  return hasOtherAnswer(trace, 'vector') ? matchFrom : aloneFrom
}

/**
 * The place of the record in each leg of the recall, in the order of the legs. `isLeftOut`: its state or an option leaves
 * the record out, so no leg looks at it.
 */
export function legSights(
  trace: RecallTrace,
  { text, vector }: Sights,
  seq: number,
  isLeftOut: boolean,
): LegSight[] {
  return trace.lists.map(({ name, candidates }) => {
    const own = candidates.find((one) => one.seq === seq)
    const common = { leg: name, candidates: candidates.length, isCandidate: own !== undefined }
    const lone = hasOtherAnswer(trace, name) ? undefined : own?.alone
    const isAnswer = lone ? lone.isAnswer || lone.agrees?.() === true : own?.isAnswer === true
    if (name === 'vector') {
      const rank = own?.rank ?? vector?.rank
      const value = vector?.similarity
      const needed = value === undefined ? undefined : neededSimilarity(trace, vector ?? {})
      return { ...common, isAnswer, ...defined({ rank, value, needed }), says: vectorText(vector, rank) }
    }
    const seen = own ?? text.candidates.get(name)
    const rank = own?.rank ?? (name === 'text' ? text.rank : undefined)
    const measure = measureOf(name, seen)
    const needed =
      seen && { text: text.needed, window: minWindowCoverage, session: undefined, name: undefined }[name]
    const says = isLeftOut && !seen ? leftOutText : wordText(name, { rank, seen, value: measure, trace })
    return { ...common, isAnswer, ...defined({ rank, value: measure, needed }), says }
  })
}

function measureOf(leg: LegName, seen: LegCandidate | undefined): number | undefined {
  const because = seen?.because as { readonly coverage?: number; readonly score?: number } | undefined
  return leg === 'session' ? because?.score : because?.coverage
}

function vectorText(sight: VectorSight | undefined, rank: number | undefined): string {
  if (sight?.similarity === undefined) return sight?.missing ?? 'Vectors did not answer.'
  return `Number ${counted(rank ?? 1)} by meaning; similarity ${figure(sight.similarity)}.`
}

interface WordSight {
  readonly rank: number | undefined
  readonly seen: LegCandidate | undefined
  readonly value: number | undefined
  readonly trace: RecallTrace
}

const leftOutText = 'Not searched: an option of the question, or its state, leaves the record out.'

const absent: Readonly<Record<Exclude<LegName, 'vector'>, string>> = {
  text: 'It has none of the words.',
  window: 'Neither the record nor its neighbours in the session are among the candidates.',
  session: 'It is not among the candidates by its own words.',
  name: 'The question does not contain a whole name of it.',
}

function wordText(leg: Exclude<LegName, 'vector'>, { rank, seen, value = 0, trace }: WordSight): string {
  if (!seen) return absent[leg]
  const place = rank === undefined ? 'Not among the candidates' : `Number ${counted(rank)}`
  if (leg === 'name') return `${place}: the question contains “${(seen.because as { name: string }).name}”.`
  if (leg === 'session') return `${place} by its whole session.`
  if (leg === 'window') return `${place} with its neighbours; they cover ${figure(value)} of the question.`
  return `${place}: ${listed(wordsOf(trace, seen))} covers ${figure(value)} of the question.`
}
