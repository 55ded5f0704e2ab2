// A conflict as the log keeps it: what lost, what it lost to, and whether anybody has still to decide.
import type { ConflictPolicy } from './kind.ts'
import type { JsonObject } from './json/path.ts'
import type { SealedInfo } from './sealed.ts'

/** One side of a conflict: the device that made the edit, and what it said; a forget says nothing. */
export interface ConflictSide {
  readonly by: string
  readonly op: 'put' | 'forget'
  /**
   * Absent too where the record was purged, or is sealed and its keys were not here: nothing of it stays in clear, and the log says
   * only that there was an edit.
   */
  readonly body?: JsonObject
  /** A forget after which nothing of the record stays. */
  readonly purged?: true
  /** Where it is another record than the one the entry is about: both were made to stand in one record's place. */
  readonly record?: string
  /** The body lies sealed: who has the record say it again seals it. */
  readonly sensitive?: true
  /** In place of a body whose key is not here. */
  readonly sealed?: SealedInfo
}

/** An edit that lost a conflict. Nothing that a user wrote disappears without an entry here. */
export interface ConflictEntry {
  readonly id: number
  readonly record: string
  readonly kind: string
  readonly policy: ConflictPolicy
  readonly at: string
  /** `open`: the policy leaves it to a person. `settled`: the policy has decided. `decided`: a person has. */
  readonly state: 'open' | 'settled' | 'decided'
  readonly lost: ConflictSide
  /** What the record said instead, right after the conflict. */
  readonly kept?: ConflictSide
  /** What both were made from, where that is known. */
  readonly base?: JsonObject
  /** After a merge: the paths where both said something else. */
  readonly paths?: readonly string[]
}

/** Which conflicts, newest first. */
export interface ConflictQuery {
  readonly limit?: number | undefined
  /** Those about one record. */
  readonly record?: string | undefined
  /** Only those that nobody has decided. */
  readonly undecided?: boolean | undefined
  /** Only those with a smaller id, for the next page. */
  readonly before?: number | undefined
}
