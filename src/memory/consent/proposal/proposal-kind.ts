// The kind `proposal`: a memory that an agent proposes, and the decisions about it. Its text is at least as sensitive
// as the memory with the same text, and is removed with that memory.
// Invariant: a proposal is not a memory: recall never returns it, and no scope reaches it. An agent sees its own
// proposals, the owner sees all.
import type { Kind } from '../../../core/kind.ts'
import { undecidedSensitivity } from '../memory/category.ts'
import { proposalBody, type ProposalBody } from './proposal-schema.ts'
import {
  approvedRecordIds,
  endedRecordIds,
  isDecided,
  quotedRecordIds,
  revisedMemoryId,
  repeatedRecordIds,
  settleProposal,
  removesDecisionTexts,
  undecidedProposal,
} from './proposal-state.ts'

export const proposalKind: Kind<'proposal', ProposalBody> = {
  name: 'proposal',
  summary: 'A memory or a standing rule that an agent proposes, its reason, and the decisions about it.',
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
    sources: (body, id) => [...repeatedRecordIds(id, body as never), ...quotedRecordIds(body as never)],
    // The proposal is forgotten with any of these; a forgotten record of the evidence only removes the quote.
    goesWith: (body, id) => repeatedRecordIds(id, body as never),
    rebuildVerb: 'a2p:rebuild',
  },
  // Decisions of two devices are stored side by side; the state is derived from all of them.
  policy: 'merge',
  merge: { status: 'derived', resolution: 'derived', proposedAt: 'min', expiresAt: 'max' },
  settle: settleProposal,
  takesBack: removesDecisionTexts,
  speaker: { path: 'by', listenerFields: [] },
  proposedBy: 'by',
  ownerOnly: (body) => isDecided(body as never),
  undecided: undecidedProposal,
  undecidedSensitivity,
  // An approval makes a memory, or changes one; a rejection or reopening ends that. The store does this on
  // every copy: `changes`, `makes` and `ends` in core/kind.ts. `as never`: proposal-state.ts accepts any JSON
  // object.
  changes(body) {
    const id = revisedMemoryId(body as never)
    return id === undefined ? [] : [id]
  },
  makes: approvedRecordIds,
  ends: (body, id) => endedRecordIds(id, body as never),
  recallable: false,
  embed: false,
}
