// The vector leg: records with a similar meaning, by cosine similarity, together with their neighbours in the
// session: a turn often depends on words of the previous turn.
// Invariant: the leg ranks records within the scope only, in the space of the question's vector; a neighbour raises a
// record only with a similarity above chance.
import { toDaybookError } from '../core/errors.ts'
import type { Embedder } from '../core/ports.ts'
import type { BookStore } from '../store/book-store.ts'
import type { SessionPlace } from '../store/query/evidence.ts'
import type { VectorHit } from '../store/vector/vector-matrix.ts'
import { fingerprintOf } from '../store/vector/vector-space.ts'
import type { QuestionVectors } from './embed/question-vector.ts'
import { similarityScale } from './embed/similarity-scale.ts'
import type { Leg, LegAnswer, Question } from './leg.ts'
import { type Without, withoutNone } from './part.ts'

export interface VectorLegParts {
  readonly store: BookStore
  readonly embedder: Embedder
  readonly questions: QuestionVectors
  /** Number of records without a vector, as far as it is known without counting. */
  readonly behind: () => number
  /** Why the embedder can't be used; undefined if it can. */
  readonly degraded: () => string | undefined
  readonly without?: Without | undefined
}

const nothing: LegAnswer<'vector'> = { candidates: [], found: 0 }
/**
 * Search for this many times the limit, because the scope removes hits. If it removes too many, search only in scope.
 */
const oversampling = 2

/**
 * strength = (similarity − lowest) / (full − lowest), within 0 and 1. A record answers with a similarity of at least
 * `least` if full text has an answer too, else with at least `sure`.
 */
export function createVectorLeg(parts: VectorLegParts): Leg<'vector'> {
  const { store, embedder, questions, behind, degraded } = parts
  const { minSimilarity, besides = false } = embedder
  return {
    name: 'vector',
    weight: embedder.weight,
    async find(question) {
      if (question.text.trim() === '' || embedder.weight === 0) return nothing
      if (embedder.waiting !== undefined) {
        const why = degraded()
        return why === undefined ? nothing : { ...nothing, degraded: why }
      }
      const { provider, model } = embedder
      let vector: Float32Array
      try {
        vector = await questions.of(question.text, question.signal)
      } catch (error) {
        return { ...nothing, degraded: `vectors: ${toDaybookError(error).message}` }
      }
      if (store.vectors.fingerprint() !== fingerprintOf({ provider, model, dimensions: vector.length }))
        return { ...nothing, degraded: 'vectors: those of this model are not made yet.' }
      const spread = store.vectors.spread(vector)
      const { lowest, least, sure, full } = similarityScale(minSimilarity, spread)
      // `minSimilarity` decides which records answer, not which similarity is usual in this book.
      const usual = similarityScale(undefined, spread).lowest
      const hits = addNeighbours(parts, bestHits(store, vector, lowest, question), {
        vector,
        usual,
        question,
      })
      const candidates = hits.map(({ seq, similarity }, i) => ({
        seq,
        rank: i + 1,
        strength: Math.max(0, Math.min(1, (similarity - lowest) / (full - lowest))),
        answers: similarity >= least,
        isWitness: !besides && similarity >= least,
        besides: besides || similarity < sure,
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

function bestHits(
  store: BookStore,
  vector: Float32Array,
  lowest: number,
  { scope, limit, exact }: Question,
): readonly VectorHit[] {
  const search = (wanted: number, only?: readonly number[]) =>
    store.vectors.search(vector, { limit: wanted, floor: lowest, only, exact }) ?? []
  const { session, resource, filters } = scope
  const isNarrow = [session, resource, filters].some((one) => one !== undefined)
  if (!isNarrow) {
    const best = search(limit * oversampling)
    const visible = store.queries.matching(
      best.map(({ seq }) => seq),
      scope,
    )
    const hits = best.filter(({ seq }) => visible.has(seq))
    if (hits.length >= limit || best.length < limit * oversampling) return hits.slice(0, limit)
  }
  return search(limit, store.queries.reach(scope))
}

/** The hits and neighbours in a new order: a neighbour with a similarity above `usual` raises a record. */
function addNeighbours(
  { store, embedder, without = withoutNone }: VectorLegParts,
  hits: readonly VectorHit[],
  { vector, usual, question }: { vector: Float32Array; usual: number; question: Question },
): readonly VectorHit[] {
  // Vectors made from the words of the book say no more about neighbours than windows of words do.
  if (embedder.besides === true || without.has('beside')) return hits
  return besideOthers(hits, {
    lowest: usual,
    places: (seqs) => store.queries.places(seqs, question.scope),
    similarities: (only) => store.vectors.search(vector, { limit: only.length, floor: -1, only }) ?? [],
  })
}

export interface VectorWindow {
  /** Above this similarity, a record is more similar than most records. */
  readonly lowest: number
  /** Places of records in their sessions. */
  places(seqs: readonly number[]): ReadonlyMap<number, SessionPlace>
  /** Similarities of records, without a floor. */
  similarities(seqs: readonly number[]): readonly VectorHit[]
}

/** Weights of the previous and the next record: an answer follows its question. */
const beside = { before: 0.4, after: 0.2 } as const
/** Neighbours of this many best hits are added, without a floor. */
const withNeighbours = 20

/**
 * The hits and the neighbours of the best hits, by similarity + 0.4 × (similarity of the previous record − `lowest`)
 * + 0.2 × (the same of the next record), each difference at least 0. Ties keep their order.
 */
export function besideOthers(hits: readonly VectorHit[], window: VectorWindow): VectorHit[] {
  const placed = new Map(window.places(hits.map(({ seq }) => seq)))
  const others = neighboursOf(hits, placed, window)
  for (const [seq, place] of others.length > 0 ? window.places(others.map(({ seq }) => seq)) : [])
    placed.set(seq, place)
  const all = [...hits, ...others]
  const similarities = new Map(all.map(({ seq, similarity }) => [seq, similarity]))
  const lift = (seq = -1) => Math.max(0, (similarities.get(seq) ?? window.lowest) - window.lowest)
  const sumOf = ({ seq, similarity }: VectorHit) => {
    const { before, after } = placed.get(seq) ?? {}
    return similarity + beside.before * lift(before) + beside.after * lift(after)
  }
  return all
    .map((hit) => ({ hit, sum: sumOf(hit) }))
    .sort((a, b) => b.sum - a.sum)
    .map(({ hit }) => hit)
}

/** Neighbours of the best hits that are not among the hits. */
function neighboursOf(
  hits: readonly VectorHit[],
  placed: ReadonlyMap<number, SessionPlace>,
  { similarities }: VectorWindow,
): readonly VectorHit[] {
  const found = new Set(hits.map(({ seq }) => seq))
  const around = new Set<number>()
  for (const { seq } of hits.slice(0, withNeighbours))
    for (const other of [placed.get(seq)?.before, placed.get(seq)?.after])
      if (other !== undefined && !found.has(other)) around.add(other)
  return around.size > 0 ? similarities([...around]) : []
}
