// Where a question points in the space of an embedder, small enough to be kept with its answer: one byte a dimension.
import type { SpaceVector } from '../../../core/capability/port/recall-port.ts'
import { fromBase64, toBase64 } from '../../../shape/encoded-bytes.ts'
import { fold } from '../../../core/text/fold.ts'
import { negations } from './question-likeness.ts'
import { wordsOf } from '../../../core/text/content-word.ts'

export interface Direction {
  readonly space: string
  /** Signed bytes in base64; their length does not matter for a cosine. */
  readonly bytes: string
}

/** Latent semantic analysis tells what a question is about, not what it asks: of two on one subject it makes one. */
const topicsOnly = /^lsa\|/

/** What is kept of a vector; undefined for one that could not tell two questions apart. */
export function directionOf(found: SpaceVector | undefined): Direction | undefined {
  if (!found || topicsOnly.test(found.space)) return undefined
  const most = found.vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  if (most === 0) return undefined
  const bytes = Int8Array.from(found.vector, (value) => Math.round((value / most) * 127))
  return { space: found.space, bytes: toBase64(new Uint8Array(bytes.buffer)) }
}

/** Cosine of two directions of one space, −1 to 1; 0 for those of two. The error of the bytes is below 0.01. */
export function cosineOf(one: Direction, other: Direction): number {
  if (one.space !== other.space) return 0
  const a = fromBase64(one.bytes)
  const b = fromBase64(other.bytes)
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
 * What embedders pass over and a question stands or falls with: its numbers, every "not", and names, which are words with a
 * capital after the first. Questions that differ in any are two, however alike their vectors.
 */
export function particularsOf(question: string): string {
  const words = wordsOf(question)
  return words
    .filter((word, i) => /\d/.test(word) || negations.test(fold(word)) || (i > 0 && /^\p{Lu}/u.test(word)))
    .map((word) => word.toLowerCase())
    .toSorted()
    .join(' ')
}
