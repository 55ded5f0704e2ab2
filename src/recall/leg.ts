// A leg of recall: one way to find candidates for a question. Full text is one, its windows and sessions are others,
// vectors are another; `fuse` makes one list of theirs. Law: a leg sees only what `question.scope` lets it see (it asks
// the store with it), its ranks count from 1, and `found` is how many it ranked, so that a dead leg is seen.
import type { AbortSignalLike } from '../core/abort.ts'
import type { LegReasons, Passage } from '../core/capability/port/recall-port.ts'
import type { ScopeQuery } from '../store/condition/recall-scope.ts'

export type LegName = keyof LegReasons

/** A question as every leg gets it. */
export interface Question {
  readonly text: string
  /** Words to look for, folded as the index folds them, without stop words. */
  readonly words: readonly string[]
  /** `all` when the question consists of stop words only: then it must be met whole. */
  readonly match: 'any' | 'all'
  readonly scope: ScopeQuery
  /** How many candidates a leg should bring at most; many more than are returned, because fusion reorders them. */
  readonly limit: number
  /** Whether nothing may be missed for speed. Default false. */
  readonly exact?: boolean | undefined
  readonly signal: AbortSignalLike
}

export interface LegCandidate<Name extends LegName = LegName> {
  readonly seq: number
  readonly rank: number
  /** How well it answers, 0 to 1, as this leg sees it: comparable between questions, for floors and scores. */
  readonly strength: number
  /** False: it may lift what another leg brings as an answer, but is none by itself. */
  readonly answers: boolean
  /** True: it sees the record by other means than the legs of words do, so that what both see is the surer for it. */
  readonly isWitness?: boolean
  /** True: it answers only where another leg has an answer to the question too. */
  readonly besides?: boolean
  readonly because: NonNullable<LegReasons[Name]>
  /** How much of the leg's weight its rank has here. Default 1. */
  readonly share?: number
  /** Where a long record answers best. */
  readonly passage?: Passage | undefined
  /** How far its answer may be hidden in the record after it, 0 to 1: a long one has words of its own to be found by. */
  readonly answerBeside?: number
}

export interface LegAnswer<Name extends LegName = LegName> {
  readonly candidates: readonly LegCandidate<Name>[]
  readonly found: number
  /** Why this leg could not do all it should, in words for a person. Absent when it did. */
  readonly degraded?: string
}

export interface Leg<Name extends LegName = LegName> {
  /** Its key in `because` and `legs`. */
  readonly name: Name
  /** Its share in the fusion, beside 1 for full text. */
  readonly weight: number
  /** Answers in time whatever happens: what it waits for has a deadline, and what fails is `degraded`, not thrown. */
  find(question: Question): LegAnswer<Name> | Promise<LegAnswer<Name>>
}
