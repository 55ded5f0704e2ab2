// Recall: from a question in plain words to the records that answer it, with the reasons. Works with no model.
// Invariant: scope and filters act inside each leg's query; the limit acts last, on what is returned; and what may no
// longer be recalled by the time the slowest leg has answered is not returned.
import { type AbortSignalLike, checkAborted, neverAborted } from '../core/abort.ts'
import type { LegReasons, RecallQuery, RecallResult } from '../core/capability/port/recall-port.ts'
import type { Clock } from '../core/ports.ts'
import { utcZone, type Zone } from '../core/calendar/zone.ts'
import { dayNamed, type Moment } from '../core/filter/filter-time.ts'
import { dateWords, parseTime } from '../core/time.ts'
import type { BookStore } from '../store/book-store.ts'
import { isUnspaced } from '../store/word/unspaced-script.ts'
import { textOf } from '../store/word/text.ts'
import { tokenize } from '../store/word/tokenize.ts'
import { textQueryLimits, wordsOf } from '../store/word/text-query.ts'
import { factorsOf } from './factor.ts'
import { confirmedOf, type Kinds, whenField } from '../core/kind.ts'
import { becauseOf, fuse, weigh, type Weighted } from './fuse.ts'
import { diversify, highestScore, lookAt, order, type Read, type Reranked } from './rerank.ts'
import type { Leg, Question } from './leg.ts'
import { sharpCut } from './sharp.ts'
import { withoutAskingWords } from './question/asking-word.ts'
import { agentShare, asksInFirstPerson } from './question/first-person.ts'
import { type Without, withoutNone } from './part.ts'
import { stopWords } from '../store/word/stop-words.ts'

/** How many of the best are read to be looked at once more; so many more than wanted, first, and the rest if they can matter. */
const lookedAt = { least: 20, times: 3, extra: 6 } as const
/** How many candidates a leg brings; many times what is usually returned, because fusion reorders them. */
const candidateLimit = 200

export type Recall = (query: RecallQuery, signal?: AbortSignalLike) => Promise<RecallResult>

export interface RecallParts {
  readonly store: Pick<BookStore, 'kinds' | 'queries'>
  readonly clock: Clock
  /** Whose days a question means by yesterday. Default UTC. */
  readonly zone?: Zone | undefined
  readonly legs: readonly Leg[]
  /** Parts to go without, for an evaluation. */
  readonly without?: Without | undefined
}

/** Recall over `store` by `legs`. Nothing to look for, or nothing that fits, is an empty list of hits. */
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
    const asked = telling(text, { nowMs: asOf, zone }, without)
    const question: Question = { text, ...asked, scope, limit: candidateLimit, exact, signal }
    const answers = await Promise.all(legs.map(async (leg) => ({ leg, ...(await leg.find(question)) })))
    checkAborted(signal)
    const lists = answers.map(({ leg: { name, weight }, candidates }) => ({ name, weight, candidates }))
    const seqs = new Set(lists.flatMap(({ candidates }) => candidates.map(({ seq }) => seq)))
    const seen = seqs.size === 0 ? undefined : store.queries.weigh([...seqs], scope)
    const weighed = weigh(fuse(lists), (seq) => {
      const one = seen?.get(seq)
      return one && factorsOf(one, asOf - one.at)
    })
    const terms = question.words.flatMap((word) => tokenize(word))
    // What says the same as another falls out, so it may take more than one look to have enough.
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
    const kept = cut === 'sharp' ? best.slice(0, sharpCut(best.map(({ score }) => score))) : best
    return {
      hits: kept.map(({ item, record, score }) => ({
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

/** What others than this book vouch for says so. */
function confirmedIn(kinds: Kinds, record: RecallResult['hits'][number]['record']) {
  const pool = confirmedOf(kinds.get(record.kind), record)
  return pool ? { pool } : {}
}

/** The kinds of which recall has any. */
const searched = (kinds: Kinds) =>
  [...kinds.values()].filter(({ recallable }) => recallable?.({}) !== false).map(({ name }) => name)

const unreadOf = (count: number) => (count === 0 ? {} : { sealed: count })

/** The records of a ranking with their texts. The words of the day it happened are not what a record says. */
function readTexts(
  store: Pick<BookStore, 'kinds' | 'queries'>,
  some: readonly Weighted[],
  lists: readonly { readonly name: string }[],
  { witness, answer }: { readonly witness: boolean; readonly answer: boolean },
): Read<Weighted>[] {
  const text = lists.findIndex(({ name }) => name === 'text')
  const records = store.queries.read(some.map(({ seq }) => seq))
  return some.flatMap((item) => {
    const record = records.get(item.seq)
    const kind = record && store.kinds.get(record.kind)
    if (!kind) return []
    const said = { ...kind, text: kind.text.filter((path) => path !== whenField) }
    const has = (item.candidates[text]?.because as LegReasons['text'])?.words
    const score = witness && kind.saidBy?.(record) === 'agent' ? item.score * agentShare : item.score
    const beside = item.candidates.find((candidate) => candidate?.answerBeside !== undefined)?.answerBeside
    return [
      {
        item,
        record,
        seq: item.seq,
        score,
        texts: textOf(said, record, undefined),
        has,
        answerBeside: answer ? beside : 1,
      },
    ]
  })
}

/**
 * The words to look for: without stop words. A question of nothing else must be met whole. For today, yesterday and
 * tomorrow the date is looked for: records have the words of the day on which they happened.
 */
function telling(text: string, moment: Moment, without: Without): Pick<Question, 'words' | 'match'> {
  // In a script without spaces, each pair of letters is looked for by itself.
  const said = wordsOf(text).flatMap((word) => (isUnspaced(word) ? word.split(' ') : [word]))
  const words = [...new Set(said.flatMap((word) => daySaid(word, moment)))]
  const some = words.slice(0, textQueryLimits.words).filter((word) => !stopWords.has(word))
  if (some.length === 0) return { words, match: 'all' }
  return { words: without.has('plain') ? some : withoutAskingWords(some), match: 'any' }
}

/** A word, or instead of one that names a day by its distance those of its date. */
function daySaid(word: string, moment: Moment): string[] {
  const day = dayNamed(word.toLowerCase(), moment)
  // Without the year and the weekday: they stand in a great many records.
  return day === undefined
    ? [word]
    : dateWords(parseTime(day) ?? 0)
        .split(' ')
        .slice(1, 3)
}
