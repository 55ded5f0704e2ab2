// The verbs of reviewers: review a proposal, and reopen a review. Only the owner may call them, never the proposing
// agent. An approval makes a memory, under an id that derives from proposal and round, or changes the one memory that
// the proposal would replace.
// Invariant: an approval overwrites no other memory, and only a caller who confirms hidden characters can approve
// them.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { CallPort, WriteContext } from '../../../core/capability/context.ts'
import { defined } from '../../../core/defined.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { bodyOf } from '../../../core/record.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { recordId } from '../../../shape/field.ts'
import { isAlikeAgent } from '../../../core/text/fold.ts'
import type { Memory, MemoryBody } from '../memory/memory-schema.ts'
import {
  asMemory,
  bodyOfMemory,
  needMemory,
  putMemory,
  type Records,
  withEdit,
} from '../memory/stored-memory.ts'
import { checkPending, needProposal, status } from './proposal-capability.ts'
import { changes, type Decision, type Proposal } from './proposal-schema.ts'
import { decisionKey, memoryIdOf, reopenMs, revisedId, roundLimit, roundOf } from './proposal-state.ts'
import { isLowered, type Sensitivity } from '../../../core/sealed.ts'
import { usualSensitivity } from '../memory/category.ts'
import { reclassifications, withRevision } from '../memory/revision.ts'
import { hiddenOf } from './proposal-shape.ts'

type Edited = NonNullable<Decision['edited']>

/** Throws `invalid-input` if there are hidden characters that the caller has not confirmed. */
function checkSeen(
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
    `\`despiteHidden\`: The text has invisible characters (${first?.character} at ${first?.at}); approve with despiteHidden: true, or edit them out.`,
    { details: { path: 'despiteHidden', hidden } },
  )
}

/** The higher sensitivity of proposal and category, unless the owner chooses another. */
function sensitivityOf(proposal: Proposal, { sensitivity, category }: Edited): Sensitivity {
  if (sensitivity !== undefined) return sensitivity
  const usual = usualSensitivity(category ?? proposal.category)
  const proposed = proposal.sensitivity ?? 'standard'
  return isLowered(proposed, usual) ? usual : proposed
}

function approvedBody(
  proposal: Proposal,
  edited: Edited,
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

/**
 * Makes the memory, or changes the one that the proposal would replace. Returns its id. Call it in the transaction
 * of the review.
 */
function makeMemory(
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
    throw new DaybookError('conflict', `Another record has the id of its memory, \`${id}\`.`, {
      details: { path: 'id', id },
    })
  }
  for (const replaced of proposal.supersedes ?? []) needMemory(records, replaced, 'supersedes')
  const body = approvedBody(proposal, edited, round, call)
  return putMemory(records, id, body, { sensitivity: sensitivityOf(proposal, edited) })
}

interface Approved {
  readonly proposal: Proposal
  readonly round: number
  readonly edited: Edited
  readonly call: CallPort
}

/**
 * Changes a single replaced memory instead of making a new one: otherwise the memory would exist twice, each copy
 * with its own scope and lifetime.
 */
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
  const metadata = content === before.content ? before.metadata : withEdit(before, scope.agent, now)
  const level = sensitivityOf(proposal, edited)
  // Only the owner may lower the sensitivity, by a field of the review.
  const isRaised = edited.sensitivity !== undefined || isLowered(memory.sensitivity, level)
  return putMemory(
    records,
    memory.id,
    {
      ...body,
      ...(isMoved ? { reclassified: reclassifications(before, next, noted) } : {}),
      metadata: { ...metadata, lastConfirmed: now },
    },
    { sensitivity: isRaised ? level : undefined },
  )
}

const edited = z
  .strictObject(changes)
  .refine((input) => Object.values(input).some((one) => one !== undefined), {
    message: 'changes nothing: pass a field to change',
  })

const reviewInput = z
  .strictObject({
    id: recordId,
    action: z.enum(['approve', 'reject', 'edit']),
    /** With `edit`: the changed fields of the memory. */
    edited: edited.optional(),
    reason: z.string().max(1000).optional(),
    /** True: the caller confirms the hidden characters in the text. */
    despiteHidden: z.boolean().default(false),
  })
  .refine(({ action, edited: change }) => (action === 'edit') === (change !== undefined), {
    path: ['edited'],
    message: 'is required for the action `edit`, and allowed for no other',
  })
type Review = z.output<typeof reviewInput>
type At = WriteContext<'records' | 'own'>

const reviewed = z.object({
  id: z.string(),
  status,
  /** Id of the memory that the review made, changed or approved. */
  memory: z.string().optional(),
  /** Canonical time until which `reopen` can undo the review. */
  reopenUntil: z.string().optional(),
})

/** Throws `forbidden` for the proposing agent, under any of its names. */
function checkOther(proposal: Proposal, { call: { scope } }: At): void {
  if (!isAlikeAgent(proposal.by, scope.agent)) return
  throw new DaybookError('forbidden', `\`${scope.agent}\` proposed it and may not decide about it.`, {
    details: { path: 'id', reason: 'proposer' },
  })
}

function put(proposal: Proposal, change: object, { own }: At): void {
  const body = JSON.parse(JSON.stringify({ ...bodyOf(proposal), ...change })) as JsonObject
  own.put({ kind: 'proposal', id: proposal.id, body })
}

function reviewProposal(
  { action, edited: change, reason, despiteHidden }: Review,
  proposal: Proposal,
  at: At,
) {
  const { now, scope } = at.call
  checkOther(proposal, at)
  checkPending(proposal, now)
  const round = roundOf(proposal as never)
  if (action !== 'reject') checkSeen(proposal, change ?? {}, despiteHidden)
  const made: Decision = {
    round,
    action,
    at: now,
    by: scope.agent,
    ...defined({ reason }),
    ...(change ? { edited: change } : {}),
    ...(despiteHidden && action !== 'reject' ? { despiteHidden } : {}),
  }
  // Write the memory first: the proposal then gets at least its sensitivity.
  const memory = action === 'reject' ? undefined : makeMemory(at.records, proposal, made, at.call)
  put(proposal, { decisions: { ...proposal.decisions, [decisionKey(made)]: made } }, at)
  const reopenUntil = formatTime((parseTime(now) ?? 0) + reopenMs)
  const { id } = proposal
  if (memory === undefined) return { id, status: 'rejected' as const, reopenUntil }
  return { id, status: action === 'edit' ? ('edited' as const) : ('approved' as const), memory, reopenUntil }
}

/** Reviews a memory from another book, which is pending like a proposal; undefined if `id` is no memory. */
function reviewMemory({ id, action, edited: change = {}, despiteHidden }: Review, at: At) {
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
  const { sensitivity } = change
  const body: MemoryBody = {
    ...bodyOfMemory(memory),
    content: change.content ?? memory.content,
    category: change.category ?? memory.category,
    memory_type: change.memory_type ?? memory.memory_type,
    confidence: change.confidence ?? memory.confidence,
    labels: change.scope ?? memory.labels,
    tags: change.tags ?? memory.tags,
  }
  checkSeen(body, {}, despiteHidden)
  const metadata = { ...memory.metadata, approvedAt: at.call.now }
  putMemory(at.records, id, { ...body, status: 'approved', metadata }, { sensitivity })
  return { id, status: action === 'edit' ? ('edited' as const) : ('approved' as const), memory: id }
}

export const reviewCapabilities = [
  defineCapability({
    id: 'a2p:review',
    methods: ['proposals.review'],
    summary:
      'Approves a proposal, approves it with changes, or rejects it. Never by the agent that proposed it.',
    input: reviewInput,
    output: reviewed,
    decides: { path: 'id' },
    effect: 'write',
    uses: ['records', 'own'],
    run(input, at) {
      return reviewMemory(input, at) ?? reviewProposal(input, needProposal(at.own, input.id), at)
    },
  }),
  defineCapability({
    id: 'a2p:reopen',
    methods: ['proposals.reopen'],
    summary: 'Undoes a review within ten minutes: the proposal waits again, and its memory is forgotten.',
    input: z.strictObject({ id: recordId }),
    output: z.object({
      id: z.string(),
      status,
      /** Id of the memory that was forgotten. */
      forgotten: z.string().optional(),
    }),
    decides: { path: 'id' },
    effect: 'write',
    uses: ['records', 'own'],
    run({ id }, at) {
      const proposal = needProposal(at.own, id)
      const { now, scope } = at.call
      checkOther(proposal, at)
      const { resolution } = proposal
      if (!resolution || resolution.action === 'withdrawn') {
        throw new DaybookError('conflict', `\`${id}\` was not reviewed, so its review can't be reopened.`, {
          details: { path: 'id', status: proposal.status },
        })
      }
      const until = formatTime((parseTime(resolution.resolvedAt) ?? 0) + reopenMs)
      const round = roundOf(proposal as never)
      if (now > until || round >= roundLimit) {
        const message = `The review of \`${id}\` is final since ${resolution.resolvedAt}: edit or forget the memory, or have it proposed again.`
        throw new DaybookError('conflict', message, { details: { path: 'id', until } })
      }
      const memory = memoryIdOf(id, round)
      const isHere = at.records.get(memory) !== undefined
      put(proposal, { reopened: { ...proposal.reopened, [round + 1]: { at: now, by: scope.agent } } }, at)
      return { id, status: 'pending' as const, ...(isHere ? { forgotten: memory } : {}) }
    },
  }),
] as const
