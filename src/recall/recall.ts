// Recall: finds the records that answer a question in plain words, with reasons. Works without a model.
// Invariant: scope and filters apply inside each leg's query, the limit at the end; a record that may no longer be
// recalled when the slowest leg answers is not returned.
import { type AbortSignalLike, checkAborted, neverAborted } from '../core/abort.ts'
import type { LegReasons, RecallQuery, RecallResult } from '../core/capability/port/recall-port.ts'
import type { Clock } from '../core/ports.ts'
import { utcZone, type Zone } from '../core/zone.ts'
import { dayNamed, type Moment } from '../core/filter/filter-time.ts'
import { dateWords, parseTime } from '../core/time.ts'
import type { BookStore } from '../store/book-store.ts'
import { hasUnspacedScript } from '../store/word/unspaced-script.ts'
import { textsOfRecord } from '../store/word/text.ts'
import { tokenize } from '../store/word/tokenize.ts'
import { textQueryLimits, questionWords } from '../store/word/text-query.ts'
import { becauseOf, factorsOf, fuse, weigh, type Weighted } from './fuse.ts'
import { confirmedOf, type Kinds, whenField } from '../core/kind.ts'
import { diversify, highestScore, lookAt, order, type TextRead, type Reranked, sharpCut } from './rerank.ts'
import type { Leg, Question } from './leg.ts'
import { agentShare, asksInFirstPerson, stopWords, withoutAskingWords } from './question-words.ts'
import { type Without, withoutNone } from './part.ts'

/**
 * How many of the best records are read and reranked: first a few more than the limit, then more while they can
 * matter.
 */
const lookedAt = { least: 20, times: 3, extra: 6 } as const
/** Most candidates of a leg: many more than the hits, because fusion reorders them. */
const candidateLimit = 200

export type Recall = (query: RecallQuery, signal?: AbortSignalLike) => Promise<RecallResult>

export interface RecallParts {
  readonly store: Pick<BookStore, 'kinds' | 'queries'>
  readonly clock: Clock
  /** The zone of days such as yesterday. Default: UTC. */
  readonly zone?: Zone | undefined
  readonly legs: readonly Leg[]
  /** Parts to leave out, for an evaluation. */
  readonly without?: Without | undefined
}

/** Builds a recall over `store` by `legs`. A question without words or matches has no hits. */
export function createRecall({
  store,
  clock,
  zone = utcZone,
  legs,
  without = withoutNone,
}: RecallParts): Recall {
  return async (
    { text, limit = 10, minScore = 0, distinct = true, diversity = 0, cut = 'none', exact, ...scope },
    signal = neverAborted,
  ) => {
    const began = clock.now()
    const asOf = parseTime(scope.at ?? '') ?? began
    const words = wordsToFind(text, { nowMs: asOf, zone }, without)
    const question: Question = { text, ...words, scope, limit: candidateLimit, exact, signal }
    const answers = await Promise.all(legs.map(async (leg) => ({ leg, ...(await leg.find(question)) })))
    checkAborted(signal)
    const lists = answers.map(({ leg: { name, weight }, candidates }) => ({ name, weight, candidates }))
    const seqs = new Set(lists.flatMap(({ candidates }) => candidates.map(({ seq }) => seq)))
    const visible = seqs.size === 0 ? undefined : store.queries.weigh([...seqs], scope)
    const weighed = weigh(fuse(lists), (seq) => {
      const one = visible?.get(seq)
      return one && factorsOf(one, asOf - one.happenedAtMs)
    })
    const terms = question.words.flatMap((word) => tokenize(word))
    // Duplicates are left out, so one step may not be enough.
    const step = Math.max(lookedAt.least, lookedAt.times * limit)
    const enough = diversity === 0 ? limit : Infinity
    const piece = diversity === 0 ? limit + lookedAt.extra : step
    const reading = {
      witness: !without.has('speaker') && asksInFirstPerson(text),
      answer: !without.has('answer'),
    }
    const looked: Reranked<Weighted>[] = []
    let ranked: Reranked<Weighted>[] = []
    for (let from = 0; from < weighed.length;) {
      const last = ranked[limit - 1]
      if (last && (from % step === 0 || highestScore(weighed[from]?.score ?? 0) < last.score)) break
      const to = Math.min(from + piece, from - (from % step) + step)
      looked.push(
        ...readTexts(store, weighed.slice(from, to), lists, reading).map((one) => lookAt(one, terms)),
      )
      ranked = order(looked, distinct, enough)
      from = to
    }
    const best = diversify(
      ranked.filter(({ score }) => score >= minScore),
      limit,
      diversity,
    )
    const returned = cut === 'sharp' ? best.slice(0, sharpCut(best.map(({ score }) => score))) : best
    return {
      hits: returned.map(({ item, record, score }) => ({
        record,
        score: Math.min(1, score),
        because: { ...becauseOf(item, lists), ...confirmedIn(store.kinds, record) },
      })),
      legs: Object.fromEntries(answers.map(({ leg, found }) => [leg.name, found])) as Record<
        keyof LegReasons,
        number
      >,
      degraded: answers.flatMap(({ degraded }) => degraded ?? []),
      took: clock.now() - began,
      ...unreadOf(store.queries.unread({ ...scope, kinds: scope.kinds ?? searched(store.kinds) })),
    }
  }
}

/** The votes for a record that a pool confirmed. */
function confirmedIn(kinds: Kinds, record: RecallResult['hits'][number]['record']) {
  const pool = confirmedOf(kinds.get(record.kind), record)
  return pool ? { pool } : {}
}

/** Kinds with recallable records. */
const searched = (kinds: Kinds) =>
  [...kinds.values()].filter(({ recallable }) => recallable?.({}) !== false).map(({ name }) => name)

const unreadOf = (count: number) => (count === 0 ? {} : { sealed: count })

/** The records of a ranking with their texts, without the words of their dates. */
function readTexts(
  store: Pick<BookStore, 'kinds' | 'queries'>,
  some: readonly Weighted[],
  lists: readonly { readonly name: string }[],
  { witness, answer }: { readonly witness: boolean; readonly answer: boolean },
): TextRead<Weighted>[] {
  const text = lists.findIndex(({ name }) => name === 'text')
  const records = store.queries.read(some.map(({ seq }) => seq))
  return some.flatMap((item) => {
    const record = records.get(item.seq)
    const kind = record && store.kinds.get(record.kind)
    if (!kind) return []
    const undated = { ...kind, text: kind.text.filter((path) => path !== whenField) }
    const has = (item.candidates[text]?.because as LegReasons['text'])?.words
    const score = witness && kind.roleOf?.(record) === 'agent' ? item.score * agentShare : item.score
    const beside = item.candidates.find((candidate) => candidate?.answerBeside !== undefined)?.answerBeside
    return [
      {
        item,
        record,
        seq: item.seq,
        score,
        texts: textsOfRecord(undated, record, undefined),
        has,
        answerBeside: answer ? beside : 1,
      },
    ]
  })
}

/**
 * The words of a question without stop words. If it has stop words only, a match has all its words. Today, yesterday
 * and tomorrow become the words of that date, which records have.
 */
function wordsToFind(text: string, moment: Moment, without: Without): Pick<Question, 'words' | 'match'> {
  // In a script without spaces, each pair of letters is a word.
  const all = questionWords(text).flatMap((word) => (hasUnspacedScript(word) ? word.split(' ') : [word]))
  const words = [...new Set(all.flatMap((word) => withDate(word, moment)))]
  const some = words.slice(0, textQueryLimits.words).filter((word) => !stopWords.has(word))
  if (some.length === 0) return { words, match: 'all' }
  return { words: without.has('plain') ? some : withoutAskingWords(some), match: 'any' }
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
