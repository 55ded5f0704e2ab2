// A proposal as others know it: flat, and as the protocol's schema has it. Pure.
// Invariant: whoever is shown one is shown what is hidden in its text.
import type { OwnReader } from '../../../core/capability/port/own-port.ts'
import { plainTime } from '../memory/memory-shape.ts'
import { type Hidden, hiddenIn } from './hidden-text.ts'
import type { Proposal, ProposalStatus } from './proposal-schema.ts'
import { memoryIdOf, reopenedFor, revisedId, roundOf } from './proposal-state.ts'

/** What it is now: a pending one whose time is over is expired. `now`: canonical time. */
export function statusAt(proposal: Proposal, now: string): ProposalStatus {
  return proposal.status === 'pending' && now >= endOf(proposal) ? 'expired' : proposal.status
}

/** Canonical time until which it can be reviewed. One that was reopened waits for a day at least. */
export function endOf(proposal: Proposal): string {
  const reopened = reopenedFor(proposal as never)
  return reopened !== undefined && reopened > proposal.expiresAt ? reopened : proposal.expiresAt
}

export interface ToldProposal {
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
  readonly hidden: readonly Hidden[]
  readonly [more: string]: unknown
}

const said = [
  'agentName',
  'sessionId',
  'conversationContext',
  'context',
  'evidence',
  'priority',
  'similarTo',
  'supersedes',
] as const

/** The memory that says what was approved. */
const madeOf = (proposal: Proposal): string =>
  revisedId(proposal as never) ?? memoryIdOf(proposal.id, roundOf(proposal as never))

export function tellProposal(proposal: Proposal, now: string): ToldProposal {
  const { labels, tags, resolution, withdrawn: _withdrawn } = proposal
  const more = said.flatMap((name) => (proposal[name] === undefined ? [] : [[name, proposal[name]] as const]))
  const status = statusAt(proposal, now)
  const isApproved = status === 'approved' || status === 'edited'
  const created = { createdMemoryId: madeOf(proposal) }
  return {
    id: proposal.id,
    agentDid: proposal.agentDid,
    content: proposal.content,
    category: proposal.category,
    memory_type: proposal.memory_type,
    confidence: proposal.confidence,
    ...Object.fromEntries(more),
    status,
    proposedAt: plainTime(proposal.proposedAt),
    expiresAt: plainTime(endOf(proposal)),
    sensitivity: proposal.sensitivity ?? 'standard',
    ...(labels ? { scope: labels } : {}),
    ...(tags ? { tags } : {}),
    ...(resolution
      ? {
          resolution: {
            ...resolution,
            resolvedAt: plainTime(resolution.resolvedAt),
            ...(isApproved ? created : {}),
          },
        }
      : {}),
    hidden: hiddenOf(proposal),
  }
}

const edits = {
  editedContent: 'content',
  editedCategory: 'category',
  editedMemoryType: 'memory_type',
} as const

/** Without what its memory was made to say and says no more: that is the owner's. */
export function tellKnown(proposal: Proposal, own: Pick<OwnReader, 'mayKnow'>, now: string): ToldProposal {
  const { resolution } = proposal
  if (!resolution) return tellProposal(proposal, now)
  const memory = madeOf(proposal)
  const known = { ...resolution }
  for (const [name, field] of Object.entries(edits) as [keyof typeof edits, string][]) {
    const value = known[name]
    if (value !== undefined && !own.mayKnow(memory, field, value)) delete known[name]
  }
  return tellProposal({ ...proposal, resolution: known }, now)
}

export type WithheldProposal = Pick<
  ToldProposal,
  'id' | 'agentDid' | 'status' | 'proposedAt' | 'expiresAt'
> & { readonly withheld: true; readonly resolution?: object }

/** Without words: to a proposer that may not read what the proposal says again. */
export function tellWithheld(proposal: Proposal, now: string): WithheldProposal {
  const { id, agentDid, status, proposedAt, expiresAt } = tellProposal(proposal, now)
  const { resolvedAt, action } = proposal.resolution ?? {}
  const resolution = resolvedAt === undefined ? undefined : { resolvedAt: plainTime(resolvedAt), action }
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

/** What is hidden in what would be remembered. */
export function hiddenOf({
  content,
  labels = [],
  tags = [],
}: Pick<Proposal, 'content' | 'labels' | 'tags'>): Hidden[] {
  const words = [...labels, ...tags]
    .flatMap(hiddenIn)
    .map(({ what }) => ({ at: 0, what: `in a label: ${what}` }))
  return [...hiddenIn(content), ...words]
}

/** As the protocol's schema has it: the memory inside, and `edited` as an approval whose resolution says so. */
export function schemaProposal(told: ToldProposal | WithheldProposal): Record<string, unknown> {
  if (isWithheld(told)) {
    const { agentDid, status, ...rest } = told
    return { ...rest, proposedBy: { agentDid }, status: status === 'edited' ? 'approved' : status }
  }
  const { content, category, memory_type, confidence, scope, tags, sensitivity, status, ...rest } = told
  const { agentDid, agentName, sessionId, conversationContext, hidden, supersedes, ...plain } = rest
  const named = { agentName, sessionId, conversationContext }
  const by = Object.entries(named).filter(([, value]) => value !== undefined)
  return {
    ...plain,
    proposedBy: { agentDid, ...Object.fromEntries(by) },
    memory: {
      content,
      category,
      memory_type,
      confidence,
      suggestedSensitivity: sensitivity,
      ...(scope === undefined ? {} : { suggestedScope: scope }),
      ...(tags === undefined ? {} : { suggestedTags: tags }),
    },
    status: status === 'edited' ? 'approved' : status,
    ...(supersedes === undefined ? {} : { supersedes }),
    ...(hidden.length > 0 ? { hidden } : {}),
  }
}

const isWithheld = (told: ToldProposal | WithheldProposal): told is WithheldProposal => 'withheld' in told
