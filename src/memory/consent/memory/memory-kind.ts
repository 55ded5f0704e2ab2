// The kind `memory`: what is known of the user, because the user said so or approved it.
// Invariant: none comes to be by a guest; who is not the owner reaches approved ones alone.
import { type Kind, whenField } from '../../../core/kind.ts'
import { isJsonObject, type JsonObject } from '../../../core/json/path.ts'
import { memoryNames } from './category.ts'
import { memoryBody, type MemoryBody } from './memory-schema.ts'
import { losesWords, withoutGoneWords } from './proposal-words.ts'
import { withoutEndedRevisions } from './revision.ts'

/**
 * What the upkeep of one device put away or flagged, and the user confirmed on another after that, is neither. Pure, and total
 * over JSON objects.
 */
function settleMemory(body: JsonObject): JsonObject {
  const { metadata, flaggedAt } = body
  if (!isJsonObject(metadata)) return body
  const { archivedAt, lastConfirmed, ...told } = metadata
  const isAfter = (time: unknown) =>
    typeof time === 'string' && typeof lastConfirmed === 'string' && lastConfirmed > time
  const { flagged: _flagged, flaggedAt: _flaggedAt, ...unflagged } = body
  const seen = isAfter(flaggedAt) ? unflagged : body
  if (seen['status'] !== 'archived' || seen['faded'] !== true || !isAfter(archivedAt)) return seen
  const { faded: _faded, ...kept } = seen
  return { ...kept, status: 'approved', metadata: { ...told, lastConfirmed: lastConfirmed ?? null } }
}

export const memoryKind: Kind<'memory', MemoryBody> = {
  name: 'memory',
  plural: 'memories',
  summary: 'One thing known of the user, by type and category, said or approved by the user.',
  version: 1,
  schema: memoryBody,
  text: [whenField, 'content', 'category', 'labels', 'tags'],
  facets: {
    happened_at: 'source.timestamp',
    domain: 'category',
    action: 'status',
    schema: 'memory_type',
    actor: 'source.agentDid',
    confidence: 'confidence',
  },
  policy: 'merge',
  merge: { 'metadata.lastConfirmed': 'max', 'metadata.approvedAt': 'min' },
  links: ['supersedes', 'metadata.consolidatedFrom', 'metadata.mergedFrom', 'source.proposal'],
  guardedBy: ['supersedes', 'source.proposal', 'revised.*.proposal'],
  cites: [{ path: 'supersedes', supersedes: true }],
  settle: settleMemory,
  // What was made of several goes with any of them, and the others come back: it may say what that one said.
  madeFrom: { of: ['memory'], sources: ({ metadata }) => metadata.consolidatedFrom ?? [] },
  scopeNames: ({ status, memory_type, category }) =>
    status === 'approved' && typeof category === 'string' ? memoryNames(memory_type, category) : [],
  recallable: ({ status }) => status === 'approved',
  byPolicy: true,
  // What the user took out of a proposal, or changed later, was taken out for everybody else.
  ownerPaths: ['metadata.editHistory', 'revised'],
  ownerOnly: () => true,
  proposedBy: 'source.agent',
  endedBy: ({ source }: Partial<MemoryBody>) => source?.proposal,
  withoutEnded: withoutEndedRevisions,
  withoutGone: withoutGoneWords,
  takesBack: losesWords,
  // Another book's proposals change nothing here.
  undecided: ({ revised: _revised, ...body }) => ({ ...body, status: 'pending' }),
}
