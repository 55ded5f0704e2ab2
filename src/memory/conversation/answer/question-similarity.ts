// Similarity of two questions, by words and by vectors. The measures prefer a cache miss to a wrong answer.
import { fold } from '../../../core/text/fold.ts'
import { contentWords, wordsOf } from '../../../core/text/content-word.ts'
import type { SpaceVector } from '../../../core/capability/port/recall-port.ts'
import { fromBase64, toBase64 } from '../../../shape/encoded-bytes.ts'

/** Words and pairs of neighbouring words of a question, folded, in order, with repeats. */
function featuresOf(question: string): string[] {
  const words = wordsOf(question).map(fold)
  return [...words, ...words.slice(1).map((word, i) => `${words[i] ?? ''} ${word}`)]
}

/** Matches a folded word that negates a question. */
const negationPattern =
  /^(?:not?|never|without|nicht|kein|keine|ohne|pas|sans|jamais|sin|nunca|(?:do|does|did|is|are|was|were|can|could|will|would|should)n['’]?t|can['’]?t|won['’]?t)$/

/** Words that two questions must share in this order, as one text: content words, then numbers and negations. */
function requiredWords(question: string): string {
  const folded = wordsOf(question).map(fold)
  const keyWords = folded.filter((word) => /\d/.test(word) || negationPattern.test(word))
  return [...contentWords(question), ...keyWords].join(' ')
}

/**
 * Similarity, 0 to 1: Dice's coefficient 2 |A ∩ B| / (|A| + |B|) over words and neighbouring pairs, as multisets. 0
 * if the questions differ in a content word, a number, a negation or their order: "when is Ann's birthday" is not "when is Bob's
 * birthday".
 */
export function questionSimilarity(questionA: string, questionB: string): number {
  if (requiredWords(questionA) !== requiredWords(questionB)) return 0
  const a = featuresOf(questionA)
  const b = featuresOf(questionB)
  if (a.length + b.length === 0) return 0
  const remaining = new Map<string, number>()
  for (const feature of a) remaining.set(feature, (remaining.get(feature) ?? 0) + 1)
  let shared = 0
  for (const feature of b) {
    const count = remaining.get(feature) ?? 0
    if (count === 0) continue
    remaining.set(feature, count - 1)
    shared += 1
  }
  return (2 * shared) / (a.length + b.length)
}

interface Direction {
  /** Only vectors of one space can be compared: `provider|model|dimensions|normalised`. */
  readonly space: string
  /** Signed bytes in base64. The vector is scaled: its length does not matter for a cosine. */
  readonly bytes: string
}

/**
 * Matches the name of a space of latent semantic analysis. Its vectors express the subject only, so two questions
 * on one subject would look the same.
 */
const topicSpacePattern = /^lsa\|/

/**
 * Direction of a vector, one byte for each dimension. Undefined without a vector, or if its space can't distinguish
 * questions.
 */
export function toDirection(embedding: SpaceVector | undefined): Direction | undefined {
  if (!embedding || topicSpacePattern.test(embedding.space)) return undefined
  const maxAbs = embedding.vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  if (maxAbs === 0) return undefined
  const bytes = Int8Array.from(embedding.vector, (value) => Math.round((value / maxAbs) * 127))
  return { space: embedding.space, bytes: toBase64(new Uint8Array(bytes.buffer)) }
}

/** Cosine of two directions, −1 to 1; 0 if their spaces differ. The error from the bytes is below 0.01. */
export function cosineOf(first: Direction, second: Direction): number {
  if (first.space !== second.space) return 0
  const a = fromBase64(first.bytes)
  const b = fromBase64(second.bytes)
  if (!a || a.length !== b?.length) return 0
  const x = new Int8Array(a.buffer)
  const y = new Int8Array(b.buffer)
  let dot = 0
  let xx = 0
  let yy = 0
  for (let i = 0; i < x.length; i++) {
    const p = x[i] ?? 0
    const q = y[i] ?? 0
    dot += p * q
    xx += p * p
    yy += q * q
  }
  return xx > 0 && yy > 0 ? dot / Math.sqrt(xx * yy) : 0
}

/**
 * Words that embedders neglect and questions depend on: numbers, negations, and names (words with a capital letter; the
 * first word only if it is a content word). In order, as one text. Questions that differ in such a word, or in the
 * order of these words, are different, however similar their vectors.
 */
export function distinguishingWords(question: string): string {
  return wordsOf(question)
    .filter((word, i) => {
      if (/\d/.test(word) || negationPattern.test(fold(word))) return true
      return /^\p{Lu}/u.test(word) && (i > 0 || contentWords(word).length > 0)
    })
    .map((word) => word.toLowerCase())
    .join(' ')
}
