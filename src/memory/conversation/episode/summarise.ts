// Keywords and summary of a history without a language model: its most representative phrases and sentences.
import { type HistoryLine, speakerName } from '../message/history.ts'
import {
  commonWords,
  contentWords,
  isUnspaced,
  sentencesOf,
  wordsOf,
} from '../../../core/text/content-word.ts'
import { secretMark } from '../../../core/secret/find-secrets.ts'
import { fold } from '../../../core/text/fold.ts'
import { maxKeywordLength } from './episode-kind.ts'

export const maxKeywords = 10
const maxPhraseWords = 3

/**
 * The keywords of a history, most relevant first, in their original spelling.
 * Method: rapid automatic keyword extraction (Rose, Engel, Cramer, Cowley: "Automatic keyword extraction from
 * individual documents", 2010). Candidates are the runs of words between common words and punctuation, split after
 * every third word. The degree of a word is the total number of words in all candidates that contain it.
 * Conversation is short and repetitive, so the score of a candidate is the mean degree of its words, not the sum,
 * times 1 + ln(frequency of the candidate). A candidate that contains a better one, or is contained in it, is left
 * out.
 */
export function extractKeywords(lines: readonly HistoryLine[], limit: number = maxKeywords): string[] {
  const spellings = new Map<string, string>()
  const frequency = new Map<string, number>()
  const degree = new Map<string, number>()
  for (const phrase of lines.flatMap(({ content }) =>
    candidatePhrases(content.replaceAll(secretMark, ';')),
  )) {
    const words = phrase.map(fold)
    const key = words.join(' ')
    if (!spellings.has(key)) spellings.set(key, phrase.join(' '))
    frequency.set(key, (frequency.get(key) ?? 0) + 1)
    for (const word of words) degree.set(word, (degree.get(word) ?? 0) + words.length)
  }
  const ranked = [...frequency]
    .map(([key, count]) => {
      const words = key.split(' ')
      const mean = words.reduce((sum, word) => sum + (degree.get(word) ?? 0), 0) / words.length
      return { key, score: mean * (1 + Math.log(count)) }
    })
    .toSorted((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))
  const chosen: string[] = []
  for (const { key } of ranked) {
    if (chosen.length >= limit) break
    if (!chosen.some((keyword) => containsPhrase(keyword, key) || containsPhrase(key, keyword)))
      chosen.push(key)
  }
  return chosen.map((key) => (spellings.get(key) ?? key).slice(0, maxKeywordLength).toWellFormed())
}

const containsPhrase = (whole: string, part: string) => ` ${whole} `.includes(` ${part} `)

/** The candidates of a text, each as its words. */
function candidatePhrases(text: string): string[][] {
  return text.split(/[^\p{L}\p{N}\p{M}\s'’-]+/u).flatMap((clause) => {
    const phrases: string[][] = []
    let phrase: string[] = []
    const flush = () => {
      for (let start = 0; start < phrase.length; start += maxPhraseWords)
        phrases.push(phrase.slice(start, start + maxPhraseWords))
      phrase = []
    }
    for (const word of wordsOf(clause)) {
      if (isUnspaced(word)) {
        flush()
        phrases.push(...unspacedCandidates(word).map((run) => [run]))
      } else if (isContent(word)) phrase.push(word)
      else flush()
    }
    flush()
    return phrases
  })
}

/** True for a word that a keyword may contain: three characters or more, no number, not common. */
function isContent(word: string): boolean {
  const folded = fold(word).replaceAll('’', "'")
  if (folded.length < 3 || /^\d+$/.test(folded)) return false
  return !commonWords.has(folded) && !commonWords.has(folded.split("'")[0] ?? '')
}

/**
 * Runs of one script. In Japanese, runs of Han or katakana between the hiragana are mostly nouns; runs of more than
 * eight characters are too specific.
 */
function unspacedCandidates(word: string): string[] {
  return (
    word.match(
      /\p{Script=Han}+|[\p{Script=Katakana}ー]+|[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu,
    ) ?? []
  ).filter((run) => [...run].length >= 2 && [...run].length <= 8)
}

/** Most sentences and characters of a summary, and most characters of one sentence. */
export const summaryLimits = { sentences: 5, characters: 700, sentence: 300 } as const
/** λ in the method of `summarise`. */
const mmrLambda = 0.7
/** Two sentences with a greater cosine are duplicates; the better one is used. */
const duplicateThreshold = 0.7
/** Sentences with fewer content words are used only if there are no others. */
const minContentWords = 2

interface Sentence {
  readonly text: string
  readonly speaker: string
  /** Its content words: folded, without common words. */
  readonly words: readonly string[]
}

/** Weight of each word. */
type Vector = ReadonlyMap<string, number>

/**
 * The summary of a history: at most five of its sentences and 700 characters, in order, with their speakers. Empty
 * without words.
 * Method: centroid-based extraction (Radev, Jing, Styś, Tam: "Centroid-based summarization of multiple documents",
 * 2004). Every sentence is a vector of its content words, with weight 1 + ln(tf). The worth of a sentence is its
 * cosine with the sum of all vectors. Rare words get no greater weight: within one conversation, the repeated words
 * are the subject.
 * Sentences are chosen by maximal marginal relevance (Carbonell, Goldstein: "The use of MMR", 1998): the best of λ
 * × worth − (1 − λ) × greatest cosine with a chosen sentence, λ = 0.7, and never a duplicate of a chosen one
 * (cosine above 0.7).
 */
export function summarise(lines: readonly HistoryLine[]): string {
  const seen = new Set<string>()
  const allSentences: Sentence[] = lines.flatMap((line) =>
    sentencesOf(line.content).flatMap((text) => {
      const words = contentWords(text)
      const key = words.join(' ') || text
      if (seen.has(key)) return []
      seen.add(key)
      return [{ text: truncate(text), speaker: speakerName(line), words }]
    }),
  )
  const sentencesWithContent = allSentences.filter(({ words }) => words.length >= minContentWords)
  const sentences = sentencesWithContent.length > 0 ? sentencesWithContent : allSentences
  return chooseSentences(sentences)
    .toSorted((a, b) => a - b)
    .map((i) => `${sentences[i]?.speaker ?? ''}: ${sentences[i]?.text ?? ''}`)
    .join('\n')
}

/** Indexes of the sentences to use, best first. */
function chooseSentences(sentences: readonly Sentence[]): number[] {
  const vectors = sentenceVectors(sentences)
  const sum = new Map<string, number>()
  for (const vector of vectors)
    for (const [word, weight] of vector) sum.set(word, (sum.get(word) ?? 0) + weight)
  const centroid = normalize(sum)
  const relevance = vectors.map((vector) => cosine(vector, centroid))
  // For each sentence: its greatest cosine with a chosen sentence so far.
  const maxSimilarity = vectors.map(() => 0)
  const chosen: number[] = []
  let characters = 0
  const fits = (i: number) => characters + (sentences[i]?.text.length ?? 0) <= summaryLimits.characters
  while (chosen.length < summaryLimits.sentences) {
    let best = -1
    let bestScore = -Infinity
    for (let i = 0; i < sentences.length; i++) {
      if (chosen.includes(i) || (maxSimilarity[i] ?? 0) > duplicateThreshold || !fits(i)) continue
      const score = mmrLambda * (relevance[i] ?? 0) - (1 - mmrLambda) * (maxSimilarity[i] ?? 0)
      if (score > bestScore) [best, bestScore] = [i, score]
    }
    if (best < 0) break
    chosen.push(best)
    characters += sentences[best]?.text.length ?? 0
    const chosenVector = vectors[best] ?? new Map<string, number>()
    vectors.forEach(
      (vector, i) => (maxSimilarity[i] = Math.max(maxSimilarity[i] ?? 0, cosine(vector, chosenVector))),
    )
  }
  return chosen
}

/** A vector of length 1 for each sentence. */
function sentenceVectors(sentences: readonly Sentence[]): Vector[] {
  return sentences.map(({ words }) => {
    const count = new Map<string, number>()
    for (const word of words) count.set(word, (count.get(word) ?? 0) + 1)
    return normalize(new Map([...count].map(([word, tf]) => [word, 1 + Math.log(tf)])))
  })
}

function normalize(vector: Vector): Vector {
  const length = Math.sqrt([...vector.values()].reduce((sum, weight) => sum + weight * weight, 0))
  return new Map([...vector].map(([word, weight]) => [word, weight / length]))
}

/** The cosine of two vectors of length 1. */
function cosine(a: Vector, b: Vector): number {
  const [smaller, larger] = a.size <= b.size ? [a, b] : [b, a]
  let dot = 0
  for (const [word, weight] of smaller) dot += weight * (larger.get(word) ?? 0)
  return dot
}

function truncate(text: string): string {
  return text.length <= summaryLimits.sentence
    ? text
    : `${text.slice(0, summaryLimits.sentence - 1).toWellFormed()}…`
}
