// The leg of vectors: records whose text means what the question means, by cosine similarity.
// Invariant: only what the scope lets it see is ranked, and only in one space: that of the question's own vector.
import { toDaybookError } from '../core/errors.ts'
import type { Embedder } from '../core/ports.ts'
import type { BookStore } from '../store/book-store.ts'
import { fingerprintOf } from '../store/vector/vector-space.ts'
import type { VectorHit } from '../store/vector/vector-matrix.ts'
import type { QuestionVectors } from './embed/question-vector.ts'
import { similarityScale } from './embed/similarity-scale.ts'
import type { Leg, LegAnswer, Question } from './leg.ts'
import { type Without, withoutNone } from './part.ts'
import { besideOthers } from './vector-window.ts'

export interface VectorLegParts {
  readonly store: BookStore
  readonly embedder: Embedder
  readonly questions: QuestionVectors
  /** How many records have no vector yet, as far as is known without counting. */
  readonly behind: () => number
  /** What keeps vectors from being asked for, if anything. */
  readonly degraded: () => string | undefined
  readonly without?: Without | undefined
}

const nothing: LegAnswer<'vector'> = { candidates: [], found: 0 }
/** As many times more than wanted are looked at, because the scope sorts some out; if too many, a mask decides. */
const oversampling = 2

/**
 * strength = (similarity − lowest) / (full − lowest), within 0 and 1. What is at least similar answers where full text has an
 * answer too; where no word of the question leads anywhere, only what is surely similar does.
 */
export function createVectorLeg({
  store,
  embedder,
  questions,
  behind,
  degraded,
  without = withoutNone,
}: VectorLegParts): Leg<'vector'> {
  const { minSimilarity } = embedder
  // What is made of the words of the book says of neighbours no more than the windows of words do.
  const hasWindow = embedder.besides !== true && !without.has('beside')

  const bestOf = (vector: Float32Array, lowest: number, { scope, limit, exact }: Question): VectorHit[] => {
    const search = (wanted: number, only?: readonly number[]) =>
      store.vectors.search(vector, { limit: wanted, floor: lowest, only, exact }) ?? []
    const { session, resource, filters } = scope
    const isNarrow = [session, resource, filters].some((one) => one !== undefined)
    if (!isNarrow) {
      const best = search(limit * oversampling)
      const seen = store.queries.matching(
        best.map(({ seq }) => seq),
        scope,
      )
      const left = best.filter(({ seq }) => seen.has(seq))
      if (left.length >= limit || best.length < limit * oversampling) return left.slice(0, limit)
    }
    return search(limit, store.queries.reach(scope))
  }

  /** The hits of `bestOf`, lifted by what stands beside them where that is above `usual`. */
  const withNeighbours = (
    hits: readonly VectorHit[],
    vector: Float32Array,
    usual: number,
    question: Question,
  ): readonly VectorHit[] => {
    if (!hasWindow) return hits
    return besideOthers(hits, {
      lowest: usual,
      places: (seqs) => store.queries.places(seqs, question.scope),
      similarities: (only) => store.vectors.search(vector, { limit: only.length, floor: -1, only }) ?? [],
    })
  }

  return {
    name: 'vector',
    weight: embedder.weight,
    async find(question) {
      const { text, signal } = question
      if (text.trim() === '') return nothing
      if (embedder.weight === 0) return nothing
      if (embedder.waiting !== undefined) {
        const why = degraded()
        return why === undefined ? nothing : { ...nothing, degraded: why }
      }
      const { provider, model } = embedder
      let vector: Float32Array
      try {
        vector = await questions.of(text, signal)
      } catch (error) {
        return { ...nothing, degraded: `vectors: ${toDaybookError(error).message}` }
      }
      if (store.vectors.fingerprint() !== fingerprintOf({ provider, model, dimensions: vector.length }))
        return { ...nothing, degraded: 'vectors: those of this model are not made yet.' }
      const spread = store.vectors.spread(vector)
      const { lowest, least, sure, full } = similarityScale(minSimilarity, spread)
      // A similarity that somebody named says what answers, not what is usual in this book.
      const usual = similarityScale(undefined, spread).lowest
      const hits = bestOf(vector, lowest, question)
      const candidates = withNeighbours(hits, vector, usual, question).map(({ seq, similarity }, i) => ({
        seq,
        rank: i + 1,
        strength: Math.max(0, Math.min(1, (similarity - lowest) / (full - lowest))),
        answers: similarity >= least,
        isWitness: embedder.besides !== true && similarity >= least,
        besides: embedder.besides === true || similarity < sure,
        because: { rank: i + 1, similarity },
      }))
      const missing = behind()
      return {
        candidates,
        found: candidates.length,
        ...(missing > 0 ? { degraded: `vectors: ${missing} records have none yet.` } : {}),
      }
    },
  }
}
