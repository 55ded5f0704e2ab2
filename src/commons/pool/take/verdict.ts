// The result of an accepted envelope, and what it waits for.
import type { EnvelopeV1, Payloads } from '../../../shape/envelope.ts'
import type { TakenResult } from '../../../core/pool.ts'

export interface Verdict {
  readonly result: TakenResult
  readonly reason: string
  /** It needs a proposal or fact that has not arrived: retried when that arrives, for the last time after `forMs`. */
  readonly waits?: { readonly about: string; readonly forMs: number }
  /** Proposals and facts with news: envelopes that wait for them are retried. */
  readonly frees?: readonly string[]
  /** The proposal whose votes must be counted. */
  readonly count?: string
  /** Its key is not remembered: a second copy of the envelope is judged again. */
  readonly again?: true
}

/** Its claw does not count here. */
export const notAdmitted = 'not_admitted'
/** A decision contradicts the ballots and claws of this copy. */
export const tallyMismatch = 'tally_mismatch'

/** Its proposal is gone: it is not relayed. */
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
