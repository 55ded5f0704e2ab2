// The verdict on an envelope: its result, and the effects on waiting envelopes, votes and facts.
import type { EnvelopeV1, Payloads } from '../../../shape/envelope.ts'
import type { TakenResult } from '../../../core/pool.ts'

export interface Verdict {
  readonly result: TakenResult
  readonly reason: string
  /**
   * Set if the envelope needs a proposal or fact that has not arrived. It is judged again when `id` arrives, and
   * for the last time after `maxWaitMs` milliseconds.
   */
  readonly waitFor?: { readonly id: string; readonly maxWaitMs: number }
  /** Ids of proposals and facts with news: envelopes that wait for them are judged again. */
  readonly retryWaitingFor?: readonly string[]
  /** The id of the proposal whose votes must be counted. */
  readonly proposalToCount?: string
  /** Set if the envelope's key must not be remembered, so that a second copy of the envelope is judged again. */
  readonly isKeyReusable?: true
}

/** Reason: the envelope's claw is not a member, so it does not count here. */
export const notAdmittedReason = 'not_admitted'
/** Reason: the decision contradicts the ballots and claws of this copy. */
export const tallyMismatchReason = 'tally_mismatch'

/** The verdict on an envelope whose proposal is gone. The envelope is not relayed. */
export const withdrawnVerdict: Verdict = { result: 'stale', reason: 'withdrawn' }

/** An envelope of one type. */
export type EnvelopeOf<Type extends keyof Payloads> = Extract<EnvelopeV1, { readonly type: Type }>

/** A fact waits this long for its decision, and a decision for its ballots. */
export const decisionWaitMs = 120_000

export const acceptedVerdict = (reason: string, more: Partial<Verdict> = {}): Verdict => ({
  result: 'accepted',
  reason,
  ...more,
})
export const conflictVerdict = (reason: string): Verdict => ({
  result: 'conflict',
  reason,
  isKeyReusable: true,
})
