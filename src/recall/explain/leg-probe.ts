// The true place of one record in each leg, also beyond the candidates of a recall.
// Invariant: the code of the legs ranks it. Only their limit is lifted for this record; recall does not change.
import { isEmbeddable } from '../../core/kind.ts'
import { loneScale, similarityScale } from '../embed/similarity-scale.ts'
import type { LegCandidate, LegName, Question } from '../leg.ts'
import { noParts } from '../part.ts'
import { createEvidenceReader, type TextEvidence } from '../text-evidence.ts'
import { createTextLegs, measuredShareOf, minCoverageFor } from '../text-leg.ts'
import type { RecallTrace } from '../trace.ts'
import type { RecallParts } from './recall-parts.ts'
import type { FoundRecord } from './record-state.ts'

export interface TextSight {
  /** The place among all records with a word of the question; undefined without such a word. */
  readonly rank: number | undefined
  /** The candidates of the legs, with this record whatever its rank. */
  readonly candidates: ReadonlyMap<LegName, LegCandidate>
  /** Undefined if no record has a word of the question. */
  readonly evidence: TextEvidence | undefined
  /** The least coverage of an answer by its own words. */
  readonly needed: number | undefined
}

/** Runs the legs of words again, for the place of one record. */
export async function probeText(
  { seen, withoutParts = noParts }: Pick<RecallParts, 'seen' | 'withoutParts'>,
  question: Question,
  seq: number,
): Promise<TextSight> {
  let rank: number | undefined
  const queries: typeof seen.queries = {
    ...seen.queries,
    candidates(query) {
      const all = seen.queries.candidates({ ...query, limit: Math.max(1, seen.queries.indexedCount()) })
      const place = all.findIndex((one) => one.seq === seq)
      const own = all[place]
      rank = own?.rank
      const first = all.slice(0, question.limit)
      return own && place >= question.limit ? [...first, own] : first
    },
  }
  const store = { kinds: seen.kinds, queries }
  // Windows rank every record: their neighbours are more than the candidates.
  const probe: Question = { ...question, limit: Number.MAX_SAFE_INTEGER }
  const candidates = new Map<LegName, LegCandidate>()
  for (const leg of withoutParts.has('words') ? [] : createTextLegs(store, withoutParts)) {
    const found = (await leg.find(probe)).candidates.find((one) => one.seq === seq)
    if (found) candidates.set(leg.name, found)
  }
  const evidence = createEvidenceReader(store, withoutParts)(probe)
  const text = candidates.get('text') as LegCandidate<'text'> | undefined
  return {
    rank,
    candidates,
    evidence,
    needed: evidence && text && neededCoverage(evidence, text.matchedTerms?.() ?? []),
  }
}

/** The least coverage of an answer that has the terms `own`. */
function neededCoverage(
  { coverageWeights, usesBestWordsOnly, terms }: TextEvidence,
  own: readonly string[],
): number {
  const total = coverageWeights.reduce((sum, weight) => sum + weight, 0)
  return minCoverageFor(own, terms.length, measuredShareOf(coverageWeights, usesBestWordsOnly, total))
}

export interface VectorSight {
  /** Why no similarity is known. */
  readonly missing?: string
  /** False: the record never gets a vector. Default: true. */
  readonly isComing?: boolean
  readonly similarity?: number
  /** The place among all records in the scope, by the own similarity alone. */
  readonly rank?: number
  /**
   * The least similarity of a candidate, of an answer if full text answers too, and of an answer without full text.
   * `aloneFrom` is absent for an embedder that never answers alone.
   */
  readonly boostFrom?: number
  readonly matchFrom?: number
  readonly aloneFrom?: number | undefined
}

/** The similarity of one record; undefined for a caller without vectors. */
export async function probeVector(
  { seen, embedding, query, signal }: RecallParts,
  { row, record }: FoundRecord,
): Promise<VectorSight | undefined> {
  if (!embedding) return undefined
  const kind = seen.kinds.get(row.kind)
  if (kind && !isEmbeddable(kind, record)) return never('No text of this record goes to an embedder.')
  if (row.kid !== null)
    return never('The record is sealed, and no text of a sealed record goes to an embedder: words find it.')
  if (query.text.trim() === '') return never('The question has no text, so it has no vector.')
  const { embedder, vectors } = embedding
  if (embedder.isOwnLanguage?.(query.text) === false)
    return never('The embedder does not know the language of the question: words find records.')
  const embedded = await embedding.embedQuestion(query.text, signal)
  if (!embedded) {
    const { waiting, loading } = embedder
    const missing = `The embedder does not answer: ${waiting ?? embedding.degradedReason() ?? 'it is too slow.'}`
    // Without a load, it waits for something that time does not bring: another option, or more records.
    return waiting !== undefined && !loading ? never(missing) : { missing }
  }
  if (vectors.fingerprint() !== embedded.space)
    return { missing: 'The vectors of this embedder are not made yet.' }
  const own = vectors.search(embedded.vector, { limit: 1, minSimilarity: -1, onlySeqs: [row.seq] })?.[0]
  if (!embedded.vector.some((number) => number !== 0))
    return never('The embedder knows too little of the question, so the question has no vector.')
  if (!own) {
    const why = vectors.lackOf(row.seq) ?? 'coming'
    return why === 'coming' ? { missing: lacks.coming } : never(lacks[why])
  }
  const { similarity } = own
  const better = vectors.search(embedded.vector, {
    limit: Math.max(1, seen.queries.indexedCount()),
    minSimilarity: similarity,
    exact: true,
  })
  const betterSeqs = (better ?? []).filter((one) => one.similarity > similarity).map(({ seq }) => seq)
  const { kinds, agent, session, resource, filters, at } = query
  const inScope = seen.queries.matching(betterSeqs, { kinds, agent, session, resource, filters, at })
  const answersAlone = embedder.needsOtherAnswer !== true && embedder.knows?.(query.text) !== false
  const scale = similarityScale(embedder.minSimilarity, vectors.similarityDistribution(embedded.vector))
  return {
    similarity,
    rank: inScope.size + 1,
    ...scale,
    aloneFrom: answersAlone ? loneScale(scale, embedder).aloneFrom : undefined,
  }
}

/** A vector that waiting does not bring. */
const never = (missing: string): VectorSight => ({ missing, isComing: false })

const lacks = {
  coming: 'Its vector is not made yet: vectors follow the writes.',
  blank: 'The embedder knows too little of the text of this record, or it has none: only words find it.',
  refused: 'The embedder refused the text of this record: only words find it.',
  overflow: 'The vectors of the book do not fit into memory, and that of this record is not searched.',
} as const

/** The candidate of one record in a leg of a recall; undefined if the leg did not bring it. */
export const candidateIn = (
  { lists }: Pick<RecallTrace, 'lists'>,
  leg: LegName,
  seq: number,
): LegCandidate | undefined =>
  lists.find(({ name }) => name === leg)?.candidates.find((one) => one.seq === seq)
