// An op: one complete, idempotent change of a record. Devices and the mirror exchange ops only.
// Invariant: random values and times in an op are fixed before it is sent.
import type { Scope } from './record.ts'
import type { SealedBody, SealedInfo, Sensitivity } from './sealed.ts'
import type { ConflictPolicy } from './kind.ts'
import type { JsonObject } from './json/path.ts'
import type { Trust } from './trusted.ts'

export type Op = PutOp | ForgetOp

interface OpHead {
  readonly kind: string
  readonly id: string
  /** Time of the change, canonical UTC text. */
  readonly at: string
  /** Hybrid logical stamp. A stamp breaks ties and never orders a sequence. */
  readonly stamp: string
}

interface PutHead extends OpHead, Scope {
  readonly op: 'put'
  readonly created_at: string
  readonly sensitivity?: Sensitivity | undefined
}

/** A put. The store seals a plain `body` if its sensitivity requires that, and stores `enc` unchanged. */
export type PutOp = PutHead &
  (
    | { readonly body: JsonObject; readonly enc?: undefined }
    | { readonly body?: undefined; readonly enc: SealedBody }
  )

export interface ForgetOp extends OpHead {
  readonly op: 'forget'
  /** True: removes all content of the record everywhere. Edits made without knowledge of the purge lose. */
  readonly purge?: true | undefined
  /** True: the record was sealed, so the conflict log stores no losing edit of it in clear. */
  readonly sealed?: true | undefined
  readonly agent: string
}

/** A change that the mirror has not acknowledged, for a person. */
export interface OutboxEntry {
  /** Position in the queue. Sync sends entries in this order, urgent ones first. */
  readonly n: number
  /** Id of the record. */
  readonly record: string
  readonly kind: string
  readonly op: 'put' | 'forget'
  /** Time of the last change of the record. */
  readonly at: string
  /**
   * `waiting`: not sent. `sent`: sent without an answer so far. `refused`: the mirror can't accept it; see `error`.
   */
  readonly state: 'waiting' | 'sent' | 'refused'
  readonly error?: { readonly code: string; readonly message: string }
}

/** Selects a page of the queue. */
export interface OutboxQuery {
  readonly limit: number
  /** Only entries with a higher `n`. */
  readonly after?: number | undefined
}

/** A change that the mirror refused finally. This device keeps the whole change, and the reason. */
export interface RefusedOp {
  /** Number in the outbox, ascending. */
  readonly n: number
  readonly record: string
  readonly kind: string
  readonly op: 'put' | 'forget'
  /** Error code of the mirror, or of this device if it never sent the change. */
  readonly code: string
  readonly message: string
  /** Canonical UTC time of the refusal; of the change if it was never sent. */
  readonly at?: string | undefined
  /** Path of the fault in the change, if the error has one. */
  readonly path?: string | undefined
}

/** One side of a conflict: the device, and the body of its edit. A forget has no body. */
export interface ConflictSide {
  readonly by: string
  readonly op: 'put' | 'forget'
  /**
   * Absent for a forget, and if the record was purged or the key of its sealed body is missing. Then only the fact of
   * the edit is logged.
   */
  readonly body?: JsonObject
  /** True for a purge. */
  readonly purged?: true
  /** Id, if this side is another record than the entry's: both records claim the same place in a chain. */
  readonly record?: string
  /** True: the log stores the body sealed. Restoring the body seals it again. */
  readonly sensitive?: true
  /** In place of a body whose key is missing. */
  readonly sealed?: SealedInfo
}

/** Fields of the head of a logged edit. A forgotten record that the edit restores gets them back. */
export interface SideHead {
  readonly session?: string | undefined
  readonly resource?: string | undefined
  readonly sensitivity?: Sensitivity | undefined
  readonly trust?: Trust | undefined
  readonly created_at?: string | undefined
}

/** A side as the log stores it. `head`: absent for a forget, and in some entries of earlier versions. */
export interface LoggedSide extends ConflictSide {
  readonly head?: SideHead | undefined
}

/** An edit that lost a conflict. Every losing edit has an entry, so no words of a user are lost. */
export interface ConflictEntry {
  readonly id: number
  readonly record: string
  readonly kind: string
  readonly policy: ConflictPolicy
  readonly at: string
  /** `open`: a person must decide. `settled`: the policy decided. `decided`: a person decided. */
  readonly state: 'open' | 'settled' | 'decided'
  readonly loser: ConflictSide
  /** The winning side at the time of the conflict. */
  readonly winner?: ConflictSide
  /** Common base of both sides. Absent if unknown. */
  readonly base?: JsonObject
  /** After a merge: paths that both sides changed to different values. */
  readonly paths?: readonly string[]
}

/** An entry with the heads of its edits, for a decision. No caller gets the heads. */
export interface LoggedConflict extends ConflictEntry {
  readonly loser: LoggedSide
  readonly winner?: LoggedSide
}

/** Selects a page of the conflict log. Newest entries come first. */
export interface ConflictQuery {
  readonly limit?: number | undefined
  /** Only conflicts of one record. */
  readonly record?: string | undefined
  /** True: only conflicts that no person has decided. */
  readonly undecided?: boolean | undefined
  /** Cursor: only entries with a smaller id. */
  readonly before?: number | undefined
}
