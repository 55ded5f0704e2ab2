// The best of a recall once more, with their texts in hand: words that stand together, questions that only ask, and
// records that say the same. Pure; looks at a few times as many as are returned, never at all.
import type { JsonObject } from '../core/json/path.ts'
import type { Stored } from '../core/record.ts'
import { tokenize } from '../store/word/tokenize.ts'
import { stopWords } from '../store/word/stop-words.ts'

export interface Read<Item> {
  readonly item: Item
  readonly seq: number
  readonly record: Stored<JsonObject>
  readonly score: number
  /** The record's texts, field by field, without the words of its date. */
  readonly texts: readonly string[]
  /** Those of the question's terms that it may have; undefined: any. */
  readonly has?: readonly string[] | undefined
  /** How far an answer to it may be hidden beside it, 0 to 1; undefined: wholly. */
  readonly answerBeside?: number | undefined
}

/** The words of a record: its terms but stop words, and its numbers in their order. */
interface Wording {
  readonly terms: ReadonlySet<string>
  readonly numbers: string
}

export interface Reranked<Item> extends Read<Item> {
  /** Made when it is first asked for: of most records nobody asks. */
  readonly wording: () => Wording
}

/** What a record gains that has all neighbouring words of the question side by side. */
export const phraseShare = 0.15
/** What a record keeps of its score that is a question itself: it asks, and answers stand beside it. */
export const askingShare = 0.75
/** Records of one kind whose words are the same to this share (Jaccard), and all their numbers, say the same. */
export const sameShare = 0.85

/**
 * Looks at the texts: score × (1 + 0.15 × share of the question's word pairs that stand side by side) × (0.75 when the
 * text ends in a question mark and what follows it is short). `terms` are the question's, in its order.
 */
export function lookAt<Item>(one: Read<Item>, terms: readonly string[]): Reranked<Item> {
  let fields: string[][] | undefined
  const wordsOf = () => (fields ??= one.texts.map((text) => tokenize(text)))
  const { has } = one
  const mayStand = (term: string | undefined) => term !== undefined && (has?.includes(term) ?? true)
  const isOpen = terms.some((term, i) => i > 0 && mayStand(term) && mayStand(terms[i - 1]))
  const pairShare = isOpen ? pairsIn(wordsOf(), terms) / (terms.length - 1) : 0
  let wording: Wording | undefined
  return {
    ...one,
    score: one.score * (1 + phraseShare * pairShare) * askingPart(one),
    wording: () => (wording ??= wordingOf(wordsOf().flat())),
  }
}

/**
 * A question is worth less because its answer stands beside it and shares few of its words. A long answer has words of its own
 * to be found by, and the question that brought it up counts as any record.
 */
function askingPart({ texts, answerBeside = 1 }: Read<unknown>): number {
  return asks(texts) ? 1 - (1 - askingShare) * answerBeside : 1
}

/** What `score` can become at most by being looked at. */
export const highestScore = (score: number): number => score * (1 + phraseShare)

function wordingOf(words: readonly string[]): Wording {
  return {
    terms: new Set(words.filter((term) => !stopWords.has(term))),
    numbers: words.filter((term) => /\d/.test(term)).join(' '),
  }
}

/** True when one of the texts ends in a question mark. */
export const asks = (texts: readonly string[]): boolean =>
  texts.some((text) => /[?？]["'”»)\]]*\s*$/.test(text))

/**
 * Orders by score, then by what was stored last; when `distinct`, without what says the same as one before it. No more
 * than the first `limit`.
 */
export function order<Item>(
  looked: readonly Reranked<Item>[],
  distinct: boolean,
  limit = Infinity,
): Reranked<Item>[] {
  const ranked = [...looked].sort((a, b) => b.score - a.score || b.seq - a.seq)
  if (!distinct) return ranked.slice(0, limit)
  const kept: Reranked<Item>[] = []
  for (const one of ranked) {
    if (kept.length >= limit) break
    if (!kept.some((other) => saysTheSame(one, other))) kept.push(one)
  }
  return kept
}

/** How many neighbours among `terms` are neighbours in one of the fields. */
function pairsIn(fields: readonly (readonly string[])[], terms: readonly string[]): number {
  /** By its first term: the places of each pair in the question. */
  const places = new Map<string, number[]>()
  for (let i = 0; i + 1 < terms.length; i++) {
    const first = terms[i] as string
    places.set(first, [...(places.get(first) ?? []), i])
  }
  const found = new Set<number>()
  for (const words of fields)
    for (let at = 0; at + 1 < words.length; at++)
      for (const i of places.get(words[at] as string) ?? []) if (terms[i + 1] === words[at + 1]) found.add(i)
  return found.size
}

/** True when two records of one kind have nearly all words and all numbers in common. */
function saysTheSame(a: Reranked<unknown>, b: Reranked<unknown>): boolean {
  if (a.record.kind !== b.record.kind) return false
  const one = a.wording()
  const other = b.wording()
  if (one.numbers !== other.numbers || one.terms.size === 0) return false
  return overlap(one.terms, other.terms, sameShare) >= sameShare
}

/**
 * Share of the words of either that both have (Jaccard), 0 to 1. What is surely less than `least` may be answered too
 * high, but stays less.
 */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>, least = 0): number {
  const total = a.size + b.size
  if (total === 0) return 0
  /** As many as both may have, given what was looked at so far. */
  let both = Math.min(a.size, b.size)
  /** As many words of `a` may be missing from `b` before fewer than that are in both. */
  let allowedMisses = a.size - both
  for (const term of a) {
    if (b.has(term)) continue
    if (allowedMisses > 0) allowedMisses -= 1
    else both -= 1
    if (both / (total - both) < least) break
  }
  return both / (total - both)
}

/**
 * The first `limit` by maximal marginal relevance (Carbonell and Goldstein 1998): the next is always the one with the
 * highest (1 − diversity) × score / best − diversity × its largest overlap with those before it.
 */
export function diversify<Item>(
  ranked: readonly Reranked<Item>[],
  limit: number,
  diversity: number,
): Reranked<Item>[] {
  if (diversity === 0) return ranked.slice(0, limit)
  const best = ranked[0]?.score ?? 1
  const rest = [...ranked]
  const chosen: Reranked<Item>[] = []
  const closest = new Map<Reranked<Item>, number>()
  while (chosen.length < limit && rest.length > 0) {
    const worth = (one: Reranked<Item>) =>
      (1 - diversity) * (one.score / best) - diversity * (closest.get(one) ?? 0)
    const next = rest.reduce((most, one) => (worth(one) > worth(most) ? one : most))
    rest.splice(rest.indexOf(next), 1)
    chosen.push(next)
    for (const one of rest)
      closest.set(one, Math.max(closest.get(one) ?? 0, overlap(one.wording().terms, next.wording().terms)))
  }
  return chosen
}
