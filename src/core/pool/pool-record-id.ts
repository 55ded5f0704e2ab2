// The ids of the records of the pool, made from the names that claws know: one of each in a book, whoever made it first.
import { foldName } from '../text/fold-name.ts'
import { nameId } from '../text/name-id.ts'

export const recordIds = {
  proposal: (proposal: string) => nameId('pool_proposal', proposal),
  ballot: (proposal: string, claw: string) => nameId('pool_ballot', proposal, foldName(claw)),
  decision: (proposal: string) => nameId('pool_decision', proposal),
  fact: (fact: string) => nameId('pool_fact', fact),
  claw: (claw: string) => nameId('pool_claw', foldName(claw)),
} as const
