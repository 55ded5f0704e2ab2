// The vector leg: records with a similar meaning, by cosine similarity, together with their neighbours in the
// session: a turn often depends on words of the previous turn.
// Invariant: the leg ranks records within the scope only, in the space of the question's vector; a neighbour raises a
// record only with a similarity above chance.
import { defined } from '../core/defined.ts'
import { toDaybookError } from '../core/errors.ts'
import { readPath } from '../core/json/path.ts'
import { collectText, whenField } from '../core/kind.ts'
import type { Embedder } from '../core/ports.ts'
import type { BookStore } from '../store/book-store.ts'
import type { SessionNeighbours } from '../store/query/evidence.ts'
import type { VectorHit } from '../store/vector/vector-matrix.ts'
import { fingerprintOf } from '../store/vector/vector-space.ts'
import type { QuestionVectors } from './embed/question-vector.ts'
import { loneScale, similarityScale, type SimilarityScale } from './embed/similarity-scale.ts'
import type { Leg, LegCandidate, LegResult, Question } from './leg.ts'
import { type RecallPartSet, noParts } from './part.ts'

export interface VectorLegDeps {
  readonly store: BookStore
  readonly embedder: Embedder
  readonly questions: Pick<QuestionVectors, 'vectorOf'>
  /**
   * Reads stored vectors and embeds new records, as far as that is quick. While some are left, other work of this thread has
   * a turn.
   */
  readonly catchUp: () => Promise<void> | undefined
  /** Why recall lacks vectors of some records; undefined if it lacks none. */
  readonly lack: () => string | undefined
  /** Why the embedder can't be used; undefined if it can. */
  readonly degradedReason: () => string | undefined
  readonly withoutParts?: RecallPartSet | undefined
}

const noHits: LegResult<'vector'> = { candidates: [], found: 0 }
/**
 * Search for more than the limit, because the scope removes hits: first a little more, then twice as many. If it removes
 * too many, search only in scope.
 */
const oversampling = [1.2, 2] as const

/** A record that agrees word by word answers alone, if its similarity and its agreement add up to this. */
const agreesFrom = 0.72
/** Only so many of the best hits are compared word by word. */
const maxComparedHits = 10

/** (similarity − boostFrom) / (fullStrengthAt − boostFrom), within 0 and 1. */
const strengthOf = (similarity: number, { boostFrom, fullStrengthAt }: SimilarityScale): number =>
  Math.max(0, Math.min(1, (similarity - boostFrom) / (fullStrengthAt - boostFrom)))

/**
 * A record answers with a similarity of at least `matchFrom` if full text has an answer too, else with at least `aloneFrom`
 * or if it agrees.
 */
export function createVectorLeg(deps: VectorLegDeps): Leg<'vector'> {
  const { store, embedder, questions, catchUp, lack, degradedReason } = deps
  const { minSimilarity, needsOtherAnswer = false } = embedder
  return {
    name: 'vector',
    weight: embedder.weight,
    async find(question) {
      if (question.text.trim() === '' || embedder.weight === 0) return noHits
      if (embedder.waiting !== undefined) {
        await catchUp()
        const why = degradedReason()
        return why === undefined ? noHits : { ...noHits, degraded: why }
      }
      const { provider, model } = embedder
      let vector: Float32Array
      try {
        vector = await questions.vectorOf(question.text, question.signal)
      } catch (error) {
        await catchUp()
        return { ...noHits, degraded: `vectors: ${toDaybookError(error).message}` }
      }
      await catchUp()
      // Its table is loaded now. Another language would find texts of that language, whatever they say.
      if (embedder.isOwnLanguage?.(question.text) === false) return noHits
      if (store.vectors.fingerprint() !== fingerprintOf({ provider, model, dimensions: vector.length }))
        return { ...noHits, degraded: 'vectors: those of this model are not made yet.' }
      const answersAlone = !needsOtherAnswer && embedder.knows?.(question.text) !== false
      const distribution = store.vectors.similarityDistribution(vector)
      const scale = similarityScale(minSimilarity, distribution)
      const lone = loneScale(scale, embedder)
      // `minSimilarity` decides which records answer, not which similarity is above chance in this book.
      const neighbourFrom = similarityScale(undefined, distribution).boostFrom
      const best = bestHits(store, vector, Math.min(scale.boostFrom, lone.boostFrom), question)
      const similar = best.filter(({ similarity }) => similarity >= scale.boostFrom)
      const hits = raiseByNeighbours(deps, similar, { vector, neighbourFrom, question })
      const related = new Set(hits.map(({ seq }) => seq))
      const loneHits = best.filter(({ seq }) => !related.has(seq))
      const candidates = [...hits, ...loneHits].map(({ seq, similarity }, i): LegCandidate<'vector'> => ({
        seq,
        rank: i + 1,
        strength: related.has(seq) ? strengthOf(similarity, scale) : 0,
        share: related.has(seq) ? 1 : 0,
        isAnswer: related.has(seq) && similarity >= scale.matchFrom,
        isWitness: !needsOtherAnswer && similarity >= scale.matchFrom,
        alone: {
          strength: strengthOf(similarity, lone),
          isAnswer: answersAlone && similarity >= lone.aloneFrom,
          ...(i < maxComparedHits && embedder.agreement && similarity >= lone.matchFrom
            ? { agrees: () => similarity + agreementOf(deps, seq, question.text) >= agreesFrom }
            : {}),
        },
        because: { rank: i + 1, similarity },
      }))
      return {
        candidates,
        found: hits.length,
        canFind: (seq) => store.vectors.has(seq),
        isComing: (seq) => store.vectors.isComing(seq),
        ...defined({ degraded: lack() }),
      }
    },
  }
}

/** How well a record has the content words of the question; 0 without an answer of the embedder. */
function agreementOf({ store, embedder }: VectorLegDeps, seq: number, question: string): number {
  const record = store.queries.read([seq]).get(seq)
  const kind = record && store.kinds.get(record.kind)
  if (!kind) return 0
  const paths = kind.text.filter((path) => path !== whenField)
  const text = paths.map((path) => collectText(readPath(record, path)).join(' ')).join('\n')
  return embedder.agreement?.(question, text) ?? 0
}

function bestHits(
  store: BookStore,
  vector: Float32Array,
  minSimilarity: number,
  { scope, limit, exact }: Question,
): readonly VectorHit[] {
  const search = (wanted: number, onlySeqs?: readonly number[]) =>
    store.vectors.search(vector, { limit: wanted, minSimilarity, onlySeqs, exact }) ?? []
  const { session, resource, filters } = scope
  // A narrow scope removes most hits: search only within it.
  const isNarrow = [session, resource, filters].some((one) => one !== undefined)
  for (const factor of isNarrow ? [] : oversampling) {
    const wanted = limit * factor
    const best = search(wanted)
    const visible = store.queries.matching(
      best.map(({ seq }) => seq),
      scope,
    )
    const hits = best.filter(({ seq }) => visible.has(seq))
    if (hits.length >= limit || best.length < wanted) return hits.slice(0, limit)
  }
  return search(limit, store.queries.seqsInScope(scope))
}

/** The hits and neighbours in a new order: a neighbour with a similarity above `neighbourFrom` raises a record. */
function raiseByNeighbours(
  { store, embedder, withoutParts = noParts }: VectorLegDeps,
  hits: readonly VectorHit[],
  { vector, neighbourFrom, question }: { vector: Float32Array; neighbourFrom: number; question: Question },
): readonly VectorHit[] {
  // Vectors made from the words of the book say no more about neighbours than windows of words do.
  if (embedder.needsOtherAnswer === true || withoutParts.has('beside')) return hits
  return rankWithNeighbours(hits, {
    neighbourFrom,
    neighbours: (seqs) => store.queries.neighbours(seqs, question.scope),
    similarities: (onlySeqs) =>
      store.vectors.search(vector, { limit: onlySeqs.length, minSimilarity: -1, onlySeqs }) ?? [],
  })
}

export interface VectorWindow {
  /** Above this similarity, a record is more similar than most records. */
  readonly neighbourFrom: number
  /** Places of records in their sessions. */
  neighbours(seqs: readonly number[]): ReadonlyMap<number, SessionNeighbours>
  /** Similarities of records, also the lowest. */
  similarities(seqs: readonly number[]): readonly VectorHit[]
}

/** Weights of the previous and the next record: an answer follows its question. */
const neighbourWeights = { before: 0.4, after: 0.2 } as const
/** Neighbours of this many best hits are added, whatever their similarity. */
const maxHitsWithNeighbours = 20

/**
 * The hits and the neighbours of the best hits, by their similarity plus `neighbourWeights` × (similarity of the previous
 * or the next record − `neighbourFrom`), each difference at least 0. Ties keep their order.
 */
export function rankWithNeighbours(hits: readonly VectorHit[], window: VectorWindow): VectorHit[] {
  const neighboursBySeq = new Map(window.neighbours(hits.map(({ seq }) => seq)))
  const neighbourHits = findNeighbourHits(hits, neighboursBySeq, window)
  for (const [seq, place] of neighbourHits.length > 0
    ? window.neighbours(neighbourHits.map(({ seq }) => seq))
    : [])
    neighboursBySeq.set(seq, place)
  const all = [...hits, ...neighbourHits]
  const similarities = new Map(all.map(({ seq, similarity }) => [seq, similarity]))
  const boostOf = (seq = -1) =>
    Math.max(0, (similarities.get(seq) ?? window.neighbourFrom) - window.neighbourFrom)
  const sumOf = ({ seq, similarity }: VectorHit) => {
    const { before, after } = neighboursBySeq.get(seq) ?? {}
    return similarity + neighbourWeights.before * boostOf(before) + neighbourWeights.after * boostOf(after)
  }
  return all
    .map((hit) => ({ hit, sum: sumOf(hit) }))
    .sort((a, b) => b.sum - a.sum)
    .map(({ hit }) => hit)
}

/** Neighbours of the best hits that are not among the hits. */
function findNeighbourHits(
  hits: readonly VectorHit[],
  placed: ReadonlyMap<number, SessionNeighbours>,
  { similarities }: VectorWindow,
): readonly VectorHit[] {
  const found = new Set(hits.map(({ seq }) => seq))
  const around = new Set<number>()
  for (const { seq } of hits.slice(0, maxHitsWithNeighbours))
    for (const other of [placed.get(seq)?.before, placed.get(seq)?.after])
      if (other !== undefined && !found.has(other)) around.add(other)
  return around.size > 0 ? similarities([...around]) : []
}
