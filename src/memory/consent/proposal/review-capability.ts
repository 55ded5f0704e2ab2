// The verbs of whoever decides: review a proposal, and take the review back. The owner's, and never the proposer's.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { WriteContext } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { bodyOf } from '../../../core/record.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { recordId } from '../../../shape/record-id.ts'
import { isAlikeAgent } from '../../../core/text/fold-agent.ts'
import type { MemoryBody } from '../memory/memory-schema.ts'
import { asMemory, bodyOfMemory, putMemory } from '../memory/stored-memory.ts'
import { checkSeen, makeMemory } from './approve.ts'
import { checkPending, needProposal, status } from './proposal-capability.ts'
import { changes, type Decision, type Proposal } from './proposal-schema.ts'
import { decisionKey, memoryIdOf, reopenMs, roundLimit, roundOf } from './proposal-state.ts'

const edited = z
  .strictObject(changes)
  .refine((input) => Object.values(input).some((one) => one !== undefined), {
    message: 'says nothing: give what is to be remembered instead',
  })

const reviewInput = z
  .strictObject({
    id: recordId,
    action: z.enum(['approve', 'reject', 'edit']),
    /** With `edit`: what is remembered instead of what was proposed. */
    edited: edited.optional(),
    reason: z.string().max(1000).optional(),
    /** Whoever approves knows of the hidden characters in the text. */
    despite_hidden: z.boolean().default(false),
  })
  .refine(({ action, edited: change }) => (action === 'edit') === (change !== undefined), {
    path: ['edited'],
    message: 'belongs to the action `edit`, and to no other',
  })
type Review = z.output<typeof reviewInput>
type At = WriteContext<'records' | 'own'>

const reviewed = z.object({
  id: z.string(),
  status,
  /** The memory that it is now. */
  memory: z.string().optional(),
  /** Until when the review can be taken back by `reopen`. */
  reopen_until: z.string().optional(),
})

/** The proposer decides nothing, under whichever of its names. */
function checkOther(proposal: Proposal, { call: { scope } }: At): void {
  if (!isAlikeAgent(proposal.by, scope.agent)) return
  throw new DaybookError('forbidden', `\`${scope.agent}\` has proposed it, and decides nothing about it.`, {
    details: { path: 'id', reason: 'proposer' },
  })
}

function put(proposal: Proposal, change: object, { own }: At): void {
  const body = JSON.parse(JSON.stringify({ ...bodyOf(proposal), ...change })) as JsonObject
  own.put({ kind: 'proposal', id: proposal.id, body })
}

function reviewProposal(
  { action, edited: change, reason, despite_hidden }: Review,
  proposal: Proposal,
  at: At,
) {
  const { now, scope } = at.call
  checkOther(proposal, at)
  checkPending(proposal, now)
  const round = roundOf(proposal as never)
  if (action !== 'reject') checkSeen(proposal, change ?? {}, despite_hidden)
  const made: Decision = {
    round,
    action,
    at: now,
    by: scope.agent,
    ...(reason === undefined ? {} : { reason }),
    ...(change ? { edited: change } : {}),
    ...(despite_hidden && action !== 'reject' ? { despite_hidden } : {}),
  }
  // The memory first: what the proposal says of it is as guarded as that is then.
  const memory = action === 'reject' ? undefined : makeMemory(at.records, proposal, made, at.call)
  put(proposal, { decisions: { ...proposal.decisions, [decisionKey(made)]: made } }, at)
  const reopen_until = formatTime((parseTime(now) ?? 0) + reopenMs)
  const { id } = proposal
  if (memory === undefined) return { id, status: 'rejected' as const, reopen_until }
  return { id, status: action === 'edit' ? ('edited' as const) : ('approved' as const), memory, reopen_until }
}

/** A memory that came from another book waits for its user as a proposal does. */
function reviewMemory({ id, action, edited: change = {}, despite_hidden }: Review, at: At) {
  const memory = asMemory(at.records.get(id))
  if (!memory) return undefined
  if (memory.status !== 'pending') {
    throw new DaybookError('conflict', `\`${id}\` is ${memory.status} already.`, {
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
  checkSeen(body, {}, despite_hidden)
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
    summary:
      'Takes a review back within ten minutes: the proposal waits again, and the memory that was made of it is forgotten.',
    input: z.strictObject({ id: recordId }),
    output: z.object({
      id: z.string(),
      status,
      /** The memory that is gone with the review. */
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
        throw new DaybookError('conflict', `\`${id}\` was not reviewed: there is nothing to take back.`, {
          details: { path: 'id', status: proposal.status },
        })
      }
      const until = formatTime((parseTime(resolution.resolvedAt) ?? 0) + reopenMs)
      const round = roundOf(proposal as never)
      if (now > until || round >= roundLimit) {
        const message = `The review of \`${id}\` stands since ${resolution.resolvedAt}: edit or forget the memory, or have it proposed anew.`
        throw new DaybookError('conflict', message, { details: { path: 'id', until } })
      }
      const memory = memoryIdOf(id, round)
      const isHere = at.records.get(memory) !== undefined
      put(proposal, { reopened: { ...proposal.reopened, [round + 1]: { at: now, by: scope.agent } } }, at)
      return { id, status: 'pending' as const, ...(isHere ? { forgotten: memory } : {}) }
    },
  }),
] as const
