// Recall: finds the records that answer a question in plain words, with reasons. Works without a model.
// Invariant: scope and filters apply inside each leg's query, the limit at the end; a record that may no longer be
// recalled when the slowest leg answers is not returned.
import { type AbortSignalLike, checkAborted, neverAborted } from '../core/abort.ts'
import {
  type LegReasons,
  type RecallQuery,
  type RecallResult,
  usualLimits,
} from '../core/capability/port/recall-port.ts'
import type { Clock, Scheduler } from '../core/ports.ts'
import { utcZone, type Zone } from '../core/zone.ts'
import { dayNamed, type Moment } from '../core/filter/filter-time.ts'
import { dateWords, parseTime } from '../core/time.ts'
import type { BookStore } from '../store/book-store.ts'
import { hasUnspacedScript } from '../store/word/unspaced-script.ts'
import { tokenize } from '../store/word/tokenize.ts'
import { textQueryLimits, queryWords } from '../store/word/text-query.ts'
import { factorsOf, fuse, applyFactors, type FusedRecord, type WeightedRecord } from './fuse.ts'
import { confirmedOf, type Kinds, whenField } from '../core/kind.ts'
import { diversify, highestScore, rerank, orderUnique, type RerankedRecord, sharpCut } from './rerank.ts'
import type { Leg, Question, Respelled } from './leg.ts'
import { textsToJudge } from './long-record.ts'
import { agentFactor, asksInFirstPerson, stopWords, withoutAskingWords } from './question-words.ts'
import { type RecallPartSet, noParts } from './part.ts'
import { becauseOf, questionParts } from './reason.ts'
import { chooseWant } from './whole/load-whole.ts'

/**
 * How many of the best records are read and reranked: first `extra` more than the limit, then more while they can
 * matter, in steps of `perHit` for each wanted hit and at least `min`.
 */
const rerankCounts = { min: 20, perHit: 3, extra: 6 } as const
/** Most candidates of a leg: many more than the hits, because fusion reorders them. */
const maxLegCandidates = 200

export type Recall = (query: RecallQuery, signal?: AbortSignalLike) => Promise<RecallResult>

export interface RecallDeps {
  readonly store: Pick<BookStore, 'kinds' | 'queries'>
  readonly clock: Clock
  /** The zone of days such as yesterday. Default: UTC. */
  readonly zone?: Zone | undefined
  readonly legs: readonly Leg[]
  /** Parts to leave out, for an evaluation. */
  readonly withoutParts?: RecallPartSet | undefined
  /** Ends the wait for a part that does not load. Default: waits. */
  readonly scheduler?: Pick<Scheduler, 'later'> | undefined
}

/**
 * Builds a recall over `store` by `legs`. A question without words or matches has no hits. `minScore` and `diversity`:
 * 0 to 1. `distinct`: only the best of nearly equal records. `exact`: no approximation of vectors.
 */
export function createRecall({
  store,
  clock,
  zone = utcZone,
  legs,
  withoutParts = noParts,
  scheduler,
}: RecallDeps): Recall {
  return async (
    {
      text,
      want: wanted,
      limit: most,
      minScore = 0,
      distinct = true,
      diversity = 0,
      cut = 'none',
      exact,
      ...scope
    },
    signal = neverAborted,
  ) => {
    const startedMs = clock.now()
    const choice = chooseWant(wanted, text, scheduler)
    const { want, part, degraded: notChosen } = choice instanceof Promise ? await choice : choice
    const limit = most ?? usualLimits[part ? 'whole' : 'best']
    const asOf = parseTime(scope.at ?? '') ?? startedMs
    const words = parseQuestionWords(text, { nowMs: asOf, zone }, withoutParts)
    const question: Question = { text, ...words, scope, limit: maxLegCandidates, exact, signal }
    const answers = await Promise.all(legs.map(async (leg) => ({ leg, ...(await leg.find(question)) })))
    checkAborted(signal)
    const lists = answers.map(({ leg: { name, weight }, candidates }) => ({ name, weight, candidates }))
    const happenedAtMs = new Map<number, number>()
    const weigh = (fused: readonly FusedRecord[]): WeightedRecord[] => {
      if (fused.length === 0) return []
      // `rankWeights` leaves out records that may no longer be recalled.
      const weights = store.queries.rankWeights(
        fused.map(({ seq }) => seq),
        scope,
      )
      return applyFactors(fused, (seq) => {
        const one = weights.get(seq)
        if (!one) return undefined
        happenedAtMs.set(seq, one.happenedAtMs)
        return factorsOf(one, asOf - one.happenedAtMs)
      })
    }
    const weighted = weigh(fuse(lists, part !== undefined))
    const readOptions = {
      terms: question.words.flatMap((word) => tokenize(word)),
      lists,
      prefersPerson: !withoutParts.has('speaker') && asksInFirstPerson(text),
      discountsQuestions: !withoutParts.has('answer'),
    }
    const options = { want, limit, minScore, distinct, diversity, cut }
    const read = (some: readonly WeightedRecord[]) => readReranked(store, some, readOptions)
    const whole =
      part &&
      (await part.answerWhole(
        { store, legs, question, weighted, ...readOptions, withoutParts, weigh, read },
        options,
      ))
    if (whole) checkAborted(signal)
    const returned = whole?.records ?? rankBest(weighted, read, options)
    const respelled = answers.find((answer) => answer.respelled)?.respelled ?? new Map<string, Respelled>()
    const parts = questionParts(text, (word) => withDate(word, { nowMs: asOf, zone }), respelled)
    const reasonDeps = { kinds: store.kinds, zone, names: lists.map(({ name }) => name), parts, respelled }
    return {
      hits: returned.map(({ item, record, score }) => ({
        record,
        score: Math.min(1, score),
        because: {
          ...becauseOf({ item, record, happenedAtMs: happenedAtMs.get(item.seq) ?? 0 }, reasonDeps),
          ...poolVotesOf(store.kinds, record),
        },
      })),
      legs: Object.fromEntries(answers.map(({ leg, found }) => [leg.name, found])) as Record<
        keyof LegReasons,
        number
      >,
      want,
      ...(whole ? { complete: whole.complete } : {}),
      degraded: [...answers.flatMap(({ degraded }) => degraded ?? []), ...(notChosen ? [notChosen] : [])],
      durationMs: clock.now() - startedMs,
      ...toSealedCount(store.queries.unread({ ...scope, kinds: scope.kinds ?? searchedKinds(store.kinds) })),
    }
  }
}

interface BestOptions {
  readonly limit: number
  readonly minScore: number
  readonly distinct: boolean
  readonly diversity: number
  readonly cut: 'none' | 'sharp'
}

/** The best records, read and reranked in batches while further ones can matter. */
function rankBest(
  weightedRecords: readonly WeightedRecord[],
  read: (some: readonly WeightedRecord[]) => RerankedRecord<WeightedRecord>[],
  { limit, minScore, distinct, diversity, cut }: BestOptions,
): RerankedRecord<WeightedRecord>[] {
  const step = Math.max(rerankCounts.min, rerankCounts.perHit * limit)
  // `diversify` needs the whole order, and whole steps.
  const orderLimit = diversity === 0 ? limit : Infinity
  const batchSize = diversity === 0 ? limit + rerankCounts.extra : step
  const reranked: RerankedRecord<WeightedRecord>[] = []
  let ranked: RerankedRecord<WeightedRecord>[] = []
  for (let from = 0; from < weightedRecords.length;) {
    // Stop with enough hits (duplicates are left out): after a whole step, or when no further record can reach the last.
    const last = ranked[limit - 1]
    if (last && (from % step === 0 || highestScore(weightedRecords[from]?.score ?? 0) < last.score)) break
    const to = Math.min(from + batchSize, from - (from % step) + step)
    reranked.push(...read(weightedRecords.slice(from, to)))
    ranked = orderUnique(reranked, distinct, orderLimit)
    from = to
  }
  const best = diversify(
    ranked.filter(({ score }) => score >= minScore),
    limit,
    diversity,
  )
  return cut === 'sharp' ? best.slice(0, sharpCut(best.map(({ score }) => score))) : best
}

/** The votes for a record that a pool confirmed. */
function poolVotesOf(kinds: Kinds, record: RecallResult['hits'][number]['record']) {
  const pool = confirmedOf(kinds.get(record.kind), record)
  return pool ? { pool } : {}
}

/** Kinds that recall may return: an unread record may be recallable, whatever its body says. */
const searchedKinds = (kinds: Kinds) =>
  [...kinds.values()].filter(({ recallable }) => recallable !== false).map(({ name }) => name)

const toSealedCount = (count: number) => (count === 0 ? {} : { sealed: count })

/**
 * The records of a ranking, reranked by their texts without the words of their dates. `prefersPerson`: an agent's record scores
 * less. `discountsQuestions`: a question scores less, according to the length of the next record.
 */
function readReranked(
  store: Pick<BookStore, 'kinds' | 'queries'>,
  rankedBatch: readonly WeightedRecord[],
  {
    terms,
    lists,
    prefersPerson,
    discountsQuestions,
  }: {
    readonly terms: readonly string[]
    readonly lists: readonly { readonly name: string }[]
    readonly prefersPerson: boolean
    readonly discountsQuestions: boolean
  },
): RerankedRecord<WeightedRecord>[] {
  const textLegIndex = lists.findIndex(({ name }) => name === 'text')
  const records = store.queries.read(rankedBatch.map(({ seq }) => seq))
  return rankedBatch.flatMap((item) => {
    const record = records.get(item.seq)
    const kind = record && store.kinds.get(record.kind)
    if (!kind) return []
    const undated = { ...kind, text: kind.text.filter((path) => path !== whenField) }
    const matchedTerms = item.candidates[textLegIndex]?.matchedTerms?.()
    const score = prefersPerson && kind.roleOf?.(record) === 'agent' ? item.score * agentFactor : item.score
    const answerInNextShare = item.candidates.find(
      (candidate) => candidate?.answerInNextShare !== undefined,
    )?.answerInNextShare
    return [
      rerank(
        {
          item,
          record,
          seq: item.seq,
          score,
          texts: textsToJudge(undated, record, item.candidates[textLegIndex]?.passage),
          matchedTerms,
          answerInNextShare: discountsQuestions ? answerInNextShare : 1,
        },
        terms,
      ),
    ]
  })
}

/**
 * The words of a question without stop words. If it has stop words only, a match has all its words. Today, yesterday
 * and tomorrow become the words of that date, which records have.
 */
function parseQuestionWords(
  text: string,
  moment: Moment,
  without: RecallPartSet,
): Pick<Question, 'words' | 'match'> {
  // In a script without spaces, each pair of letters is a word.
  const allWords = queryWords(text).flatMap((word) => (hasUnspacedScript(word) ? word.split(' ') : [word]))
  const words = [...new Set(allWords.flatMap((word) => withDate(word, moment)))]
  const meaningfulWords = words.slice(0, textQueryLimits.words).filter((word) => !stopWords.has(word))
  if (meaningfulWords.length === 0) return { words, match: 'all' }
  return { words: without.has('plain') ? meaningfulWords : withoutAskingWords(meaningfulWords), match: 'any' }
}

/** `word`, or the day and the month of the date that `word` names. */
function withDate(word: string, moment: Moment): string[] {
  const day = dayNamed(word.toLowerCase(), moment)
  // Leave out the year and the weekday: too many records have them.
  return day === undefined
    ? [word]
    : dateWords(parseTime(day) ?? 0)
        .split(' ')
        .slice(1, 3)
}
