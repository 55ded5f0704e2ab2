// Recall: finds the records that answer a question in plain words, with reasons. Works without a model.
// Invariant: scope and filters apply inside each leg's query, the limit at the end; a record that may no longer be
// recalled when the slowest leg answers is not returned.
import { type AbortSignalLike, checkAborted, neverAborted } from '../core/abort.ts'
import {
  type LegReasons,
  type RecallHit,
  type RecallQuery,
  type RecallResult,
  usualLimits,
} from '../core/capability/port/recall-port.ts'
import type { Kinds } from '../core/kind.ts'
import type { Clock, Scheduler } from '../core/ports.ts'
import { formatTime, parseTime } from '../core/time.ts'
import { utcZone, type Zone } from '../core/zone.ts'
import type { BookStore } from '../store/book-store.ts'
import type { ScopeQuery } from '../store/condition/recall-scope.ts'
import { tokenize } from '../store/word/tokenize.ts'
import {
  applyFactors,
  factorsOf,
  fuse,
  type FusedRecord,
  type LegCandidates,
  raiseComing,
  type WeightedRecord,
} from './fuse.ts'
import { rankBest, readReranked, type Reorder } from './judge.ts'
import type { Leg, Question, Respelled } from './leg.ts'
import { parseQuestionWords } from './parse-question.ts'
import type { Noise } from './noise.ts'
import { type RecallPartSet, noParts } from './part.ts'
import { asksInFirstPerson } from './question-words.ts'
import { hasChange, orderStatements } from './later-statement.ts'
import { becauseOf, countWords, questionParts, type ReasonDeps, type ReturnedHit } from './reason.ts'
import { foldedInto, type RerankedRecord } from './rerank.ts'
import type { RecallTrace } from './trace.ts'
import { wordsByTerm } from './word-form.ts'
import { chooseWant } from './whole/load-whole.ts'

/** Most candidates of a leg: many more than the hits, because fusion reorders them. */
const maxLegCandidates = 200

/** `trace` gets the stages of the ranking, before the answer. It changes nothing. */
export type Recall = (
  query: RecallQuery,
  signal?: AbortSignalLike,
  trace?: (stages: RecallTrace) => void,
) => Promise<RecallResult>

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
  /** Runs the search of the legs, which may start twice, and first reads in slices what it needs. Default: only runs it. */
  readonly runRead?: (<Result>(read: () => Promise<Result>) => Promise<Result>) | undefined
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
  runRead = (read) => read(),
}: RecallDeps): Recall {
  return async (query, signal = neverAborted, trace) => {
    const startedMs = clock.now()
    // 1. The question: its sort of answer, its words, and its scope.
    const { text, want: wanted, limit: most, minScore = 0, distinct = true, ...others } = query
    const { diversity = 0, cut = 'none', exact, ...scope } = others
    const choice = chooseWant(wanted, text, scheduler)
    const { want, part, degraded: notChosen } = choice instanceof Promise ? await choice : choice
    const limit = most ?? usualLimits[part ? 'whole' : 'best']
    const options = { want, limit, minScore, distinct, diversity, cut }
    const moment = { nowMs: parseTime(scope.at ?? scope.knownAt ?? '') ?? startedMs, zone }
    // The words that ask for a whole are no words of its records.
    const subject = part ? part.subjectOf(text) : text
    const words = parseQuestionWords(subject, moment, withoutParts)
    const question: Question = { text: subject, ...words, scope, limit: maxLegCandidates, exact, signal }

    // 2. The candidates of the legs, as one ranking of weighted records.
    // The budget of a read ends with its first `await`, and parts may have been loaded before.
    const { lists, counts, respelled, wordCounts, degraded } = await runRead(() => askLegs(legs, question))
    checkAborted(signal)
    const { weigh, timeOf } = createScale(store, scope, moment.nowMs)
    const weighted = rankLists(lists, (some) => weigh(fuse(some, part !== undefined)))

    // 3. The best of them, judged again by their texts; or a whole answer.
    const noise = new Map<number, Noise>()
    const judging = {
      terms: question.words.flatMap((word) => tokenize(word)),
      forms: wordsByTerm(question.words),
      lists,
      prefersPerson: !withoutParts.has('speaker') && asksInFirstPerson(text),
      discountsQuestions: !withoutParts.has('answer'),
      noise: withoutParts.has('noise') ? undefined : noise,
    }
    const read = (some: readonly WeightedRecord[]) => readReranked(store, some, judging)
    const whole =
      part &&
      (await part.answerWhole(
        { store, legs, question, weighted, ...judging, withoutParts, weigh, read },
        options,
      ))
    if (whole) checkAborted(signal)
    const later = new Map<number, string>()
    const statementDeps = { kinds: store.kinds, timeOf, terms: judging.terms, text, later }
    const putBelowLater: Reorder = {
      applies: (ranked) => !withoutParts.has('later') && hasChange(ranked, store.kinds),
      order: (ranked) => orderStatements(ranked, statementDeps),
    }
    const answer = whole ?? rankBest(weighted, read, options, putBelowLater)

    // 4. Their reasons.
    const parts = questionParts(text, moment, respelled)
    trace?.({ want, limit, question, parts, lists, weighted, later, noise, ...answer })
    const reasonDeps = { kinds: store.kinds, zone, names: lists.map(({ name }) => name), parts, respelled }
    return {
      hits: answer.records.map((one) => {
        const happenedAtMs = timeOf(one.item.seq)
        const also = distinct ? foldedInto(one, answer.reranked, answer.isSame) : []
        const hit = hitOf(one, { happenedAtMs, later: later.get(one.item.seq), also }, reasonDeps)
        return whole ? { ...hit, happenedAt: formatTime(happenedAtMs) } : hit
      }),
      legs: counts,
      words: countWords(parts, wordCounts.words),
      indexed: wordCounts.indexed,
      want,
      ...(whole && answer.records.length > 0 ? { complete: whole.complete } : {}),
      degraded: [...degraded, ...(notChosen ? [notChosen] : [])],
      durationMs: clock.now() - startedMs,
      ...toSealedCount(store.queries.unread({ ...scope, kinds: scope.kinds ?? searchedKinds(store.kinds) })),
    }
  }
}

interface LegAnswers {
  readonly lists: readonly LegCandidates[]
  /** How many candidates each leg found. */
  readonly counts: Readonly<Record<keyof LegReasons, number>>
  readonly respelled: ReadonlyMap<string, Respelled>
  readonly wordCounts: Pick<RecallResult, 'words' | 'indexed'>
  readonly degraded: readonly string[]
}

/** The answers of all legs. */
async function askLegs(legs: readonly Leg[], question: Question): Promise<LegAnswers> {
  const answers = await Promise.all(legs.map(async (leg) => ({ leg, ...(await leg.find(question)) })))
  return {
    lists: answers.map(({ leg: { name, weight }, candidates, canFind, isComing }) => ({
      name,
      weight,
      candidates,
      canFind,
      isComing,
    })),
    counts: Object.fromEntries(answers.map(({ leg, found }) => [leg.name, found])) as LegAnswers['counts'],
    respelled: answers.find((answer) => answer.respelled)?.respelled ?? new Map<string, Respelled>(),
    wordCounts: answers.find(({ wordCounts }) => wordCounts)?.wordCounts ?? { words: [], indexed: 0 },
    degraded: answers.flatMap(({ degraded }) => degraded ?? []),
  }
}

/** The ranking of `lists`; a record that a leg can't find yet ranks no lower than without that leg. */
function rankLists(
  lists: readonly LegCandidates[],
  rank: (some: readonly LegCandidates[]) => WeightedRecord[],
): WeightedRecord[] {
  const ranked = rank(lists)
  const isComing = (seq: number) => lists.some((list) => list.isComing?.(seq) === true)
  if (!ranked.some(({ seq }) => isComing(seq))) return ranked
  const without = lists.filter((list) => list.isComing === undefined)
  return raiseComing(ranked, rank(without), isComing)
}

interface Scale {
  /** The ranking of fused records by their factors, without records that may no longer be recalled. */
  weigh(fused: readonly FusedRecord[]): WeightedRecord[]
  /** When a weighed record happened, in milliseconds since 1970 UTC. */
  timeOf(seq: number): number
}

/** Weighs records by their factors, as of `nowMs`. */
function createScale({ queries }: Pick<BookStore, 'queries'>, scope: ScopeQuery, nowMs: number): Scale {
  const timeBySeq = new Map<number, number>()
  return {
    weigh(fused) {
      if (fused.length === 0) return []
      const weights = queries.rankWeights(
        fused.map(({ seq }) => seq),
        scope,
      )
      return applyFactors(fused, (seq) => {
        const one = weights.get(seq)
        if (!one) return undefined
        timeBySeq.set(seq, one.happenedAtMs)
        return factorsOf(one, nowMs - one.happenedAtMs)
      })
    },
    timeOf: (seq) => timeBySeq.get(seq) ?? 0,
  }
}

/** A returned record with its reasons. */
function hitOf(
  { item, record, score }: RerankedRecord<WeightedRecord>,
  found: Pick<ReturnedHit, 'happenedAtMs' | 'later' | 'also'>,
  deps: ReasonDeps,
): RecallHit {
  return { record, score: Math.min(1, score), because: becauseOf({ item, record, ...found }, deps) }
}

/** Kinds that recall may return: an unread record may be recallable, whatever its body says. */
const searchedKinds = (kinds: Kinds) =>
  [...kinds.values()].filter(({ recallable }) => recallable !== false).map(({ name }) => name)

const toSealedCount = (count: number) => (count === 0 ? {} : { sealed: count })
