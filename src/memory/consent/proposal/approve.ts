// What an approval makes: the memory of the present round, under the id that follows from proposal and round.
// Invariant: no other memory is written over, and what is hidden in the text is approved by whoever says so alone.
import type { CallPort } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import { isLowered, type Sensitivity } from '../../../core/sealed.ts'
import { usualSensitivity } from '../memory/category.ts'
import type { Memory, MemoryBody } from '../memory/memory-schema.ts'
import { reclassifications, withRevision } from '../memory/revision.ts'
import {
  asMemory,
  bodyOfMemory,
  needMemory,
  putMemory,
  type Records,
  withEdit,
} from '../memory/stored-memory.ts'
import type { Decision, Proposal } from './proposal-schema.ts'
import { hiddenOf } from './proposal-shape.ts'
import { memoryIdOf, revisedId } from './proposal-state.ts'

type Edited = NonNullable<Decision['edited']>

/** Throws unless whoever approves knows of the hidden characters in what would be remembered. */
export function checkSeen(
  proposal: Pick<Proposal, 'content' | 'labels' | 'tags'>,
  edited: Edited,
  isKnown: boolean,
): void {
  const { content = proposal.content, scope: labels = proposal.labels, tags = proposal.tags } = edited
  const hidden = hiddenOf({ content, labels, tags })
  if (hidden.length === 0 || isKnown) return
  const [first] = hidden
  throw new DaybookError(
    'invalid-input',
    `\`despite_hidden\`: There are characters in it that nobody sees (${first?.what} at ${first?.at}); approve it with despite_hidden: true, or edit them out.`,
    { details: { path: 'despite_hidden', hidden } },
  )
}

/** As sensitive as the proposal and its category want it, unless the owner says otherwise. */
function sensitivityOf(proposal: Proposal, { sensitivity, category }: Edited): Sensitivity {
  if (sensitivity !== undefined) return sensitivity
  const usual = usualSensitivity(category ?? proposal.category)
  const asked = proposal.sensitivity ?? 'standard'
  return isLowered(asked, usual) ? usual : asked
}

function bodyOf(proposal: Proposal, edited: Edited, round: number, { now, scope }: CallPort): MemoryBody {
  const { agentDid, agentName, sessionId, context, by, supersedes = [] } = proposal
  const { content = proposal.content, confidence = proposal.confidence } = edited
  const { scope: labels = proposal.labels, tags = proposal.tags } = edited
  const history =
    content === proposal.content
      ? {}
      : { editHistory: [{ editedAt: now, previousContent: proposal.content, editedBy: scope.agent }] }
  const merged = supersedes.length > 1 ? { consolidatedFrom: supersedes, mergedFrom: supersedes } : {}
  return {
    content,
    category: edited.category ?? proposal.category,
    memory_type: edited.memory_type ?? proposal.memory_type,
    status: 'approved',
    confidence,
    labels,
    tags,
    source: {
      type: 'agent_proposal',
      agentDid,
      agentName,
      sessionId,
      context,
      timestamp: proposal.proposedAt,
      agent: by,
      proposal: proposal.id,
      round,
    },
    metadata: { approvedAt: now, initialConfidence: confidence, ...history, ...merged },
    ...(supersedes.length > 0 ? { supersedes } : {}),
  }
}

/** Makes the memory, or changes the one in whose place it would stand; inside the transaction of the review. Answers its id. */
export function makeMemory(
  records: Records,
  proposal: Proposal,
  { round, edited = {} }: Pick<Decision, 'round' | 'edited'>,
  call: CallPort,
): string {
  const changed = revisedId(proposal as never)
  if (changed !== undefined)
    return reviseMemory(records, needMemory(records, changed, 'supersedes'), {
      proposal,
      round,
      edited,
      call,
    })
  const id = memoryIdOf(proposal.id, round)
  const there = records.get(id)
  if (there && asMemory(there)?.source.proposal !== proposal.id) {
    throw new DaybookError('conflict', `Another record has the id \`${id}\` that its memory would have.`, {
      details: { path: 'id', id },
    })
  }
  for (const replaced of proposal.supersedes ?? []) needMemory(records, replaced, 'supersedes')
  const body = bodyOf(proposal, edited, round, call)
  return putMemory(records, id, body, { sensitivity: sensitivityOf(proposal, edited) })
}

interface Approved {
  readonly proposal: Proposal
  readonly round: number
  readonly edited: Edited
  readonly call: CallPort
}

/** One memory is not replaced by another that says the same: it would be there twice, each with a reach and a fate of its own. */
function reviseMemory(records: Records, memory: Memory, { proposal, round, edited, call }: Approved): string {
  const { now, scope } = call
  const before = bodyOfMemory(memory)
  const { content = proposal.content, confidence = proposal.confidence } = edited
  const next = {
    category: edited.category ?? proposal.category,
    memory_type: edited.memory_type ?? proposal.memory_type,
  }
  const labels = edited.scope ?? proposal.labels
  const tags = edited.tags ?? proposal.tags
  const by = { proposal: proposal.id, as: memoryIdOf(proposal.id, round), at: now }
  const body = withRevision(before, { content, ...next, confidence, labels, tags }, by)
  const isMoved = next.category !== before.category || next.memory_type !== before.memory_type
  const noted = { at: now, reason: proposal.context ?? '', by: 'proposal' as const }
  const told = content === before.content ? before.metadata : withEdit(before, scope.agent, now)
  const level = sensitivityOf(proposal, edited)
  // Less is said by the owner alone, who says so while reviewing.
  const isRaised = edited.sensitivity !== undefined || isLowered(memory.sensitivity, level)
  return putMemory(
    records,
    memory.id,
    {
      ...body,
      ...(isMoved ? { reclassified: reclassifications(before, next, noted) } : {}),
      metadata: { ...told, lastConfirmed: now },
    },
    { sensitivity: isRaised ? level : undefined },
  )
}
