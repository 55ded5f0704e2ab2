// An op: one complete, idempotent change. Only ops travel between a device and the mirror.
// Invariant: everything random or timed in it is fixed before it is sent.
import type { Scope } from './record.ts'
import type { SealedBody, SealedInfo, Sensitivity } from './sealed.ts'
import type { ConflictPolicy } from './kind.ts'
import type { JsonObject } from './json/path.ts'

export type Op = PutOp | ForgetOp

interface OpHead {
  readonly kind: string
  readonly id: string
  /** Time of the change, canonical UTC text. */
  readonly at: string
  /** Hybrid logical stamp; breaks ties, never orders a sequence. */
  readonly stamp: string
}

interface PutHead extends OpHead, Scope {
  readonly op: 'put'
  readonly created_at: string
  readonly sensitivity?: Sensitivity | undefined
}

/** The store seals a plain body if its sensitivity requires it, and stores `enc` as it is. */
export type PutOp = PutHead &
  (
    | { readonly body: JsonObject; readonly enc?: undefined }
    | { readonly body?: undefined; readonly enc: SealedBody }
  )

export interface ForgetOp extends OpHead {
  readonly op: 'forget'
  /** True: nothing of the record may stay anywhere, and edits that didn't know of the purge don't count. */
  readonly purge?: true | undefined
  /** True: the record was sealed, so the conflict log keeps no losing edit of it in clear. */
  readonly sealed?: true | undefined
  readonly agent: string
}

/** A change that the mirror has not acknowledged, for people. */
export interface OutboxEntry {
  /** Place in the queue. Entries are sent in this order, except urgent ones. */
  readonly n: number
  /** Id of the record. */
  readonly record: string
  readonly kind: string
  readonly op: 'put' | 'forget'
  /** Time of the record's last change. */
  readonly at: string
  /** `waiting`: not sent yet. `sent`: no answer so far. `refused`: the mirror can't accept it; `error` says why. */
  readonly state: 'waiting' | 'sent' | 'refused'
  readonly error?: { readonly code: string; readonly message: string }
}

/** A page of the queue, from its start. */
export interface OutboxQuery {
  readonly limit: number
  /** Only entries after this `n`. */
  readonly after?: number | undefined
}

/** A change that the mirror refused for good. It stays on this device, complete, with the reason. */
export interface RefusedOp {
  /** Number in the outbox; numbers only grow. */
  readonly n: number
  readonly record: string
  readonly kind: string
  readonly op: 'put' | 'forget'
  /** Error of the mirror, or of this device before sending. */
  readonly code: string
  readonly message: string
  /** Time of the refusal, or of the change if it was never sent; canonical UTC text. */
  readonly at?: string | undefined
  /** Path in the change, if the error has one. */
  readonly path?: string | undefined
}

/** One side of a conflict: the device and the body of its edit; a forget has no body. */
export interface ConflictSide {
  readonly by: string
  readonly op: 'put' | 'forget'
  /**
   * Also absent if the record was purged, or is sealed and its keys were missing: the log then records only that there
   * was an edit.
   */
  readonly body?: JsonObject
  /** True for a forget after which nothing of the record stays. */
  readonly purged?: true
  /** Id, if this side is another record than the entry's: both claimed the place of one record. */
  readonly record?: string
  /** True: the body is stored sealed; restoring it seals it again. */
  readonly sensitive?: true
  /** Replaces a body whose key is missing. */
  readonly sealed?: SealedInfo
}

/** An edit that lost a conflict. Every losing edit has an entry, so nothing a user wrote is lost. */
export interface ConflictEntry {
  readonly id: number
  readonly record: string
  readonly kind: string
  readonly policy: ConflictPolicy
  readonly at: string
  /** `open`: the policy leaves it to a person. `settled`: the policy decided. `decided`: a person decided. */
  readonly state: 'open' | 'settled' | 'decided'
  readonly loser: ConflictSide
  /** The winning side, right after the conflict. */
  readonly winner?: ConflictSide
  /** Common base of both sides, if known. */
  readonly base?: JsonObject
  /** After a merge: paths that both sides changed differently. */
  readonly paths?: readonly string[]
}

/** A page of the conflict log, newest first. */
export interface ConflictQuery {
  readonly limit?: number | undefined
  /** Only conflicts of one record. */
  readonly record?: string | undefined
  /** Only undecided conflicts. */
  readonly undecided?: boolean | undefined
  /** Only entries with a smaller id, for the next page. */
  readonly before?: number | undefined
}
