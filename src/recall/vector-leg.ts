// The leg of vectors: records whose text means what the question means, by cosine similarity, exact.
// Invariant: only what the scope lets it see is ranked, and only in one space: that of the question's own vector.
import { toDaybookError } from '../core/errors.ts'
import type { Embedder } from '../core/ports.ts'
import type { BookStore } from '../store/book-store.ts'
import type { ScopeQuery } from '../store/condition/recall-scope.ts'
import { fingerprintOf } from '../store/vector/vector-space.ts'
import type { VectorHit } from '../store/vector/vector-matrix.ts'
import type { QuestionVectors } from './embed/question-vector.ts'
import type { Leg, LegAnswer } from './leg.ts'

export interface VectorLegParts {
  readonly store: BookStore
  readonly embedder: Embedder
  readonly questions: QuestionVectors
  /** How many records have no vector yet, as far as is known without counting. */
  readonly behind: () => number
  /** What keeps vectors from being asked for, if anything. */
  readonly degraded: () => string | undefined
}

const nothing: LegAnswer<'vector'> = { candidates: [], found: 0 }
/** What is this share of the least similarity still lifts what another leg found. */
const liftShare = 0.5
/** A similarity this far above the least is a full answer: strength 1. */
const fullSpan = 0.5
/** As many times more than wanted are looked at, because the scope sorts some out; if too many, a mask decides. */
const oversampling = 2

/** strength = (similarity − least / 2) / (1/2 + least / 2), within 0 and 1. What is at least `minSimilarity` answers. */
export function createVectorLeg({
  store,
  embedder,
  questions,
  behind,
  degraded,
}: VectorLegParts): Leg<'vector'> {
  const { minSimilarity } = embedder
  const lowest = minSimilarity * (minSimilarity > 0 ? liftShare : 1)

  const bestOf = (vector: Float32Array, scope: ScopeQuery, limit: number): VectorHit[] => {
    const search = (wanted: number, only?: readonly number[]) =>
      store.vectors.search(vector, { limit: wanted, floor: lowest, only }) ?? []
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

  return {
    name: 'vector',
    weight: embedder.weight,
    async find({ text, scope, limit, signal }) {
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
      const candidates = bestOf(vector, scope, limit).map(({ seq, similarity }, i) => ({
        seq,
        rank: i + 1,
        strength: Math.max(0, Math.min(1, (similarity - lowest) / (fullSpan + minSimilarity - lowest))),
        answers: similarity >= minSimilarity,
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
