// Reranks the best records of a recall by their texts: word pairs, questions, duplicates, diversity, and the sharp
// cut. Pure.
import { type JsonObject, readPath } from '../core/json/path.ts'
import type { Kind } from '../core/kind.ts'
import { bodyOf, type Stored } from '../core/record.ts'
import { booleanTexts, sayingOf } from '../core/text/saying.ts'
import { indexText } from '../store/word/text.ts'
import { tokenize } from '../store/word/tokenize.ts'
import { stopWords } from './question-words.ts'
import { formFactor } from './word-form.ts'

export interface RecordTexts<Item> {
  readonly item: Item
  readonly seq: number
  readonly record: Stored<JsonObject>
  readonly score: number
  /** The record's texts, field by field, without the words of its date. */
  readonly texts: readonly string[]
  /** The kind, as far as it says which fact the record states. */
  readonly kind?: Pick<Kind, 'fact' | 'facets'> | undefined
  /** The terms of the question that the record may have; undefined: any term. */
  readonly matchedTerms?: readonly string[] | undefined
  /** How much the answer to this record may be in the next record, 0 to 1. Default: 1. */
  readonly answerInNextShare?: number | undefined
}

export interface RerankedRecord<Item> extends RecordTexts<Item> {
  /** The terms without stop words. Computed at the first use, as `saying` is: never for most records. */
  readonly terms: () => ReadonlySet<string>
  /** `sayingOf` all texts, and the record's booleans. */
  readonly saying: () => string
  /** The fact that the record states, to compare with records of other kinds; empty if it states none alone. */
  readonly fact: () => string
}

/** Bonus of a record with all word pairs of the question side by side. */
export const phraseBonus = 0.15
/** Factor of a record that is a question: its answer is in the next record. */
export const questionFactor = 0.75

/**
 * score × (1 + 0.15 × share of the question's word pairs that are side by side) × (0.75 if a text of the record ends
 * in a question mark and the next record is short) × its `formFactor`. `terms`: the terms of the question, in order.
 * `forms`: their words (`wordsByTerm`).
 */
export function rerank<Item>(
  read: RecordTexts<Item>,
  terms: readonly string[],
  forms: ReadonlyMap<string, string> = new Map(),
): RerankedRecord<Item> {
  let fields: string[][] | undefined
  const wordsOf = () => (fields ??= read.texts.map((text) => tokenize(indexText(text))))
  const { matchedTerms } = read
  const mayHave = (term: string | undefined) => term !== undefined && (matchedTerms?.includes(term) ?? true)
  const mayHavePair = terms.some((term, i) => i > 0 && mayHave(term) && mayHave(terms[i - 1]))
  const pairShare = mayHavePair ? countPairs(wordsOf(), terms) / (terms.length - 1) : 0
  let ownTerms: ReadonlySet<string> | undefined
  let saying: string | undefined
  let fact: string | undefined
  return {
    ...read,
    score:
      read.score *
      (1 + phraseBonus * pairShare) *
      questionFactorOf(read) *
      (forms.size > 0 ? formFactor(read.texts, matchedTerms ?? [], forms) : 1),
    terms: () =>
      (ownTerms ??= new Set(
        wordsOf()
          .flat()
          .filter((term) => !stopWords.has(term)),
      )),
    saying: () => (saying ??= sayingOfRecord(read)),
    fact: () => (fact ??= factOfRecord(read)),
  }
}

/**
 * Factor of a record. A question counts less, because its answer is in the next record and shares few of its words.
 * If the next record is long, its own words find it, and the question counts almost fully. */
function questionFactorOf({ texts, answerInNextShare = 1 }: RecordTexts<unknown>): number {
  return endsInQuestion(texts) ? 1 - (1 - questionFactor) * answerInNextShare : 1
}

/** The highest score that `rerank` can give to a record with `score`. */
export const highestScore = (score: number): number => score * (1 + phraseBonus)

function sayingOfRecord({ texts, record }: RecordTexts<unknown>): string {
  const saying = texts.map(sayingOf).join('\n').trim()
  return saying === '' ? '' : [saying, ...booleanTexts(bodyOf(record))].join('\n')
}

/** A statement about somebody whom it doesn't name (_Likes tea_) is a fact only together with its subject. */
function factOfRecord({ kind, record }: RecordTexts<unknown>): string {
  const text = kind?.fact === undefined ? undefined : readPath(record, kind.fact)
  const saying = typeof text === 'string' ? sayingOf(text) : ''
  const subject = kind?.facets.subject === undefined ? undefined : readPath(record, kind.facets.subject)
  const isAlone = typeof subject !== 'string' || ` ${saying} `.includes(` ${sayingOf(subject)} `)
  return saying === '' || !isAlone ? '' : [record.resource ?? '', saying].join('\n')
}

/** True when one of the texts ends in a question mark. */
export const endsInQuestion = (texts: readonly string[]): boolean =>
  texts.some((text) => /[?？]["'”»)\]]*\s*$/.test(text))

/** True when a record says nothing beside a better one. */
export type IsSame = (one: RerankedRecord<unknown>, better: RerankedRecord<unknown>) => boolean

/**
 * The first `limit` records by score; of equal scores, the last stored comes first. `distinct`: without duplicates of
 * a better record, as `isSame` judges them.
 */
export function orderUnique<Item>(
  reranked: readonly RerankedRecord<Item>[],
  distinct: boolean,
  limit = Infinity,
  isSame: IsSame = isDuplicate,
): RerankedRecord<Item>[] {
  const ranked = [...reranked].sort((a, b) => b.score - a.score || b.seq - a.seq)
  if (!distinct) return ranked.slice(0, limit)
  const unique: RerankedRecord<Item>[] = []
  for (const candidate of ranked) {
    if (unique.length >= limit) break
    if (!unique.some((other) => isSame(candidate, other))) unique.push(candidate)
  }
  return unique
}

/** Counts the pairs of consecutive `terms` that are consecutive in a field too. */
function countPairs(fields: readonly (readonly string[])[], terms: readonly string[]): number {
  /** First term of a pair → places of such pairs in the question. */
  const pairStarts = new Map<string, number[]>()
  for (let i = 0; i + 1 < terms.length; i++) {
    const first = terms[i] as string
    pairStarts.set(first, [...(pairStarts.get(first) ?? []), i])
  }
  const found = new Set<number>()
  for (const words of fields)
    for (let at = 0; at + 1 < words.length; at++)
      for (const i of pairStarts.get(words[at] as string) ?? [])
        if (terms[i + 1] === words[at + 1]) found.add(i)
  return found.size
}

/** True when two records of different kinds state the same fact. */
export const isSameFact: IsSame = (a, b) =>
  a.record.kind !== b.record.kind && haveOneResource(a, b) && a.fact() === b.fact() && a.fact() !== ''

/** True unless the records name different resources. */
const haveOneResource: IsSame = ({ record: a }, { record: b }) =>
  (a['resource'] ?? b['resource']) === (b['resource'] ?? a['resource'])

/** True when two records of one kind say the same of one resource, or two of different kinds state the same fact. */
export const isDuplicate: IsSame = (a, b) =>
  (a.record.kind === b.record.kind &&
    a.record['resource'] === b.record['resource'] &&
    a.saying() === b.saying() &&
    a.saying() !== '') ||
  isSameFact(a, b)

/** The ids of the records in `read` that are folded into `one`. */
export const foldedInto = <Item>(
  one: RerankedRecord<Item>,
  read: readonly RerankedRecord<Item>[],
  isSame: IsSame = isDuplicate,
): string[] =>
  read.filter((other) => other.seq !== one.seq && isSame(other, one)).map(({ record }) => record.id)

/** Share of common words among all words of both sets (Jaccard), 0 to 1. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const total = a.size + b.size
  if (total === 0) return 0
  let common = 0
  for (const term of a) if (b.has(term)) common += 1
  return common / (total - common)
}

/**
 * The first `limit` by maximal marginal relevance (Carbonell and Goldstein 1998): the next record has the highest (1
 * − diversity) × score / best − diversity × its largest overlap with an earlier record.
 */
export function diversify<Item>(
  ranked: readonly RerankedRecord<Item>[],
  limit: number,
  diversity: number,
): RerankedRecord<Item>[] {
  if (diversity === 0) return ranked.slice(0, limit)
  const best = ranked[0]?.score || 1
  const rest = [...ranked]
  const chosen: RerankedRecord<Item>[] = []
  const maxOverlap = new Map<RerankedRecord<Item>, number>()
  while (chosen.length < limit && rest.length > 0) {
    const marginalRelevance = (one: RerankedRecord<Item>) =>
      (1 - diversity) * (one.score / best) - diversity * (maxOverlap.get(one) ?? 0)
    const next = rest.reduce((bestSoFar, one) =>
      marginalRelevance(one) > marginalRelevance(bestSoFar) ? one : bestSoFar,
    )
    rest.splice(rest.indexOf(next), 1)
    chosen.push(next)
    for (const one of rest)
      maxOverlap.set(one, Math.max(maxOverlap.get(one) ?? 0, overlap(one.terms(), next.terms())))
  }
  return chosen
}
