// The verbs to take part: propose, publish a record, vote.
// Invariant: only content that the rules allow leaves this book; an agent votes only as its own claw, and only its last
// vote counts.
import { z } from 'zod'
import type { CallPort, WriteContext } from '../../../core/capability/context.ts'
import { defined } from '../../../core/defined.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Json } from '../../../core/json/path.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { poolLimits } from '../../../shape/envelope.ts'
import { votingTimeMs } from '../pool-config.ts'
import { type PoolProposalBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/text/name-id.ts'
import { factIdOf, sameClaw } from '../rule/claw-id.ts'
import { assertRecordMayLeave, assertTagsMayLeave, secretError, textToPropose } from '../rule/may-leave.ts'
import { recordPresence } from '../service/announce.ts'
import {
  clawOfAgent,
  envelopeHead,
  hasSecret,
  putRecord,
  readBallot,
  readDecision,
  readFact,
  readProposal,
  type PoolContext,
  sendEnvelope,
} from '../take/pool-context.ts'
import { maxVotesPerClaw } from '../take/take-proposal.ts'
import { callingAgent, id, factPart, poolContextOf, tags, boundedText, votingAgent } from './shape.ts'
import { writeVerb } from '../../../shape/record-verbs.ts'

const factInput = z.strictObject({
  /** The id of the fact that gets a new version. Absent: a new fact. */
  id: id.optional(),
  subject: factPart,
  predicate: factPart,
  object: factPart,
})

const proposeResult = z.object({
  /** Id of the proposal for other agents; `record` is its id in this book. */
  proposal: z.string(),
  record: z.string(),
  claw: z.string(),
  fact: z.object({ id: z.string(), version: z.number() }),
  expiresAt: z.string(),
})

interface ProposalContent {
  readonly statement: string
  readonly title?: string | undefined
  readonly tags: readonly string[]
  readonly fact?: z.output<typeof factInput> | undefined
  /** The id of the published record. */
  readonly madeFrom?: string
}

/**
 * The fact that a proposal becomes: a new fact, or the next version of a fact in this book. Throws `not-found` for
 * an unknown fact.
 */
function factFor(context: PoolContext, proposal: string, { fact, title, statement }: ProposalContent) {
  const statementFields = fact
    ? { subject: fact.subject, predicate: fact.predicate, object: fact.object }
    : { subject: title ?? 'statement', predicate: 'states', object: statement }
  if (fact?.id === undefined) return { id: factIdOf(proposal), version: 1, ...statementFields }
  const stored = readFact(context, fact.id)
  if (stored) return { id: fact.id, version: stored.version + 1, ...statementFields }
  throw new DaybookError('not-found', `This book has no fact \`${fact.id}\` of the pool.`, {
    details: { path: 'fact.id' },
  })
}

function propose(
  context: PoolContext,
  agent: string,
  content: ProposalContent,
  at: WriteContext<'records' | 'pool'>,
) {
  const { config, now, pool } = context
  const { title, statement, madeFrom } = content
  assertTagsMayLeave(content.tags, config)
  assertNoSecret(at, { statement, ...defined({ title, fact: content.fact }), tags: [...content.tags] })
  const claw = clawOfAgent(context, agent)
  const proposal = pool.newId('claw_proposal')
  const fact = factFor(context, proposal, content)
  const trace = pool.newId('claw_trace')
  const expiresAt = formatTime(now + votingTimeMs(config))
  const body: PoolProposalBody = {
    proposal,
    claw,
    by: agent,
    group: config.group,
    instance: pool.self.instance,
    trace,
    ...defined({ title }),
    statement,
    tags: [...content.tags],
    proposedAt: formatTime(now),
    expiresAt,
    fact,
    ...defined({ madeFrom }),
  }
  const record = recordIds.proposal(proposal)
  putRecord(context, 'pool_proposal', record, body)
  recordPresence(context, claw)
  sendEnvelope(context, {
    ...envelopeHead(context, { claw, key: `knowledge:proposal:${proposal}`, trace }),
    type: 'proposal',
    payload: {
      proposalId: proposal,
      group: config.group,
      title,
      statement,
      tags: [...content.tags],
      expiresAt,
      fact: {
        factId: fact.id,
        version: fact.version,
        subject: fact.subject,
        predicate: fact.predicate,
        object: fact.object,
      },
    },
  })
  return { proposal, record, claw, fact: { id: fact.id, version: fact.version }, expiresAt }
}

/** Throws `conflict` if governance is off. */
function assertGovernance({ config }: PoolContext): void {
  if (config.governance) return
  throw new DaybookError(
    'conflict',
    'Governance is off: this book neither proposes nor votes. Turn it on with pool:configure.',
    {
      details: { path: 'governance', reason: 'governance_disabled' },
    },
  )
}

function readOwnRecord({ get }: WriteContext<'records'>['records'], call: CallPort, recordId: string) {
  const record = get(recordId)
  if (!record) throw new DaybookError('not-found', undefined, { details: { path: 'record' } })
  assertRecordMayLeave(record, callingAgent(call))
  return record
}

export const proposeCapabilities = [
  writeVerb({
    id: 'pool:propose',
    runs: 'device',
    method: 'pool.propose',
    summary:
      'Proposes knowledge to the other agents of the group. If they approve it by vote, it becomes a fact of the pool.',
    input: z.strictObject({
      statement: boundedText(poolLimits.statement),
      title: boundedText(poolLimits.title).optional(),
      /** At least one allowed tag. */
      tags: tags.min(1),
      /** The fact that it becomes. Default: `<title> states <statement>`. */
      fact: factInput.optional(),
    }),
    output: proposeResult,
    uses: ['records', 'pool'],
    run(content, at) {
      const context = poolContextOf(at)
      assertGovernance(context)
      return propose(context, callingAgent(at.call), content, at)
    },
  }),
  writeVerb({
    id: 'pool:publish',
    runs: 'device',
    method: 'pool.publish',
    summary:
      'Proposes the content of a record of this book. Sealed records, and those of other agents, are refused.',
    input: z.strictObject({
      record: z.string().min(1).max(128),
      tags: tags.min(1),
      title: boundedText(poolLimits.title).optional(),
      /** Default: the text of the record. */
      statement: boundedText(poolLimits.statement).optional(),
      /** The id of the fact that gets a new version. Absent: a new fact. */
      fact: id.optional(),
    }),
    output: proposeResult,
    uses: ['records', 'pool'],
    run({ record: recordId, tags: proposalTags, title, statement, fact }, at) {
      const context = poolContextOf(at)
      assertGovernance(context)
      const record = readOwnRecord(at.records, at.call, recordId)
      const recordContent = statement === undefined ? textToPropose(record) : { statement }
      if (recordContent.statement.length > poolLimits.statement)
        throw new DaybookError(
          'invalid-input',
          `The text of the record is longer than ${poolLimits.statement} characters. Give a shorter statement.`,
          {
            details: { path: 'statement' },
          },
        )
      const triple = recordContent.fact ?? {
        subject: title ?? 'statement',
        predicate: 'states',
        object: recordContent.statement,
      }
      const content = {
        ...recordContent,
        title,
        tags: proposalTags,
        fact: fact === undefined ? recordContent.fact : { ...triple, id: fact },
        madeFrom: record.id,
      }
      return propose(context, callingAgent(at.call), content, at)
    },
  }),
  writeVerb({
    id: 'pool:vote',
    impact: 'ends',
    runs: 'device',
    method: 'pool.vote',
    summary: 'Votes on a proposal as the calling agent; a changed vote counts until the decision.',
    input: z.strictObject({
      /** Id of the proposal for other agents, not of its record. */
      proposal: id,
      vote: z.enum(['yes', 'no']),
      reason: boundedText(poolLimits.reason).optional(),
    }),
    output: z.object({
      proposal: z.string(),
      /** The id of the vote's record. */
      record: z.string(),
      claw: z.string(),
      vote: z.enum(['yes', 'no']),
      /** The number of this claw's vote on the proposal, from 1. */
      n: z.number(),
      changed: z.boolean(),
      /** False for the proposer's own vote, unless `selfVote` is set. */
      counts: z.boolean(),
    }),
    uses: ['records', 'pool'],
    run({ proposal: proposalId, vote, reason }, at) {
      const context = poolContextOf(at)
      assertGovernance(context)
      // Not `callingAgent`: an agent that grants tokens to others must not get their votes.
      const agent = votingAgent(at.call)
      const claw = clawOfAgent(context, agent)
      const proposal = readProposal(context, proposalId)
      if (!proposal)
        throw new DaybookError('not-found', `This book has no proposal \`${proposalId}\`.`, {
          details: { path: 'proposal' },
        })
      assertOpen(context, proposal)
      const stored = readBallot(context, proposalId, claw)
      const counts = context.config.selfVote || !sameClaw(claw, proposal.claw)
      const record = recordIds.ballot(proposalId, claw)
      // An unchanged vote is not sent again, so a new reason for it is not stored.
      if (stored?.vote === vote)
        return { proposal: proposalId, record, claw, vote, n: stored.n, changed: false, counts }
      if (stored) assertMayChangeVote(context, Object.keys(stored.votes).length)
      if (reason !== undefined) assertNoSecret(at, { reason })
      const n = (stored?.n ?? 0) + 1
      const cast = { vote, at: at.call.now, ...defined({ reason }) }
      putRecord(context, 'pool_ballot', record, {
        claw,
        by: agent,
        group: proposal.group,
        proposal: recordIds.proposal(proposalId),
        votes: { ...stored?.votes, [String(n)]: cast },
        vote,
        n,
        castAt: at.call.now,
      })
      recordPresence(context, claw)
      const key = `knowledge:vote:${proposalId}:${claw}`
      sendEnvelope(context, {
        ...envelopeHead(context, {
          claw,
          // Compatible claws count one vote per claw, and know its key without a number.
          key: context.config.compatibility ? key : `${key}:${n}`,
          trace: proposal.trace,
        }),
        type: 'vote',
        payload: { proposalId, vote, n, reason },
      })
      return { proposal: proposalId, record, claw, vote, n, changed: true, counts }
    },
  }),
] as const

function assertOpen(context: PoolContext, { proposal, expiresAt }: PoolProposalBody): void {
  const decision = readDecision(context, proposal)
  const isOver = (parseTime(expiresAt) ?? Infinity) <= context.now
  if (!decision && !isOver) return
  const outcome = decision?.outcome ?? 'expired'
  throw new DaybookError('conflict', `Voting on \`${proposal}\` is over: it is ${outcome}.`, {
    details: { path: 'proposal', reason: outcome },
  })
}

/** Throws `forbidden` with the path of the first field that has a secret: other claws get the fields in clear. */
export function assertNoSecret(
  { records }: Pick<WriteContext<'records'>, 'records'>,
  fields: Readonly<Record<string, object | string>>,
): void {
  const path = Object.keys(fields).find((name) => hasSecret(records, { [name]: fields[name] as Json }))
  if (path !== undefined) throw secretError(path)
}

function assertMayChangeVote({ config: { compatibility } }: PoolContext, votes: number): void {
  if (!compatibility && votes < maxVotesPerClaw) return
  const message = compatibility
    ? 'This book allows no changed votes, because `compatibility` is set.'
    : `A claw may vote at most ${maxVotesPerClaw} times on a proposal.`
  throw new DaybookError('conflict', message, {
    details: { path: 'vote', reason: compatibility ? 'compatibility' : 'too_many_changes' },
  })
}
