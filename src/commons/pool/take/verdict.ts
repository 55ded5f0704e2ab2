// The verdict on an envelope: its result, and the effects on waiting envelopes, votes and facts.
import type { EnvelopeV1, Payloads } from '../../../shape/envelope.ts'
import type { TakenResult } from '../../../core/pool.ts'

export interface Verdict {
  readonly result: TakenResult
  readonly reason: string
  /**
   * Set if the envelope needs a proposal or fact that has not arrived. It is judged again when `about` arrives, and
   * for the last time after `forMs` milliseconds.
   */
  readonly waits?: { readonly about: string; readonly forMs: number }
  /** Ids of proposals and facts with news: envelopes that wait for them are judged again. */
  readonly frees?: readonly string[]
  /** The id of the proposal whose votes must be counted. */
  readonly count?: string
  /** Set if the envelope's key must not be remembered, so that a second copy of the envelope is judged again. */
  readonly again?: true
}

/** Reason: the envelope's claw does not count here. */
export const notAdmitted = 'not_admitted'
/** Reason: the decision contradicts the ballots and claws of this copy. */
export const tallyMismatch = 'tally_mismatch'

/** The verdict on an envelope whose proposal is gone. The envelope is not relayed. */
export const withdrawn: Verdict = { result: 'stale', reason: 'withdrawn' }

/** An envelope of one type. */
export type EnvelopeOf<Type extends keyof Payloads> = Extract<EnvelopeV1, { readonly type: Type }>

/** A fact waits this long for its decision, and a decision for its ballots. */
export const decisionWaitMs = 120_000

export const accepted = (reason: string, more: Partial<Verdict> = {}): Verdict => ({
  result: 'accepted',
  reason,
  ...more,
})
export const conflict = (reason: string): Verdict => ({ result: 'conflict', reason, again: true })
