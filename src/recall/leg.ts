// The port of a leg: one way to find candidates for a question, by full text, windows, sessions, names or vectors.
// `fuse` joins their lists.
// Invariant: a leg ranks only records within `question.scope`, which is part of its query of the store; ranks begin
// at 1; `found` is the number of ranked records, which shows a leg that finds nothing.
import type { AbortSignalLike } from '../core/abort.ts'
import type { LegReasons, Passage, RecallResult } from '../core/capability/port/recall-port.ts'
import type { ScopeQuery } from '../store/condition/recall-scope.ts'
import type { QuestionDates } from './question-date.ts'

export type LegName = keyof LegReasons

/** The finding of a leg without words: recall adds those of returned hits (reason.ts). */
export type LegFinding<Name extends LegName> = Name extends LegName
  ? Omit<NonNullable<LegReasons[Name]>, 'words' | 'matches' | 'corrections'>
  : never

/** A word of the question, folded, that another word was searched for. */
export interface Respelled {
  readonly word: string
  /** True: the word is misspelt. False: it is the beginning of the searched word. */
  readonly isMisspelt: boolean
}

export interface Question {
  readonly text: string
  /** Words to find, folded as in the index, without stop words. */
  readonly words: readonly string[]
  /** `all` for a question of stop words only: a match has all of the words. */
  readonly match: 'any' | 'all'
  /** Dates of the question, and numbers that are no date. Default: none. */
  readonly dates?: QuestionDates | undefined
  readonly scope: ScopeQuery
  /** Most candidates of a leg; many more than are returned, because fusion reorders them. */
  readonly limit: number
  /** True: no approximation for speed. Default: false. */
  readonly exact?: boolean | undefined
  readonly signal: AbortSignalLike
}

export interface LoneCandidate {
  readonly strength: number
  readonly isAnswer: boolean
  /** A closer look at the record, which costs more than the leg. True: the record is an answer. */
  readonly agrees?: () => boolean
}

export interface LegCandidate<Name extends LegName = LegName> {
  readonly seq: number
  readonly rank: number
  /** How well the record answers, 0 to 1: comparable between questions, for floors and scores. */
  readonly strength: number
  /**
   * True: the record is an answer. False: the candidate only raises the score of a record that another leg has as an
   * answer.
   */
  readonly isAnswer: boolean
  /** True: the leg is independent of the legs of words, so that agreement adds certainty. Default: false. */
  readonly isWitness?: boolean
  /** How the candidate counts if no other leg has an answer. Absent: as otherwise. */
  readonly alone?: LoneCandidate
  readonly because: LegFinding<Name>
  /** The terms of the question that the candidate matches. Called for few candidates only. */
  readonly matchedTerms?: () => readonly string[]
  /** The candidate's share of the leg's weight. Default: 1. */
  readonly share?: number
  /** The best passage of a long record. */
  readonly passage?: Passage | undefined
  /** True: a long record with a passage that has nearly all of the question. It ranks no lower than without vectors. */
  readonly coversAlone?: boolean
  /**
   * For a record that is a question: how much its answer may be in the next record, 0 to 1. Less for a long next
   * record, which is found by its own words.
   */
  readonly answerInNextShare?: number
}

export interface LegResult<Name extends LegName = LegName> {
  readonly candidates: readonly LegCandidate<Name>[]
  readonly found: number
  /** Searched terms that are no words of the question, each with the word that it replaces. */
  readonly respelled?: ReadonlyMap<string, Respelled>
  /** The searched terms, and the number of indexed records: see `RecallResult`. */
  readonly wordCounts?: Pick<RecallResult, 'words' | 'indexed'>
  /** True for a record that the leg can find at all. The others are ranked without the leg. Default: all. */
  readonly canFind?: (seq: number) => boolean
  /** True for a record that the leg can't find yet, such as a new one: it ranks no lower than without the leg. */
  readonly isComing?: (seq: number) => boolean
  /** Why the answer is incomplete, as text for a person. Absent if the answer is complete. */
  readonly degraded?: string
}

export interface Leg<Name extends LegName = LegName> {
  /** The leg's key in `because` and `legs`. */
  readonly name: Name
  /** The leg's weight in the fusion; full text has 1. */
  readonly weight: number
  /** Always answers in time: waiting has a deadline, and a failure is reported as `degraded`, not thrown. */
  find(question: Question): LegResult<Name> | Promise<LegResult<Name>>
}
