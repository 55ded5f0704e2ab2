// Shows a proposal, in the flat form or in the protocol's form. Pure.
// Invariant: a proposal that is shown with its text is shown with the hidden characters of the text.
import type { OwnReader } from '../../../core/capability/port/record-port.ts'
import { defined } from '../../../core/defined.ts'
import { withoutZeroMillis } from '../memory/read-memory.ts'
import { type HiddenCharacter, findHiddenCharacters } from './hidden-text.ts'
import type { Proposal, ProposalStatus } from './proposal-schema.ts'
import { approvedRecordId, reopenedUntil, revisedMemoryId, currentRound } from './proposal-state.ts'

/** Status at `now`, canonical time: a pending proposal is expired after its end. */
export function statusAt(proposal: Proposal, now: string): ProposalStatus {
  return proposal.status === 'pending' && now >= reviewableUntil(proposal) ? 'expired' : proposal.status
}

/**
 * Canonical time until which the proposal can be reviewed: for a reopened proposal, at least a day after the
 * reopening.
 */
export function reviewableUntil(proposal: Proposal): string {
  const reopened = reopenedUntil(proposal as never)
  return reopened !== undefined && reopened > proposal.expiresAt ? reopened : proposal.expiresAt
}

/** A proposal in the flat form. `scope`: its labels. */
export interface ShownProposal {
  readonly id: string
  readonly agentDid: string
  readonly content: string
  readonly category: string
  readonly memory_type: string
  readonly confidence: number
  readonly status: ProposalStatus
  readonly proposedAt: string
  readonly expiresAt: string
  readonly sensitivity: string
  readonly hidden: readonly HiddenCharacter[]
  readonly [more: string]: unknown
}

const optionalFields = [
  'agentName',
  'sessionId',
  'conversationContext',
  'context',
  'evidence',
  'priority',
  'rule',
  'similarTo',
  'supersedes',
] as const

/**
 * Id of the memory or rule that the proposal makes or changes. `as never`: proposal-state.ts accepts any JSON object.
 */
const targetMemoryId = (proposal: Proposal): string =>
  revisedMemoryId(proposal as never) ??
  approvedRecordId(proposal.id, proposal, currentRound(proposal as never))

/** Shows a proposal with all its texts, as the owner sees it. */
export function toProposalOutput(proposal: Proposal, now: string): ShownProposal {
  const { labels, tags, resolution, withdrawn: _withdrawn } = proposal
  const optionalValues = optionalFields.flatMap((name) =>
    proposal[name] === undefined ? [] : [[name, proposal[name]] as const],
  )
  const status = statusAt(proposal, now)
  const isApproved = status === 'approved' || status === 'edited'
  const created = { createdMemoryId: targetMemoryId(proposal) }
  return {
    id: proposal.id,
    agentDid: proposal.agentDid,
    content: proposal.content,
    category: proposal.category,
    memory_type: proposal.memory_type,
    confidence: proposal.confidence,
    ...Object.fromEntries(optionalValues),
    status,
    proposedAt: withoutZeroMillis(proposal.proposedAt),
    expiresAt: withoutZeroMillis(reviewableUntil(proposal)),
    sensitivity: proposal.sensitivity ?? 'standard',
    ...(labels ? { scope: labels } : {}),
    ...(tags ? { tags } : {}),
    ...(resolution
      ? {
          resolution: {
            ...resolution,
            resolvedAt: withoutZeroMillis(resolution.resolvedAt),
            ...(isApproved ? created : {}),
          },
        }
      : {}),
    hidden: hiddenCharactersOf(proposal),
  }
}

/** Field of the memory for each text of a resolution. */
const fieldByEditName = {
  editedContent: 'content',
  editedCategory: 'category',
  editedMemoryType: 'memory_type',
} as const

/**
 * Shows a proposal without resolution texts that its memory no longer contains: only the owner may read
 * those, and for the owner `mayKnow` is always true.
 */
export function showToProposer(
  proposal: Proposal,
  own: Pick<OwnReader, 'mayKnow'>,
  now: string,
): ShownProposal {
  const { resolution } = proposal
  if (!resolution) return toProposalOutput(proposal, now)
  const memory = targetMemoryId(proposal)
  const visible = { ...resolution }
  for (const [name, field] of Object.entries(fieldByEditName) as [keyof typeof fieldByEditName, string][]) {
    const value = visible[name]
    if (value !== undefined && !own.mayKnow(memory, field, value)) delete visible[name]
  }
  return toProposalOutput({ ...proposal, resolution: visible }, now)
}

export type WithheldProposal = Pick<
  ShownProposal,
  'id' | 'agentDid' | 'status' | 'proposedAt' | 'expiresAt'
> & { readonly withheld: true; readonly resolution?: object }

/** Shows a proposal without texts, for a proposer that may not read the texts that the proposal repeats. */
export function showWithheld(proposal: Proposal, now: string): WithheldProposal {
  const { id, agentDid, status, proposedAt, expiresAt } = toProposalOutput(proposal, now)
  const { resolvedAt, action } = proposal.resolution ?? {}
  const resolution =
    resolvedAt === undefined ? undefined : { resolvedAt: withoutZeroMillis(resolvedAt), action }
  return {
    id,
    agentDid,
    status,
    proposedAt,
    expiresAt,
    ...(resolution ? { resolution } : {}),
    withheld: true,
  }
}

/** Hidden content of the text, labels and tags. `at` is 0 for a label or tag. */
export function hiddenCharactersOf({
  content,
  labels = [],
  tags = [],
}: Pick<Proposal, 'content' | 'labels' | 'tags'>): HiddenCharacter[] {
  const labelFindings = [...labels, ...tags]
    .flatMap(findHiddenCharacters)
    .map(({ character }) => ({ at: 0, character: `in a label: ${character}` }))
  return [...findHiddenCharacters(content), ...labelFindings]
}

/** Shows a proposal in the protocol's form: with `memory` as an object, and `edited` as an approval with edits. */
export function toProtocolForm(proposal: ShownProposal | WithheldProposal): Record<string, unknown> {
  if (isWithheld(proposal)) {
    const { agentDid, status, ...rest } = proposal
    return { ...rest, proposedBy: { agentDid }, status: status === 'edited' ? 'approved' : status }
  }
  const { content, category, memory_type, confidence, scope, tags, sensitivity, status, ...rest } = proposal
  const { agentDid, agentName, sessionId, conversationContext, hidden, supersedes, ...plain } = rest
  const optionalProposer = { agentName, sessionId, conversationContext }
  const givenProposer = Object.entries(optionalProposer).filter(([, value]) => value !== undefined)
  return {
    ...plain,
    proposedBy: { agentDid, ...Object.fromEntries(givenProposer) },
    memory: {
      content,
      category,
      memory_type,
      confidence,
      suggestedSensitivity: sensitivity,
      ...defined({ suggestedScope: scope, suggestedTags: tags }),
    },
    status: status === 'edited' ? 'approved' : status,
    ...defined({ supersedes }),
    ...(hidden.length > 0 ? { hidden } : {}),
  }
}

const isWithheld = (proposal: ShownProposal | WithheldProposal): proposal is WithheldProposal =>
  'withheld' in proposal
