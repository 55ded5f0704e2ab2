// The recall port: questions, hits and their reasons, and the models of the book.
import type { ActivityNote } from '../activity.ts'
import type { Confirmed } from '../../kind.ts'
import type { JsonObject } from '../../json/path.ts'
import type { Llm } from '../../ports.ts'
import type { Stored } from '../../record.ts'

export interface RecallQuery {
  readonly text: string
  readonly kinds?: readonly string[] | undefined
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly resource?: string | undefined
  readonly filters?: unknown | undefined
  readonly limit?: number | undefined
  /** Recall as of this instant: later records are invisible, and recency is measured from it. */
  readonly at?: string | undefined
  /** Of nearly equal records, return only the best. Default true. */
  readonly distinct?: boolean | undefined
  /** How much hits should differ from each other, 0 (default) to 1: maximal marginal relevance. */
  readonly diversity?: number | undefined
  /** Skip hits with a lower score (0 to 1). */
  readonly minScore?: number | undefined
  /** `sharp`: only hits before the largest drop in score, if it is at least a fifth of the best score. Default `none`. */
  readonly cut?: 'none' | 'sharp' | undefined
  /** Compare the question with every vector even beyond 131,072: slower, but misses nothing. */
  readonly exact?: boolean | undefined
}

/** A vector of length 1 or less, with its space: `provider|model|dimensions|normalised`. */
export interface SpaceVector {
  readonly space: string
  readonly vector: Float32Array
}

/**
 * Reason of each recall leg for a hit, by the leg's name: the rank there, from 1, and the measure it ranks by. Absent if
 * the leg didn't find the hit. A new leg adds its own entry.
 */
export interface LegReasons {
  /** Vectors. `similarity`: cosine with the question, −1 to 1. */
  readonly vector?: { readonly rank: number; readonly similarity: number } | undefined
  /** Full text. `coverage`: weight of the question's words in the record, relative to all of them, 0 to 1. */
  readonly text?:
    | {
        readonly rank: number
        readonly bm25: number
        readonly coverage: number
        readonly words: string[]
        /** Misspelt words of the question, with the words that were searched instead. */
        readonly spelled?: Readonly<Record<string, string>> | undefined
      }
    | undefined
  /** Full text of the record together with its neighbours in the session. */
  readonly window?: { readonly rank: number; readonly bm25: number; readonly coverage: number } | undefined
  /** A name of the record that the question contains in full. */
  readonly name?: { readonly rank: number; readonly name: string } | undefined
  /** Its session as a whole: for each word the best of its records. Records of one session share a rank. */
  readonly session?: { readonly rank: number; readonly score: number } | undefined
}

/** A place in a long text of a record: UTF-16 offsets into the text at `path`, `from` inclusive, `to` exclusive. */
export interface Passage {
  readonly path: string
  readonly from: number
  readonly to: number
}

/** Factors that weigh a hit beside its ranks, each 0 to 1. The README has the formulas. */
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

/** Reasons for the place of a hit: its rank in each leg, and its factors. */
export interface Because extends LegReasons, Factors {
  /** Of a long record: the passage that answers best. */
  readonly passage?: Passage | undefined
  /** Votes and version, for a record that a group of agents confirmed. */
  readonly pool?: Confirmed | undefined
}

/** Text of a record in a prompt. */
export interface Quote {
  /** The texts of its kind, in their order. */
  readonly text: string
  /** The answering passage in `said`, if one was given: UTF-16 offsets. */
  readonly focus?: { readonly from: number; readonly to: number } | undefined
  /** When it happened, canonical UTC text. */
  readonly happenedAt: string
  /** Votes and version, for a record that a group of agents confirmed. */
  readonly pool?: Confirmed | undefined
}

export interface RecallHit {
  readonly record: Stored<JsonObject>
  /** 0 to 1, higher is better. */
  readonly score: number
  readonly because: Because
}

export interface RecallResult {
  readonly hits: RecallHit[]
  /** Candidates of each leg, so that a dead leg is visible. */
  readonly legs: Readonly<Record<string, number>>
  /** Unavailable parts of recall, in words; empty if all worked. */
  readonly degraded: string[]
  /** Milliseconds in the engine. */
  readonly took: number
  /** Sealed records in question that can't be read here, and so were not searched. Absent: none. */
  readonly sealed?: number | undefined
}

/** Most hits that a caller may ask for. */
export const hitLimit = 200

/** Recall, and the models of the book. */
export interface RecallPort {
  ask(query: RecallQuery): Promise<RecallResult>
  /** Sets the note that the device's activity stores once this call is answered; the last one counts. Default: none. */
  note(note: ActivityNote): void
  /** The text of a record, as its kind declares it. */
  quote(record: Stored<JsonObject>, passage?: Passage): Quote
  /** Vector of a question, in time for an answer; undefined for guests, without an embedder, and if it comes too late. */
  questionVector(text: string): Promise<SpaceVector | undefined>
  /** Vectors of texts from the book's embedder; `embedder-off` without one. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>
  /** Language model of the book, if any. Calls of guests never use it. */
  readonly llm: Llm | undefined
}
