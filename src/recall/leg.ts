// The port of a leg: one way to find candidates for a question, by full text, windows, sessions, names or vectors.
// `fuse` joins their lists. Law: a leg ranks only records within `question.scope` (it queries the store with it),
// ranks begin at 1, and `found` is how many it ranked, so that a dead leg is noticed.
import type { AbortSignalLike } from '../core/abort.ts'
import type { LegReasons, Passage } from '../core/capability/port/recall-port.ts'
import type { ScopeQuery } from '../store/condition/recall-scope.ts'

export type LegName = keyof LegReasons

export interface Question {
  readonly text: string
  /** Words to find, folded as in the index, without stop words. */
  readonly words: readonly string[]
  /** `all` for a question of stop words only: a match has all of them. */
  readonly match: 'any' | 'all'
  readonly scope: ScopeQuery
  /** Most candidates of a leg; many more than are returned, because fusion reorders them. */
  readonly limit: number
  /** No approximation for speed. Default false. */
  readonly exact?: boolean | undefined
  readonly signal: AbortSignalLike
}

export interface LegCandidate<Name extends LegName = LegName> {
  readonly seq: number
  readonly rank: number
  /** How well it answers, 0 to 1: comparable between questions, for floors and scores. */
  readonly strength: number
  /** False: it may lift an answer of another leg, but isn't one by itself. */
  readonly answers: boolean
  /** True: independent of the legs of words, so that agreement adds certainty. */
  readonly isWitness?: boolean
  /** True: it answers only where another leg has an answer too. */
  readonly besides?: boolean
  readonly because: NonNullable<LegReasons[Name]>
  /** Its share of the leg's weight. Default 1. */
  readonly share?: number
  /** The best passage of a long record. */
  readonly passage?: Passage | undefined
  /** How far the next record may hide its answer, 0 to 1: a long one is found by its own words. */
  readonly answerBeside?: number
}

export interface LegAnswer<Name extends LegName = LegName> {
  readonly candidates: readonly LegCandidate<Name>[]
  readonly found: number
  /** Why the answer is incomplete, for a person. Absent when it isn't. */
  readonly degraded?: string
}

export interface Leg<Name extends LegName = LegName> {
  /** Its key in `because` and `legs`. */
  readonly name: Name
  /** Its weight in the fusion; full text has 1. */
  readonly weight: number
  /** Always answers in time: waiting has a deadline, and a failure is `degraded`, not thrown. */
  find(question: Question): LegAnswer<Name> | Promise<LegAnswer<Name>>
}
