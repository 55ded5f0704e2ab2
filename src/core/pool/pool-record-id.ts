// The ids of pool records, derived from the names that all claws share: every book gives a record the same id.
import { foldName } from '../text/fold-name.ts'
import { nameId } from '../text/name-id.ts'

export const recordIds = {
  proposal: (proposal: string) => nameId('pool_proposal', proposal),
  ballot: (proposal: string, claw: string) => nameId('pool_ballot', proposal, foldName(claw)),
  decision: (proposal: string) => nameId('pool_decision', proposal),
  fact: (fact: string) => nameId('pool_fact', fact),
  claw: (claw: string) => nameId('pool_claw', foldName(claw)),
} as const
