// The kind `proposal`: a memory that an agent proposes, and the decisions about it. Its text is at least as sensitive
// as the memory with the same text, and is removed with that memory.
// Invariant: a proposal is not a memory: recall never returns it, and no scope reaches it. An agent sees its own
// proposals, the owner sees all.
import type { Kind } from '../../../core/kind.ts'
import { proposalBody, type ProposalBody } from './proposal-schema.ts'
import {
  endedMemories,
  isDecided,
  memoryIdsOf,
  quotedIds,
  revisedId,
  repeatedIds,
  settleProposal,
  takesBack,
  undecidedProposal,
} from './proposal-state.ts'

export const proposalKind: Kind<'proposal', ProposalBody> = {
  name: 'proposal',
  summary: 'What an agent would have remembered, why, and what was decided about it.',
  version: 1,
  schema: proposalBody,
  text: ['content', 'context'],
  facets: {
    happened_at: 'proposedAt',
    domain: 'category',
    action: 'status',
    schema: 'memory_type',
    actor: 'by',
    confidence: 'confidence',
  },
  links: ['supersedes', 'similarTo', 'alike', 'evidence.*.record'],
  guests: 'own',
  madeFrom: {
    sources: (body, id) => [...repeatedIds(id, body as never), ...quotedIds(body as never)],
    goesWith: (body, id) => repeatedIds(id, body as never),
    rebuildVerb: 'a2p:tell_anew',
  },
  // Decisions of two devices are stored side by side; the state is derived from all of them.
  policy: 'merge',
  merge: { status: 'derived', resolution: 'derived', proposedAt: 'min', expiresAt: 'max' },
  settle: settleProposal,
  takesBack,
  speaker: { path: 'by', listenerFields: [] },
  proposedBy: 'by',
  ownerOnly: (body) => isDecided(body as never),
  undecided: undecidedProposal,
  changes(body) {
    const id = revisedId(body as never)
    return id === undefined ? [] : [id]
  },
  makes: memoryIdsOf,
  ends: (body, id) => endedMemories(id, body as never),
  recallable: () => false,
  embed: false,
}
