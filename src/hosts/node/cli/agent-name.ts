// Names of agents on the command line: the reserved name of the owner, who decides.
// Invariant: no host of agents gets the owner's name, so the owner may decide about whatever a host proposes.

/** The agent of the owner's decisions. */
export const ownerName = 'owner'
