// The kind `memory`: something known about the user, stated or approved by the user. When a proposal is forgotten, its
// words are removed from the memory that it made or changed: the context, the text in the first entry of the edit
// history, and the reasons of reclassifications. The entry itself stays, because its position identifies it.
// Invariant: a guest never makes a memory; callers other than the owner see only approved memories.
import { type Kind, whenField } from '../../../core/kind.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/path.ts'
import { memoryScopeNames, undecidedSensitivity } from './category.ts'
import { memoryBody, type MemoryBody } from './memory-schema.ts'
import { withoutEndedRevisions } from './revision.ts'

type IsForgotten = (id: string) => boolean

/** Returns `body` without the words of forgotten proposals; the same object if it has no such words. */
function withoutForgottenTexts(body: JsonObject, isForgotten: IsForgotten): JsonObject {
  return withoutReasons(
    isFromForgottenProposal(body, isForgotten) ? withoutProposalText(body) : body,
    isForgotten,
  )
}

/** True if a text in `before` that came from a proposal is empty in `after`, because the proposal was forgotten. */
function removesTexts(before: JsonObject, after: JsonObject): boolean {
  const remaining = proposalTexts(after)
  return [...proposalTexts(before)].some(([field, text]) => text !== '' && remaining.get(field) === '')
}

function isFromForgottenProposal({ source }: JsonObject, isForgotten: IsForgotten): boolean {
  const proposal = isJsonObject(source) ? source['proposal'] : undefined
  return typeof proposal === 'string' && isForgotten(proposal)
}

/** Returns `body` without the context and the first text of the proposal that made the memory. */
function withoutProposalText(body: JsonObject): JsonObject {
  const { source, metadata } = body
  const { context, ...from } = isJsonObject(source) ? source : {}
  const remaining = context === undefined ? body : { ...body, source: from }
  const [first, ...later] = editHistoryOf(metadata)
  if (!isJsonObject(metadata) || !isJsonObject(first) || first['previousContent'] === '') return remaining
  return {
    ...remaining,
    metadata: { ...metadata, editHistory: [{ ...first, previousContent: '' }, ...later] },
  }
}

/**
 * Returns `body` without the reasons of reclassifications by forgotten proposals. A reclassification names no proposal:
 * its time is that of the proposal's entry in `revised`.
 */
function withoutReasons(body: JsonObject, isForgotten: IsForgotten): JsonObject {
  const { revised, reclassified } = body
  const notes = isJsonObject(revised) ? Object.values(revised).filter(isJsonObject) : []
  const forgottenTimes = new Set(
    notes.flatMap(({ proposal, at }) => (typeof proposal === 'string' && isForgotten(proposal) ? [at] : [])),
  )
  const quotesForgotten = (entry: Json) => {
    const { at = null, reason } = proposalReclassification(entry)
    return forgottenTimes.has(at) && reason !== ''
  }
  if (!Array.isArray(reclassified) || !reclassified.some(quotesForgotten)) return body
  const remaining = reclassified.map((entry) =>
    quotesForgotten(entry) ? { ...(entry as JsonObject), reason: '' } : entry,
  )
  return { ...body, reclassified: remaining }
}

/** All texts in `body` that may come from a proposal, by their place. */
function proposalTexts({ content, source, metadata, reclassified }: JsonObject): Map<string, unknown> {
  const { proposal, context = '' } = isJsonObject(source) ? source : {}
  const [first] = editHistoryOf(metadata)
  const firstText = isJsonObject(first) ? first['previousContent'] : content
  const reasons = (Array.isArray(reclassified) ? reclassified : []).map(proposalReclassification)
  return new Map<string, unknown>([
    ...(typeof proposal === 'string'
      ? ([
          ['context', context],
          ['first', firstText],
        ] as const)
      : []),
    ...reasons.map(({ at, reason }) => [`reason ${String(at)}`, reason] as const),
  ])
}

/** Returns `entry` if it is a reclassification by a proposal; else an empty object. */
const proposalReclassification = (entry: Json): JsonObject =>
  isJsonObject(entry) && entry['by'] === 'proposal' ? entry : {}

const editHistoryOf = (metadata: Json | undefined): readonly Json[] => {
  const history = isJsonObject(metadata) ? metadata['editHistory'] : undefined
  return Array.isArray(history) ? history : []
}

/**
 * Undoes archiving or flagging by the upkeep of one device if the user later confirmed the memory on another
 * device. Pure; accepts any JSON object.
 */
function settleMemory(body: JsonObject): JsonObject {
  const { metadata, flaggedAt } = body
  if (!isJsonObject(metadata)) return body
  const { archivedAt, lastConfirmed, ...rest } = metadata
  const isAfter = (time: unknown) =>
    typeof time === 'string' && typeof lastConfirmed === 'string' && lastConfirmed > time
  const { flagged: _flagged, flaggedAt: _flaggedAt, ...unflagged } = body
  const unflaggedBody = isAfter(flaggedAt) ? unflagged : body
  if (unflaggedBody['status'] !== 'archived' || unflaggedBody['faded'] !== true || !isAfter(archivedAt))
    return unflaggedBody
  const { faded: _faded, ...settled } = unflaggedBody
  return { ...settled, status: 'approved', metadata: { ...rest, lastConfirmed: lastConfirmed ?? null } }
}

export const memoryKind: Kind<'memory', MemoryBody> = {
  name: 'memory',
  plural: 'memories',
  summary: 'One thing known of the user, by type and category, said or approved by the user.',
  version: 1,
  schema: memoryBody,
  text: [whenField, 'content', 'category', 'labels', 'tags'],
  fact: 'content',
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
  // A consolidated memory is removed with any of its sources, because it may quote that source; the other sources
  // return to recall.
  madeFrom: { of: ['memory'], sources: ({ metadata }) => metadata.consolidatedFrom ?? [] },
  scopeNames: ({ status, memory_type, category }) =>
    status === 'approved' && typeof category === 'string' ? memoryScopeNames(memory_type, category) : [],
  recallable: ({ status }) => status === 'approved',
  byPolicy: true,
  // Only the owner sees texts that the user removed from a proposal or changed later.
  ownerPaths: ['metadata.editHistory', 'revised'],
  // Every state: a guest never makes or changes a memory.
  ownerOnly: () => true,
  proposedBy: 'source.agent',
  // Forgets the memory, or undoes changes, when a round of its proposal ends; removes words of forgotten
  // proposals. The store calls these on every copy: see their names in core/kind.ts.
  endedBy: ({ source }: Partial<MemoryBody>) => source?.proposal,
  withoutEnded: withoutEndedRevisions,
  withoutGone: withoutForgottenTexts,
  takesBack: removesTexts,
  // A memory of another book is pending here, and proposals of that book can't change it.
  undecided: ({ revised: _revised, ...body }) => ({ ...body, status: 'pending' }),
  undecidedSensitivity,
}
