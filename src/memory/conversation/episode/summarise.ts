// A summary without a language model: the sentences that say most of what the whole says, each said once.
import { type Line, speakerOf } from '../message/history.ts'
import { sentencesOf } from '../../../core/text/sentence.ts'
import { contentWords } from '../../../core/text/content-word.ts'

export const summaryLimit = { sentences: 5, characters: 700, sentence: 300 } as const
const lambda = 0.7
/** Two sentences with a greater cosine say the same; the better one is kept. */
const sameFrom = 0.7
/** Sentences with fewer content words are chosen only when there are no others. */
const contentAtLeast = 2

interface Sentence {
  readonly text: string
  readonly speaker: string
  readonly words: readonly string[]
}

type Vector = ReadonlyMap<string, number>

/**
 * The summary of a history: up to five of its sentences in their order, with their speakers. Empty for no words.
 *
 * Centroid-based extraction (Radev, Jing, Styś, Tam: "Centroid-based summarization of multiple documents", 2004): every
 * sentence is a vector of its content words, weight 1 + ln(tf); what a sentence is worth is its cosine with the sum of
 * all. (Rare words get no greater weight, as they would against a large corpus: within one talk the words that are
 * repeated are what it is about.) Chosen by maximal marginal relevance (Carbonell, Goldstein: "The use of MMR", 1998):
 * the best of λ × worth − (1 − λ) × greatest cosine with what is chosen already, λ = 0.7, and never one that says what
 * a chosen one says (cosine above 0.7).
 */
export function summarise(lines: readonly Line[]): string {
  const seen = new Set<string>()
  const all: Sentence[] = lines.flatMap((line) =>
    sentencesOf(line.content).flatMap((text) => {
      const words = contentWords(text)
      const key = words.join(' ') || text
      if (seen.has(key)) return []
      seen.add(key)
      return [{ text: cut(text), speaker: speakerOf(line), words }]
    }),
  )
  const full = all.filter(({ words }) => words.length >= contentAtLeast)
  const sentences = full.length > 0 ? full : all
  return choose(sentences)
    .toSorted((a, b) => a - b)
    .map((i) => `${sentences[i]?.speaker ?? ''}: ${sentences[i]?.text ?? ''}`)
    .join('\n')
}

/** The places of the sentences to keep, best first. */
function choose(sentences: readonly Sentence[]): number[] {
  const vectors = weigh(sentences)
  const sum = new Map<string, number>()
  for (const vector of vectors)
    for (const [word, weight] of vector) sum.set(word, (sum.get(word) ?? 0) + weight)
  const centroid = unit(sum)
  const worth = vectors.map((vector) => cosine(vector, centroid))
  const nearest = vectors.map(() => 0)
  const chosen: number[] = []
  let characters = 0
  const fits = (i: number) => characters + (sentences[i]?.text.length ?? 0) <= summaryLimit.characters
  while (chosen.length < summaryLimit.sentences) {
    let best = -1
    let bestScore = -Infinity
    for (let i = 0; i < sentences.length; i++) {
      if (chosen.includes(i) || (nearest[i] ?? 0) > sameFrom || !fits(i)) continue
      const score = lambda * (worth[i] ?? 0) - (1 - lambda) * (nearest[i] ?? 0)
      if (score > bestScore) [best, bestScore] = [i, score]
    }
    if (best < 0) break
    chosen.push(best)
    characters += sentences[best]?.text.length ?? 0
    const one = vectors[best] ?? new Map<string, number>()
    vectors.forEach((vector, i) => (nearest[i] = Math.max(nearest[i] ?? 0, cosine(vector, one))))
  }
  return chosen
}

/** A vector of length 1 for each sentence. */
function weigh(sentences: readonly Sentence[]): Vector[] {
  return sentences.map(({ words }) => {
    const count = new Map<string, number>()
    for (const word of words) count.set(word, (count.get(word) ?? 0) + 1)
    return unit(new Map([...count].map(([word, tf]) => [word, 1 + Math.log(tf)])))
  })
}

function unit(vector: Vector): Vector {
  const length = Math.sqrt([...vector.values()].reduce((sum, weight) => sum + weight * weight, 0))
  return new Map([...vector].map(([word, weight]) => [word, weight / length]))
}

/** The cosine of two vectors of length 1. */
function cosine(one: Vector, other: Vector): number {
  const [few, many] = one.size <= other.size ? [one, other] : [other, one]
  let dot = 0
  for (const [word, weight] of few) dot += weight * (many.get(word) ?? 0)
  return dot
}

function cut(text: string): string {
  return text.length <= summaryLimit.sentence
    ? text
    : `${text.slice(0, summaryLimit.sentence - 1).toWellFormed()}…`
}
