// The kind `proposal`: what an agent would have remembered, and what was decided about it.
// Invariant: it is no memory; recall never brings it, and no scope reaches it: an agent has its own, the owner all of them. Its
// words are no less guarded than the memory that says them, and go with it.
import type { Kind } from '../../../core/kind.ts'
import { proposalBody, type ProposalBody } from './proposal-schema.ts'
import {
  endedMemories,
  isDecided,
  memoryIdsOf,
  quotedIds,
  revisedId,
  saidAgainIds,
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
    sources: (body, id) => [...saidAgainIds(id, body as never), ...quotedIds(body as never)],
    goesWith: (body, id) => saidAgainIds(id, body as never),
    anew: 'a2p:tell_anew',
  },
  // Decisions of two devices stand side by side; what follows from them is told anew.
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
