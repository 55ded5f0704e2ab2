// The recall port: questions, hits and their reasons, and the models of the book.
import type { ActivityNote } from '../activity.ts'
import type { Confirmed } from '../../kind.ts'
import type { JsonObject } from '../../json/path.ts'
import type { Llm } from '../../ports.ts'
import type { Stored } from '../../record.ts'

/**
 * The sort of an answer. `best`: the best hits, best first. The others are whole answers: `all` that answers, `order`
 * in time, or the records of a `summary`.
 */
export const wants = ['best', 'all', 'order', 'summary'] as const
export type Want = (typeof wants)[number]

export interface RecallQuery {
  readonly text: string
  /** Default: chosen by the words of the question. */
  readonly want?: Want | undefined
  readonly kinds?: readonly string[] | undefined
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly resource?: string | undefined
  readonly filters?: unknown | undefined
  /** Default: `usualLimits`. */
  readonly limit?: number | undefined
  /** Recall as the world was at this time: later records are excluded, and recency counts from it. */
  readonly at?: string | undefined
  /** Recall as the book knew at this time. Without `at`: as the world was then, too. */
  readonly knownAt?: string | undefined
  /** True (default): returns only the best of nearly equal records. */
  readonly distinct?: boolean | undefined
  /** How much hits must differ from each other, 0 (default) to 1: maximal marginal relevance. */
  readonly diversity?: number | undefined
  /** Excludes hits with a lower score, 0 to 1. */
  readonly minScore?: number | undefined
  /** `sharp`: only hits before the largest drop in score, if that drop is at least a fifth of the best score. */
  readonly cut?: 'none' | 'sharp' | undefined
  /** True: compares every vector even beyond 131,072, so that no vector is missed. Slower. */
  readonly exact?: boolean | undefined
}

/** A vector of length 1 or less, with its space: `provider|model|dimensions|normalised`. */
export interface SpaceVector {
  readonly space: string
  readonly vector: Float32Array
}

/** A word of the question and the word of the record that it matches, each as it is written. */
export interface WordMatch {
  readonly question: string
  readonly record: string
}

/**
 * Why each recall leg found the hit. `rank`: place in that leg, from 1; beside it, the leg's measure. `words`: the
 * words of the question that the leg matched, as they are written there. Absent: the leg didn't find the hit.
 */
export interface LegReasons {
  /** Vectors. `similarity`: cosine with the question, −1 to 1. */
  readonly vector?: { readonly rank: number; readonly similarity: number } | undefined
  /** Full text. `coverage`: share of the question's word weights that the record contains, 0 to 1. */
  readonly text?:
    | {
        readonly rank: number
        readonly bm25: number
        readonly coverage: number
        readonly words: string[]
        /** Each word of the question with the first word of the record that matches it, in the passage if it has one. */
        readonly matches: WordMatch[]
        /** Misspelt words of the question, each with the word of the record that it was taken for. */
        readonly corrections?: Readonly<Record<string, string>> | undefined
      }
    | undefined
  /** Full text over the record and its neighbours in the session. */
  readonly window?:
    | { readonly rank: number; readonly bm25: number; readonly coverage: number; readonly words: string[] }
    | undefined
  /** A name of the record. The question contains the whole name. */
  readonly name?: { readonly rank: number; readonly name: string } | undefined
  /** Its whole session: sums the best record for each word. All records of a session share a rank. */
  readonly session?: { readonly rank: number; readonly score: number; readonly words: string[] } | undefined
}

/** A range in a long text of a record: UTF-16 offsets in the text at `path`, `from` inclusive, `to` exclusive. */
export interface Passage {
  readonly path: string
  readonly from: number
  readonly to: number
}

/** Factors that weigh a hit besides its ranks, each 0 to 1. docs/find.md has the formulas. */
export interface Factors {
  /** 1 now, 0.5 after 30 days. */
  readonly recency: number
  /** Importance of the record; default 0.5. */
  readonly importance: number
  /** Confidence of the record; default 1. */
  readonly confidence: number
  /** 0 if never used on this device, 0.5 after five uses. */
  readonly use: number
  /** 1 if pinned, else 0. */
  readonly pin: number
}

/** Reasons for the place of a hit: those of the legs, and the factors. */
export interface Because extends LegReasons, Factors {
  /** The day of the record, `YYYY-MM-DD` in the zone of the book, and the words of the question that match it. */
  readonly date?: { readonly day: string; readonly words: string[] } | undefined
  /** The id of a later statement of the same person that contradicts the record, which is therefore below it. */
  readonly later?: string | undefined
  /** Ids of the records that were folded into this hit, because they state the same fact; they may be of other kinds. */
  readonly also?: string[] | undefined
  /** The passage of a long record that answers best. */
  readonly passage?: Passage | undefined
  /** Votes and version, for a record that agents confirmed by vote. */
  readonly pool?: Confirmed | undefined
}

/** The text of a record for a prompt. */
export interface Quote {
  /** The texts that the kind declares, in order. */
  readonly text: string
  /** Range of the answering passage in `text`: UTF-16 offsets. Absent without a passage. */
  readonly focus?: { readonly from: number; readonly to: number } | undefined
  /** Time of the event, canonical UTC text. */
  readonly happenedAt: string
  /** Votes and version, for a record that agents confirmed by vote. */
  readonly pool?: Confirmed | undefined
}

export interface RecallHit {
  readonly record: Stored<JsonObject>
  /** 0 to 1, higher is better. */
  readonly score: number
  /** Of a whole answer: when the record happened, canonical UTC text. */
  readonly happenedAt?: string | undefined
  readonly because: Because
}

/** A word of the question as written there, and how many of the caller's records have it. */
export interface WordCount {
  readonly word: string
  readonly records: number
}

export interface RecallResult {
  readonly hits: RecallHit[]
  /** The words of the question, in order, by which the scores of several books become comparable. */
  readonly words: WordCount[]
  /** Number of records in the index that the caller can read; 0 when no record has a word of the question. */
  readonly indexed: number
  /** The sort of this answer: as the query says, else as its words say. */
  readonly want: Want
  /**
   * Of a whole answer: the returned share of what answers, by weight (score), 0 to 1. An estimate: all that recall
   * found above its floor counts as an answer.
   */
  readonly complete?: number | undefined
  /** Number of candidates of each leg. 0 reveals a leg that doesn't work. */
  readonly legs: Readonly<Record<string, number>>
  /** Describes parts of recall that did not work; empty if all worked. */
  readonly degraded: string[]
  /** Duration in the engine, in milliseconds. */
  readonly durationMs: number
  /** Number of matching sealed records that recall could not read. Absent: none. */
  readonly sealed?: number | undefined
}

/** Maximum of `limit`. */
export const hitLimit = 200
/** `limit` of a query without one. */
export const usualLimits = { best: 10, whole: 40 } as const

/** Recall, and the models of the book. */
export interface RecallPort {
  ask(query: RecallQuery): Promise<RecallResult>
  /**
   * The parts of recall and `query` as `ask` takes it, for `recall.explain`. Only `src/recall/explain` knows their type
   * (`RecallParts`), because core can't name a store.
   */
  parts(query: RecallQuery): object
  /** Sets the note that the activity of this device stores after the call. A second note replaces the first. */
  note(note: ActivityNote): void
  /** Returns the text of a record for a prompt. */
  quote(record: Stored<JsonObject>, passage?: Passage): Quote
  /** False if recall returns no record in this state, such as an archived memory. */
  isRecalled(record: Stored<JsonObject>): boolean
  /** Returns the vector of a question. Undefined for guests, without an embedder, or if the embedder is too slow. */
  questionVector(text: string): Promise<SpaceVector | undefined>
  /** Returns vectors from the book's embedder. Throws `embedder-off` without one. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>
  /** Language model of the book. Undefined without one. Calls of guests never use it. */
  readonly llm: Llm | undefined
}
