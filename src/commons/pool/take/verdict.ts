// What becomes of an envelope once it is let in, and what it may wait for.
import type { EnvelopeV1, Payloads } from '../../../shape/envelope.ts'
import type { TakenResult } from '../../../core/pool/pool-carrier.ts'

export interface Verdict {
  readonly result: TakenResult
  readonly reason: string
  /** It rests on something that has not come: it is judged again with it, and for the last time after `forMs`. */
  readonly waits?: { readonly about: string; readonly forMs: number }
  /** The proposal or fact of which more is known now: what waits for it is judged again. */
  readonly frees?: readonly string[]
  /** The proposal whose votes are to be counted. */
  readonly count?: string
  /** Its key is not held: if it comes again it is judged again. */
  readonly again?: true
}

/** Its claw does not count here. */
export const notAdmitted = 'not_admitted'
/** A decision says something else than the ballots and claws that are known here. */
export const tallyMismatch = 'tally_mismatch'

/** It rests on a proposal that is not there any more: it goes to nobody else. */
export const withdrawn: Verdict = { result: 'stale', reason: 'withdrawn' }

/** An envelope of one type. */
export type Letter<Type extends keyof Payloads> = Extract<EnvelopeV1, { readonly type: Type }>

/** How long a fact waits for its decision, and a decision for its ballots. */
export const decisionWaitMs = 120_000

export const accepted = (reason: string, more: Partial<Verdict> = {}): Verdict => ({
  result: 'accepted',
  reason,
  ...more,
})
export const conflict = (reason: string): Verdict => ({ result: 'conflict', reason, again: true })
