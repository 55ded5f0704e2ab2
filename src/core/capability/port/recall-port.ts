// Recall as a capability asks for it, with the models behind it: what comes back, and the reasons for it.
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
  /** Recall as of this instant: what happened later is not seen, and what is recent is recent by then. */
  readonly at?: string | undefined
  /** Of records that say nearly the same, only the best is returned. Default true. */
  readonly distinct?: boolean | undefined
  /** How much hits should differ from each other, 0 (default) to 1: maximal marginal relevance. */
  readonly diversity?: number | undefined
  /** Hits scoring below this (0 to 1) are left out. */
  readonly minScore?: number | undefined
  /** `sharp`: only the hits before the largest drop in score, if one is a fifth of the best score or more. Default `none`. */
  readonly cut?: 'none' | 'sharp' | undefined
  /** Compares the question with every vector, of more than 131,072 too: slower, and nothing similar is missed. */
  readonly exact?: boolean | undefined
}

/** A vector of length 1, or shorter, and the space it is of: `provider|model|dimensions|normalised`. */
export interface SpaceVector {
  readonly space: string
  readonly vector: Float32Array
}

/**
 * What each leg of recall has to say about a hit, by the leg's name: its rank there, counted from 1, and what it
 * ranked by. Absent where the leg did not bring it. A new leg adds its own entry.
 */
export interface LegReasons {
  /** Vectors. `similarity`: cosine to the question, −1 to 1. */
  readonly vector?: { readonly rank: number; readonly similarity: number } | undefined
  /** Full text. `coverage`: the weight of the question's words that it has, of the weight of all, 0 to 1. */
  readonly text?:
    | {
        readonly rank: number
        readonly bm25: number
        readonly coverage: number
        readonly words: string[]
        /** Words of the question that no record has, and what they were taken for. */
        readonly spelled?: Readonly<Record<string, string>> | undefined
      }
    | undefined
  /** Full text of the record together with those right before and after it in its session. */
  readonly window?: { readonly rank: number; readonly bm25: number; readonly coverage: number } | undefined
  /** A name of it that stands whole in the question. */
  readonly name?: { readonly rank: number; readonly name: string } | undefined
  /** Its session as a whole: for each word the best of its records. Records of one session share a rank. */
  readonly session?: { readonly rank: number; readonly score: number } | undefined
}

/** A place in a long text of a record: UTF-16 offsets into the text at `path`, from `from` to before `to`. */
export interface Passage {
  readonly path: string
  readonly from: number
  readonly to: number
}

/** What weighs a hit beside its ranks, each 0 to 1. The README has the formulas. */
export interface Factors {
  /** 1 now, 0.5 after 30 days. */
  readonly recency: number
  /** As the record says; 0.5 when it says nothing. */
  readonly importance: number
  /** As the record says; 1 when it says nothing. */
  readonly confidence: number
  /** 0 when it was never used on this device, 0.5 after five times. */
  readonly use: number
  /** 1 when the record is pinned, else 0. */
  readonly pin: number
}

/** Why a hit is where it is: its rank in each leg, and what weighed it. */
export interface Because extends LegReasons, Factors {
  /** Of a long record: the passage that answers best. */
  readonly passage?: Passage | undefined
  /** What a group of agents has confirmed: how they voted, and which version it is. */
  readonly pool?: Confirmed | undefined
}

/** What a prompt says of a record. */
export interface Quote {
  /** Its kind's texts, in their order. */
  readonly said: string
  /** Where in `said` the passage is that answers, if one was asked for: UTF-16 offsets. */
  readonly focus?: { readonly from: number; readonly to: number } | undefined
  /** When it happened, canonical UTC text. */
  readonly happenedAt: string
  /** Of what a group of agents has confirmed. */
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
  /** How many candidates each leg brought, so that a dead leg is seen. */
  readonly legs: Readonly<Record<string, number>>
  /** What could not be used, in words; empty when recall is whole. */
  readonly degraded: string[]
  /** Milliseconds in the engine. */
  readonly took: number
  /** How many sealed records that were asked about can't be read here, and so were not searched. Absent: none. */
  readonly sealed?: number | undefined
}

/** A caller of recall may ask for so many hits at most. */
export const hitLimit = 200

/** Finding what is relevant, and the models of the book. */
export interface RecallPort {
  ask(query: RecallQuery): Promise<RecallResult>
  /** What the activity of a device keeps of this call once it is answered; of several notes the last. Default: nothing. */
  note(note: ActivityNote): void
  /** What a record says, as its kind declares it. */
  quote(record: Stored<JsonObject>, passage?: Passage): Quote
  /** The vector of a question, in time for an answer; undefined for guests, without an embedder, and when it is late. */
  questionVector(text: string): Promise<SpaceVector | undefined>
  /** Vectors of texts by the embedder of this book; `embedder-off` when there is none. */
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>
  /** The language model that the book was opened with, if any. A guest's calls are never handed to it. */
  readonly llm: Llm | undefined
}
