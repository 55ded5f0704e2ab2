// The verbs of reviewers: review a proposal, and reopen a review. Only the owner may call them, never the proposing
// agent. An approval makes a memory or a standing rule, under an id that derives from proposal and round, or changes the
// one memory that the proposal would replace.
// Invariant: an approval overwrites no other memory, and only a caller who confirms hidden characters can approve
// them.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { CallPort, WriteContext } from '../../../core/capability/context.ts'
import { defined } from '../../../core/defined.ts'
import { DaybookError, invalidInput } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { bodyOf } from '../../../core/record.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { recordId } from '../../../shape/field.ts'
import { isAlikeAgent } from '../../../core/text/fold.ts'
import type { Memory, MemoryBody } from '../memory/memory-schema.ts'
import {
  asMemory,
  bodyOfMemory,
  requireMemory,
  putMemory,
  type MemoryRecords,
  metadataWithEdit,
} from '../memory/stored-memory.ts'
import { assertPending, requireProposal, statusOutput } from './proposal-capability.ts'
import { changeableFields, type Decision, type Proposal } from './proposal-schema.ts'
import {
  decisionKey,
  approvedMemoryId,
  approvedRecordId,
  reopenWindowMs,
  revisedMemoryId,
  maxReopenings,
  currentRound,
} from './proposal-state.ts'
import { isLowered, isSealing, type Sensitivity } from '../../../core/sealed.ts'
import { defaultSensitivity, raisedSensitivity } from '../memory/category.ts'
import { reclassifications, withRevision } from '../memory/revision.ts'
import { hiddenCharactersOf, reviewableUntil } from './proposal-output.ts'

type EditedFields = NonNullable<Decision['edited']>

/** Throws `invalid-input` if there are hidden characters that the caller has not confirmed. */
function assertHiddenConfirmed(
  proposal: Pick<Proposal, 'content' | 'labels' | 'tags'>,
  edited: EditedFields,
  isConfirmed: boolean,
): void {
  const { content = proposal.content, scope: labels = proposal.labels, tags = proposal.tags } = edited
  const hidden = hiddenCharactersOf({ content, labels, tags })
  if (hidden.length === 0 || isConfirmed) return
  const [first] = hidden
  throw invalidInput(
    'despiteHidden',
    `The text has invisible characters (${first?.character} at ${first?.at}); approve with despiteHidden: true, or edit them out`,
    { hidden },
  )
}

/** The higher sensitivity of proposal and category, unless the owner chooses another. */
function sensitivityOf(proposal: Proposal, { sensitivity, category }: EditedFields): Sensitivity {
  if (sensitivity !== undefined) return sensitivity
  const defaultLevel = defaultSensitivity(category ?? proposal.category)
  const proposed = proposal.sensitivity ?? 'standard'
  return isLowered(proposed, defaultLevel) ? defaultLevel : proposed
}

function createMemoryBody(
  proposal: Proposal,
  edited: EditedFields,
  round: number,
  { now, scope }: CallPort,
): MemoryBody {
  const { agentDid, agentName, sessionId, context, by, supersedes = [] } = proposal
  const { content = proposal.content, confidence = proposal.confidence } = edited
  const { scope: labels = proposal.labels, tags = proposal.tags } = edited
  const history =
    content === proposal.content
      ? {}
      : { editHistory: [{ editedAt: now, previousContent: proposal.content, editedBy: scope.agent }] }
  const consolidation = supersedes.length > 1 ? { consolidatedFrom: supersedes, mergedFrom: supersedes } : {}
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
    metadata: { approvedAt: now, initialConfidence: confidence, ...history, ...consolidation },
    ...(supersedes.length > 0 ? { supersedes } : {}),
  }
}

/**
 * Makes the memory, or changes the one that the proposal would replace. Returns its id. Call it in the transaction
 * of the review.
 */
function applyApproval(
  records: MemoryRecords,
  proposal: Proposal,
  { round, edited = {} }: Pick<Decision, 'round' | 'edited'>,
  call: CallPort,
): string {
  if (proposal.rule) return putApprovedRule(records, proposal, { round, edited })
  // `as never`, here and below: proposal-state.ts accepts any JSON object.
  const revisedId = revisedMemoryId(proposal as never)
  if (revisedId !== undefined)
    return reviseMemory(records, requireMemory(records, revisedId, 'supersedes'), {
      proposal,
      round,
      edited,
      call,
    })
  const id = approvedMemoryId(proposal.id, round)
  const occupant = records.get(id)
  if (occupant && asMemory(occupant)?.source.proposal !== proposal.id) {
    throw new DaybookError('conflict', `Another record has the id of its memory, \`${id}\`.`, {
      details: { path: 'id', id },
    })
  }
  for (const replaced of proposal.supersedes ?? []) requireMemory(records, replaced, 'supersedes')
  const body = createMemoryBody(proposal, edited, round, call)
  return putMemory(records, id, body, { sensitivity: sensitivityOf(proposal, edited) })
}

/** A rule is readable for every agent that it applies to, so a sealed proposal makes none. */
function putApprovedRule(
  records: MemoryRecords,
  { id: proposalId, rule, content, sensitivity }: Proposal,
  { round, edited = {} }: Pick<Decision, 'round' | 'edited'>,
): string {
  if (isSealing(edited.sensitivity ?? sensitivity))
    throw invalidInput(
      'id',
      'The proposal is sensitive, and every copy must read a rule: add the rule yourself',
    )
  const id = approvedRecordId(proposalId, { rule }, round)
  const body = { text: edited.content ?? content, ...rule, proposal: proposalId }
  return records.put({ kind: 'rule', id, body: body as JsonObject, exact: true })
}

interface Approval {
  readonly proposal: Proposal
  readonly round: number
  readonly edited: EditedFields
  readonly call: CallPort
}

/**
 * The class that a memory gets: a field that the proposal left as the memory had it then stays as it is now, because the
 * owner may have changed it since.
 */
function proposedClass(
  records: Pick<MemoryRecords, 'history'>,
  memory: Memory,
  proposal: Proposal,
): Pick<Memory, 'category' | 'memory_type' | 'confidence'> {
  const then = records.history(memory.id).findLast(({ at }) => at <= proposal.created_at)?.body
  const isLeft = (name: 'category' | 'memory_type' | 'confidence') => then?.[name] === proposal[name]
  const { category, memory_type, confidence } = proposal
  return {
    category: isLeft('category') ? memory.category : category,
    memory_type: isLeft('memory_type') ? memory.memory_type : memory_type,
    confidence: isLeft('confidence') ? memory.confidence : confidence,
  }
}

/**
 * Changes a single replaced memory instead of making a new one: otherwise the memory would exist twice, each copy
 * with its own scope and lifetime.
 */
function reviseMemory(
  records: MemoryRecords,
  memory: Memory,
  { proposal, round, edited, call }: Approval,
): string {
  const { now, scope } = call
  const currentBody = bodyOfMemory(memory)
  const proposed = proposedClass(records, memory, proposal)
  const { content = proposal.content, confidence = proposed.confidence } = edited
  const next = {
    category: edited.category ?? proposed.category,
    memory_type: edited.memory_type ?? proposed.memory_type,
  }
  const labels = edited.scope ?? proposal.labels
  const tags = edited.tags ?? proposal.tags
  const origin = { proposal: proposal.id, revisionKey: approvedMemoryId(proposal.id, round), at: now }
  const body = withRevision(currentBody, { content, ...next, confidence, labels, tags }, origin)
  const isReclassified =
    next.category !== currentBody.category || next.memory_type !== currentBody.memory_type
  const note = { at: now, reason: proposal.context ?? '', by: 'proposal' as const }
  const metadata =
    content === currentBody.content ? currentBody.metadata : metadataWithEdit(currentBody, scope.agent, now)
  const level = sensitivityOf(proposal, edited)
  // Only the owner may lower the sensitivity, by a field of the review.
  const isRaised = edited.sensitivity !== undefined || isLowered(memory.sensitivity, level)
  return putMemory(
    records,
    memory.id,
    {
      ...body,
      ...(isReclassified ? { reclassified: reclassifications(currentBody, next, note) } : {}),
      metadata: { ...metadata, lastConfirmed: now },
    },
    { sensitivity: isRaised ? level : undefined },
  )
}

const editedInput = z
  .strictObject(changeableFields)
  .refine((input) => Object.values(input).some((value) => value !== undefined), {
    message: 'Pass a field to change',
  })

const reviewInput = z
  .strictObject({
    id: recordId,
    action: z.enum(['approve', 'reject', 'edit']),
    /** With `edit`: the changed fields of the memory. */
    edited: editedInput.optional(),
    reason: z.string().max(1000).optional(),
    /** True: the caller confirms the hidden characters in the text. */
    despiteHidden: z.boolean().default(false),
  })
  .refine(({ action, edited: change }) => (action === 'edit') === (change !== undefined), {
    path: ['edited'],
    message: 'is required for the action `edit`, and allowed for no other',
  })
type Review = z.output<typeof reviewInput>
type ReviewContext = WriteContext<'records' | 'own'>

const reviewOutput = z.object({
  id: z.string(),
  status: statusOutput,
  /** Id of the memory that the review made, changed or approved. */
  memory: z.string().optional(),
  /** Id of the standing rule that the review made. */
  rule: z.string().optional(),
  /** Canonical time until which `reopen` can undo the review. */
  reopenUntil: z.string().optional(),
})

/** Throws `forbidden` for the proposing agent, under any of its names. */
function assertNotProposer(proposal: Proposal, { call: { scope } }: ReviewContext): void {
  if (!isAlikeAgent(proposal.by, scope.agent)) return
  throw new DaybookError('forbidden', `\`${scope.agent}\` proposed it and may not decide about it.`, {
    details: { path: 'id', reason: 'proposer' },
  })
}

function updateProposal(proposal: Proposal, change: object, { own }: ReviewContext): void {
  const body = JSON.parse(JSON.stringify({ ...bodyOf(proposal), ...change })) as JsonObject
  own.put({ kind: 'proposal', id: proposal.id, body })
}

function reviewProposal(
  { action, edited: change, reason, despiteHidden }: Review,
  proposal: Proposal,
  at: ReviewContext,
) {
  const { now, scope } = at.call
  assertNotProposer(proposal, at)
  assertPending(proposal, now)
  const round = currentRound(proposal as never)
  if (action !== 'reject') assertHiddenConfirmed(proposal, change ?? {}, despiteHidden)
  const decision: Decision = {
    round,
    action,
    at: now,
    by: scope.agent,
    ...defined({ reason }),
    ...(change ? { edited: change } : {}),
    ...(despiteHidden && action !== 'reject' ? { despiteHidden } : {}),
  }
  // Write the memory first: the proposal then gets at least its sensitivity.
  const made = action === 'reject' ? undefined : applyApproval(at.records, proposal, decision, at.call)
  updateProposal(proposal, { decisions: { ...proposal.decisions, [decisionKey(decision)]: decision } }, at)
  const reopenUntil = formatTime((parseTime(now) ?? 0) + reopenWindowMs)
  const { id } = proposal
  if (made === undefined) return { id, status: 'rejected' as const, reopenUntil }
  const status = action === 'edit' ? ('edited' as const) : ('approved' as const)
  return { id, status, [proposal.rule ? 'rule' : 'memory']: made, reopenUntil }
}

/** Reviews a memory from another book, which is pending like a proposal; undefined if `id` is not a memory. */
function reviewMemory({ id, action, edited: change = {}, despiteHidden }: Review, at: ReviewContext) {
  const memory = asMemory(at.records.get(id))
  if (!memory) return undefined
  if (memory.status !== 'pending') {
    throw new DaybookError('conflict', `\`${id}\` is already ${memory.status}.`, {
      details: { path: 'id', status: memory.status },
    })
  }
  if (action === 'reject') {
    at.records.forget(id)
    return { id, status: 'rejected' as const }
  }
  const body: MemoryBody = {
    ...bodyOfMemory(memory),
    content: change.content ?? memory.content,
    category: change.category ?? memory.category,
    memory_type: change.memory_type ?? memory.memory_type,
    confidence: change.confidence ?? memory.confidence,
    labels: change.scope ?? memory.labels,
    tags: change.tags ?? memory.tags,
  }
  assertHiddenConfirmed(body, {}, despiteHidden)
  const { now, scope } = at.call
  const metadata =
    body.content === memory.content ? memory.metadata : metadataWithEdit(memory, scope.agent, now)
  const approved: MemoryBody = { ...body, status: 'approved', metadata: { ...metadata, approvedAt: now } }
  // The bundle may have named no sensitivity, and the review another category.
  const sensitivity = change.sensitivity ?? raisedSensitivity(body.category, memory.sensitivity)
  putMemory(at.records, id, approved, { sensitivity })
  return { id, status: action === 'edit' ? ('edited' as const) : ('approved' as const), memory: id }
}

export const reviewCapabilities = [
  defineCapability({
    id: 'a2p:review',
    methods: ['proposals.review'],
    summary:
      'Approves a proposal, approves it with changes, or rejects it. Never by the agent that proposed it.',
    input: reviewInput,
    output: reviewOutput,
    // The engine refuses the call of an agent that proposed this record.
    decides: { path: 'id' },
    effect: 'write',
    // own: the proposals.
    uses: ['records', 'own'],
    run(input, at) {
      return reviewMemory(input, at) ?? reviewProposal(input, requireProposal(at.own, input.id), at)
    },
  }),
  defineCapability({
    id: 'a2p:reopen',
    methods: ['proposals.reopen'],
    summary:
      'Undoes a review within ten minutes: the proposal waits again, and its memory or rule is forgotten.',
    input: z.strictObject({ id: recordId }),
    output: z.object({
      id: z.string(),
      status: statusOutput,
      /** Id of the memory or rule that was forgotten. */
      forgotten: z.string().optional(),
    }),
    decides: { path: 'id' },
    effect: 'write',
    uses: ['records', 'own'],
    run({ id }, at) {
      const proposal = requireProposal(at.own, id)
      const { now, scope } = at.call
      assertNotProposer(proposal, at)
      const { resolution } = proposal
      if (!resolution || resolution.action === 'withdrawn') {
        throw new DaybookError('conflict', `\`${id}\` was not reviewed, so its review can't be reopened.`, {
          details: { path: 'id', status: proposal.status },
        })
      }
      const until = formatTime((parseTime(resolution.resolvedAt) ?? 0) + reopenWindowMs)
      const round = currentRound(proposal as never)
      if (now > until || round >= maxReopenings) {
        const message = `The review of \`${id}\` is final since ${resolution.resolvedAt}: edit or forget the memory, or have it proposed again.`
        throw new DaybookError('conflict', message, { details: { path: 'id', until } })
      }
      // The engine forgets the memory, or undoes the change of one, when the stored proposal ends the round.
      const memory = approvedRecordId(id, proposal, round)
      const exists = at.records.get(memory) !== undefined
      const reopened = { ...proposal.reopened, [round + 1]: { at: now, by: scope.agent } }
      // Lists and counts filter by the stored end.
      updateProposal(proposal, { reopened, expiresAt: reviewableUntil({ ...proposal, reopened }) }, at)
      return { id, status: 'pending' as const, ...(exists ? { forgotten: memory } : {}) }
    },
  }),
] as const
