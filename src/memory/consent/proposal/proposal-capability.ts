// The verbs of proposers: propose, list, withdraw, count.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import { isUnderstood, needUnderstood } from '../../../core/capability/understood.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { DaybookError, notFound } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { bodyOf } from '../../../core/record.ts'
import { recordId, sealed, sealedField } from '../../../shape/field.ts'
import { withoutZeroMillis } from '../memory/read-memory.ts'
import { proposalKind } from './proposal-kind.ts'
import {
  hiddenCharactersOf,
  toProtocolForm,
  statusAt,
  showToProposer,
  showWithheld,
} from './proposal-output.ts'
import { type Proposal, proposalStates, normalizeProposal, proposeInput } from './proposal-schema.ts'
import { isSameAgent, propose } from './propose.ts'
import { cursor, limit, restOf } from '../../../shape/page.ts'

/** Hidden characters of a text: see hidden-text.ts. */
export const hiddenOutput = z.array(z.object({ at: z.number(), character: z.string() })).readonly()
export const statusOutput = z.enum(proposalStates)
const proposalOutput = z.looseObject({ id: z.string(), status: statusOutput })
const stateCounts = Object.fromEntries(proposalStates.map((state) => [state, z.number()])) as Record<
  z.output<typeof statusOutput>,
  z.ZodNumber
>

/**
 * Returns the proposal `id`. Throws `not-found` if the caller sees no such proposal, `record-newer` if a later
 * version wrote it.
 */
export function requireProposal({ get }: { get(id: string): object | undefined }, id: string): Proposal {
  const proposal = get(id) as Proposal | undefined
  if (proposal?.kind !== 'proposal') {
    throw notFound('proposal', id)
  }
  needUnderstood(proposalKind, proposal)
  return proposal
}

/** Filter for proposals whose status at `now` is `state`. */
export function statusFilter(state: z.output<typeof statusOutput>, now: string): object {
  if (state === 'pending') return { status: 'pending', expiresAt: { gt: now } }
  if (state === 'expired') return { status: 'pending', expiresAt: { lte: now } }
  return { status: state }
}

/** Throws `conflict` unless the proposal is pending. */
export function assertPending(proposal: Proposal, now: string): void {
  const state = statusAt(proposal, now)
  if (state === 'pending') return
  const message =
    state === 'expired'
      ? `\`${proposal.id}\` expired at ${proposal.expiresAt}: the agent may propose it again.`
      : `\`${proposal.id}\` is already ${state}.`
  throw new DaybookError('conflict', message, { details: { path: 'id', status: state } })
}

/** The number of imported memories that wait for a decision. */
const waitingMemories = (records: Pick<RecordReader, 'count'>): number =>
  records.count({ kind: 'memory', filters: { status: 'pending' }, by: 'none' }).total

export const proposalCapabilities = [
  defineCapability({
    id: 'a2p:propose',
    permission: 'propose',
    methods: ['proposals.propose'],
    summary:
      'Proposes a memory, which the user approves, edits or rejects; it is remembered when it is approved.',
    input: proposeInput,
    output: z.object({
      id: z.string(),
      /** `duplicate`: the agent's same proposal is already pending; `id` is its id. */
      result: z.enum(['proposed', 'duplicate']),
      status: statusOutput,
      proposedAt: z.string(),
      expiresAt: z.string(),
      /** Invisible characters in the content, the labels and the tags. */
      hidden: hiddenOutput,
    }),
    effect: 'write',
    // own: the proposals. OwnWriter in core/capability/port/record-port.ts explains its methods.
    uses: ['records', 'own'],
    run(input, at) {
      const { id, result, proposal } = propose(input, normalizeProposal(input), at)
      return {
        id,
        result,
        status: statusAt({ ...proposal, id, kind: 'proposal' } as Proposal, at.call.now),
        proposedAt: withoutZeroMillis(proposal.proposedAt),
        expiresAt: withoutZeroMillis(proposal.expiresAt),
        hidden: hiddenCharactersOf(proposal),
      }
    },
  }),
  defineCapability({
    id: 'a2p:list_proposals',
    permission: 'propose',
    methods: ['proposals.list'],
    summary: 'Lists proposals, newest first: an agent its own, the owner all of them.',
    input: z
      .strictObject({
        /** Only the proposal of this id. */
        id: recordId.optional(),
        status: statusOutput.optional(),
        /** Only proposals of this agent, by its name or DID. */
        agent: z.string().min(1).max(1000).optional(),
        /** `schema`: in the form of the protocol, with the memory as an object. */
        form: z.enum(['flat', 'schema']).default('flat'),
        limit: limit(),
        cursor,
      })
      .prefault({}),
    output: z.object({ proposals: z.array(proposalOutput), cursor: z.string().optional(), sealed }),
    effect: 'read',
    uses: ['own'],
    run({ id, status: state, agent, form, limit, cursor }, at) {
      const { now } = at.call
      const filters = [
        ...(id === undefined ? [] : [{ id }]),
        ...(state === undefined ? [] : [statusFilter(state, now)]),
        ...(agent === undefined ? [] : [{ or: [{ by: agent }, { agentDid: agent }] }]),
      ]
      const query = filters.length > 0 ? { and: filters } : undefined
      const page = at.own.query({ kind: 'proposal', filters: query, limit, cursor })
      // A proposal may quote its sources, so a proposer that may not read one of them sees no texts.
      const shownProposals = (page.records as unknown as Proposal[])
        .filter((proposal) => isUnderstood(proposalKind, proposal))
        .map((proposal) =>
          at.own.isOpen(proposal as never)
            ? showToProposer(proposal, at.own, now)
            : showWithheld(proposal, now),
        )
      return {
        proposals:
          form === 'flat'
            ? shownProposals
            : shownProposals.map((proposal) => toProtocolForm(proposal) as { id: string; status: never }),
        ...restOf(page),
      }
    },
  }),
  defineCapability({
    id: 'a2p:withdraw',
    impact: 'ends',
    permission: 'propose',
    methods: ['proposals.withdraw'],
    summary: 'Withdraws an undecided proposal, for the agent that made it.',
    input: z.strictObject({ id: recordId }),
    output: z.object({ id: z.string(), status: statusOutput }),
    effect: 'write',
    uses: ['own'],
    run({ id }, at) {
      const proposal = requireProposal(at.own, id)
      const { now, scope } = at.call
      if (!isSameAgent(proposal.by, scope.agent)) {
        throw new DaybookError(
          'forbidden',
          `\`${proposal.by}\` proposed it; reject it instead of withdrawing it.`,
          {
            details: { path: 'id' },
          },
        )
      }
      assertPending(proposal, now)
      const body = { ...bodyOf(proposal), withdrawn: { at: now } } as JsonObject
      at.own.put({ kind: 'proposal', id, body })
      return { id, status: 'withdrawn' as const }
    },
  }),
  defineCapability({
    id: 'a2p:proposal_counts',
    permission: 'propose',
    methods: ['proposals.counts'],
    summary:
      'Counts proposals by status: an agent its own, the owner all of them, and the imported memories that wait.',
    input: z.strictObject({ agent: z.string().min(1).max(1000).optional() }).prefault({}),
    output: z.object({
      ...stateCounts,
      /**
       * For the owner without `agent`: imported memories that wait for a decision, outside `pending`. See them in
       * `memories.query({ status: 'pending' })`.
       */
      memories: z.number().optional(),
      sealed,
    }),
    effect: 'read',
    // records: the imported memories.
    uses: ['records', 'own'],
    run({ agent }, at) {
      const agentFilter = agent === undefined ? [] : [{ or: [{ by: agent }, { agentDid: agent }] }]
      const counted = proposalStates.map((state) => [
        state,
        at.own.count('proposal', { and: [statusFilter(state, at.call.now), ...agentFilter] }),
      ])
      const counts = Object.fromEntries(counted) as Record<z.output<typeof statusOutput>, number>
      const isAll = at.call.caller.role === 'owner' && agent === undefined
      return {
        ...counts,
        ...(isAll ? { memories: waitingMemories(at.records) } : {}),
        ...sealedField(at.own.unread('proposal')),
      }
    },
  }),
] as const
