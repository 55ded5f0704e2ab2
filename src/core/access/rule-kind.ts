// The kinds whose records say what a guest may read, by name: for those who wait for changes and know no declarations of kinds.
// Invariant: they are the kinds that the table declares so; a test of the house compares them.

/** A change of one of these may let a guest read more, or less. */
export const ruleKinds: ReadonlySet<string> = new Set(['policy', 'receipt', 'access_request'])

/** A change of one of these may end a token. */
export const credentialKinds: ReadonlySet<string> = new Set([
  'token',
  'key',
  'access_key',
  'agent_key',
  'public_key',
])

/** Policies decide who may read these, by themselves or by what they were made from. */
export const ruledKinds: readonly string[] = [
  'memory',
  'proposal',
  'answer',
  'digest',
  'pattern',
  'snapshot',
  'backup_part',
  'pool_proposal',
  'pool_ballot',
  'pool_decision',
  'pool_fact',
]
