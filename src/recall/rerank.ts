// The best of a recall once more, with their texts in hand: words that stand together, questions that only ask, and
// records that say the same. Pure; looks at a few times as many as are returned, never at all.
import type { JsonObject } from '../core/path.ts'
import type { Stored } from '../core/record.ts'
import { tokenize } from '../store/tokenize.ts'
import { stopWords } from './stop-words.ts'

export interface Read<Item> {
  readonly item: Item
  readonly seq: number
  readonly record: Stored<JsonObject>
  readonly score: number
  /** The record's texts, field by field, without the words of its date. */
  readonly texts: readonly string[]
}

export interface Reranked<Item> extends Read<Item> {
  readonly terms: ReadonlySet<string>
  readonly numbers: string
}

/** What a record gains that has all neighbouring words of the question side by side. */
export const phraseShare = 0.15
/** What a record keeps of its score that is a question itself: it asks, and answers stand beside it. */
export const askingShare = 0.75
/** Records of one kind whose words are the same to this share (Jaccard), and all their numbers, say the same. */
export const sameShare = 0.85

/**
 * Looks at the texts: score × (1 + 0.15 × share of the question's word pairs that stand side by side) × (0.75 when the
 * text ends in a question mark). `terms` are the question's, in its order.
 */
export function lookAt<Item>(one: Read<Item>, terms: readonly string[]): Reranked<Item> {
  const pairs = terms.slice(1).map((term, i) => `${terms[i] ?? ''} ${term}`)
  const fields = one.texts.map((text) => tokenize(text))
  const told = pairs.length === 0 ? 0 : pairsIn(fields, pairs) / pairs.length
  const all = fields.flat()
  return {
    ...one,
    score: one.score * (1 + phraseShare * told) * (asks(one.texts) ? askingShare : 1),
    terms: new Set(all.filter((term) => !stopWords.has(term))),
    numbers: all.filter((term) => /\d/.test(term)).join(' '),
  }
}

/** True when one of the texts ends in a question mark. */
export const asks = (texts: readonly string[]): boolean =>
  texts.some((text) => /[?？]["'”»)\]]*\s*$/.test(text))

/** Orders by score, then by what was stored last; when `distinct`, without what says the same as one before it. */
export function order<Item>(looked: readonly Reranked<Item>[], distinct: boolean): Reranked<Item>[] {
  const ranked = [...looked].sort((a, b) => b.score - a.score || b.seq - a.seq)
  if (!distinct) return ranked
  const kept: Reranked<Item>[] = []
  for (const one of ranked) if (!kept.some((other) => saysTheSame(one, other))) kept.push(one)
  return kept
}

function pairsIn(fields: readonly (readonly string[])[], pairs: readonly string[]): number {
  const there = new Set(
    fields.flatMap((words) => words.slice(1).map((word, i) => `${words[i] ?? ''} ${word}`)),
  )
  return pairs.reduce((sum, pair) => (there.has(pair) ? sum + 1 : sum), 0)
}

type Told = Pick<Reranked<unknown>, 'terms' | 'numbers'> & { readonly record: { readonly kind: string } }

/** True when two records of one kind have nearly all words and all numbers in common. */
export function saysTheSame(a: Told, b: Told): boolean {
  if (a.record.kind !== b.record.kind || a.numbers !== b.numbers || a.terms.size === 0) return false
  return overlap(a, b) >= sameShare
}

/** Share of the words of either that both have (Jaccard), 0 to 1. */
export function overlap(a: Pick<Told, 'terms'>, b: Pick<Told, 'terms'>): number {
  let both = 0
  for (const term of a.terms) if (b.terms.has(term)) both += 1
  const either = a.terms.size + b.terms.size - both
  return either === 0 ? 0 : both / either
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
    for (const one of rest) closest.set(one, Math.max(closest.get(one) ?? 0, overlap(one, next)))
  }
  return chosen
}
