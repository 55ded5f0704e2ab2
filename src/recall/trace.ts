// The stages of one recall, for verbs that explain it.
import type { Want } from '../core/capability/port/recall-port.ts'
import type { LegCandidates, WeightedRecord } from './fuse.ts'
import type { Judged } from './judge.ts'
import type { Question } from './leg.ts'
import type { Noise } from './noise.ts'
import type { QuestionPart } from './reason.ts'

/** `reranked`, of a whole answer: also the records that only words of its best records find. */
export interface RecallTrace extends Judged<WeightedRecord> {
  /** The sort of the answer, and its most hits: as given, else the defaults. */
  readonly want: Want
  readonly limit: number
  readonly question: Question
  /** The words of the question as they are written, with the terms that were searched for them. */
  readonly parts: readonly QuestionPart[]
  /** The candidates of each leg. */
  readonly lists: readonly LegCandidates[]
  /** The fused records that are answers, best first; of a whole answer all candidates, if any is an answer. */
  readonly weighted: readonly WeightedRecord[]
  /** For each contradicted statement, by seq, the id of the last that contradicts it. */
  readonly later: ReadonlyMap<number, string>
  /** By seq: the records that say too little to answer. */
  readonly noise: ReadonlyMap<number, Noise>
  /** Of a whole answer: the least score of its records, by its best score alone. */
  readonly floor?: number
  /** Of a whole answer: the words of its best records that found more records. */
  readonly feedback?: readonly string[]
}
