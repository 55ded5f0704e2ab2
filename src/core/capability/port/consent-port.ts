// What the chapter of consent works with: the records that say what was consented to, whoever calls, and what they come to.
import type { PolicyDecision } from '../../access/policy-decision.ts'
import type { Ledger, LedgerWriter } from './record-port.ts'

/** Of policies, receipts and requests for access alone; the chapter decides itself what of them a guest may know. */
export interface ConsentPort {
  readonly records: Ledger
  /** What the policies let `agent` read in a call that comes as this one does. */
  decide(agent: string): PolicyDecision
  /** The same for each holder by whose rights a guest calls, the guest itself first. Empty for the owner. */
  decisions(): readonly PolicyDecision[]
  /** When a rate limit that the guest has used up lets it ask again; undefined where none is. Canonical time. */
  opensAt(): string | undefined
}

export interface ConsentWriter {
  readonly records: LedgerWriter
}
