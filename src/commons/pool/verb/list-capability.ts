// The verbs that list proposals with their ballots, and facts with their versions.
import { z } from 'zod'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { defined } from '../../../core/defined.ts'
import { bodyOf } from '../../../core/record.ts'
import { foldName } from '../../../core/text/fold.ts'
import { poolLimits } from '../../../shape/envelope.ts'
import {
  type BallotBody,
  ballotBody,
  type DecisionBody,
  decisionBody,
  poolFactBody,
  type PoolProposalBody,
  poolProposalBody,
} from '../pool-kind.ts'
import { id, factPart, boundedText } from './shape.ts'
import { readVerb } from '../../../shape/record-verbs.ts'
import { cursor, limit, nextOf } from '../../../shape/page.ts'

const vote = z.enum(['yes', 'no'])
const tally = { yes: z.number(), no: z.number() }
const outcome = z.enum(['approved', 'rejected', 'expired'])

const proposalView = z.object({
  proposal: z.string(),
  /** The id of its record. */
  record: z.string(),
  claw: z.string(),
  title: z.string().optional(),
  statement: z.string(),
  tags: z.array(z.string()),
  proposedAt: z.string(),
  expiresAt: z.string(),
  /** Also `expired` if the voting time is over without a decision. */
  state: z.enum(['open', 'approved', 'rejected', 'expired']),
  /** `n`: number of the claw's vote on this proposal, 1 for the first; a changed vote has the next number. */
  ballots: z.array(
    z.object({ claw: z.string(), vote, n: z.number(), castAt: z.string(), reason: z.string().optional() }),
  ),
  decision: z
    .object({
      claw: z.string(),
      outcome,
      ...tally,
      reason: z.string(),
      quorum: z.number().optional(),
      active: z.array(z.string()).optional(),
      decidedAt: z.string(),
    })
    .optional(),
  fact: z
    .object({ id: z.string(), version: z.number(), subject: factPart, predicate: factPart, object: factPart })
    .optional(),
})
type ProposalView = z.output<typeof proposalView>

/** The ballots and the decision of a proposal: records that name the id `record` of its record. */
function readBallotsAndDecision({ get, citing }: RecordReader, record: string) {
  const ballots: BallotBody[] = []
  let decision: DecisionBody | undefined
  for (const { id: cited, kind } of citing(record)) {
    const body = bodyOf(get(cited) ?? {})
    if (kind === 'pool_ballot') ballots.push(...[ballotBody.safeParse(body).data ?? []].flat())
    if (kind === 'pool_decision') decision = decisionBody.safeParse(body).data
  }
  return { ballots, decision }
}

function proposalViewOf(
  records: RecordReader,
  id: string,
  body: PoolProposalBody,
  now: string,
): ProposalView {
  const { ballots, decision } = readBallotsAndDecision(records, id)
  const { proposal, claw, title, statement, tags, proposedAt, expiresAt, fact } = body
  const state = decision?.outcome ?? (expiresAt <= now ? 'expired' : 'open')
  return {
    proposal,
    record: id,
    claw,
    ...defined({ title }),
    statement,
    tags,
    proposedAt,
    expiresAt,
    state,
    ballots: ballots
      .toSorted((a, b) => (a.castAt < b.castAt ? -1 : 1))
      .map(({ claw: by, vote: cast, n, castAt, votes }) => {
        const reason = votes[String(n)]?.reason
        return { claw: by, vote: cast, n, castAt, ...defined({ reason }) }
      }),
    ...(decision ? { decision: decisionViewOf(decision) } : {}),
    ...(fact ? { fact } : {}),
  }
}

function decisionViewOf({
  claw,
  outcome: decidedOutcome,
  yes,
  no,
  reason,
  quorum,
  active,
  decidedAt,
}: DecisionBody) {
  return {
    claw,
    outcome: decidedOutcome,
    yes,
    no,
    reason,
    ...defined({ quorum }),
    ...(active ? { active } : {}),
    decidedAt,
  }
}

const factVersionView = z.object({
  version: z.number(),
  subject: z.string(),
  predicate: z.string(),
  object: z.string(),
  /** The id of its proposal in envelopes; empty without one. */
  proposal: z.string(),
  /** The claw that published this version. */
  source: z.string(),
  ...tally,
  publishedAt: z.string(),
})

const factView = z.object({
  fact: z.string(),
  /** The id of its record, as recall returns it. */
  record: z.string(),
  version: z.number(),
  subject: z.string(),
  predicate: z.string(),
  object: z.string(),
  tags: z.array(z.string()),
  votes: z.object(tally),
  publishedAt: z.string(),
  /** The claw that publishes all later versions. */
  home: z.string(),
  /** All stored versions, newest first. */
  versions: z.array(factVersionView).optional(),
})

export const listCapabilities = [
  readVerb({
    id: 'pool:list_proposals',
    method: 'pool.listProposals',
    summary: 'Proposals of the group with their ballots and decisions, newest first.',
    input: z
      .strictObject({
        proposal: id.optional(),
        state: z.enum(['open', 'approved', 'rejected', 'expired']).optional(),
        claw: id.optional(),
        limit: limit(),
        cursor,
      })
      .prefault({}),
    output: z.object({ proposals: z.array(proposalView), cursor: z.string().optional() }),
    run({ proposal, state, claw, limit: pageSize, cursor: pageCursor }, at) {
      const filters = [
        ...(proposal === undefined ? [] : [{ proposal }]),
        ...(claw === undefined ? [] : [{ claw: foldName(claw) }]),
        // Other states need the decision: they are filtered after the query, so a page may have fewer than `limit`.
        ...(state === 'open' ? [{ expiresAt: { gt: at.call.now } }] : []),
      ]
      const page = at.records.query({
        kind: 'pool_proposal',
        ...(filters.length === 0 ? {} : { filters: { and: filters } }),
        limit: pageSize,
        cursor: pageCursor,
      })
      const proposals = page.records.flatMap((record) => {
        const { data } = poolProposalBody.safeParse(bodyOf(record))
        const view = data && proposalViewOf(at.records, record.id, data, at.call.now)
        return view && (state === undefined || view.state === state) ? [view] : []
      })
      return { proposals, ...nextOf(page) }
    },
  }),
  readVerb({
    id: 'pool:facts',
    method: 'pool.facts',
    summary:
      'Facts that the group has confirmed by vote, newest first; with `versions`, the history of each fact.',
    input: z
      .strictObject({
        fact: id.optional(),
        subject: boundedText(poolLimits.part).optional(),
        predicate: boundedText(poolLimits.part).optional(),
        tag: boundedText(poolLimits.tag).optional(),
        versions: z.boolean().default(false),
        limit: limit(),
        cursor,
      })
      .prefault({}),
    output: z.object({ facts: z.array(factView), cursor: z.string().optional() }),
    run({ fact, subject, predicate, tag, versions: withVersions, limit: pageSize, cursor: pageCursor }, at) {
      const fields = Object.entries({ fact, subject, predicate }).flatMap(([name, value]) =>
        value === undefined ? [] : [{ [name]: value }],
      )
      const filters = [...fields, ...(tag === undefined ? [] : [{ tags: { contains: tag } }])]
      const page = at.records.query({
        kind: 'pool_fact',
        ...(filters.length === 0 ? {} : { filters: { and: filters } }),
        limit: pageSize,
        cursor: pageCursor,
      })
      const facts = page.records.flatMap((record) => {
        const { data } = poolFactBody.safeParse(bodyOf(record))
        if (!data) return []
        const { versions, fact: name, version, tags, votes, publishedAt, home, ...body } = data
        const triple = { subject: body.subject, predicate: body.predicate, object: body.object }
        const newestFirst = Object.entries(versions)
          .map(([number, one]) => ({ ...one, version: Number(number) }))
          .toSorted((a, b) => b.version - a.version)
        const view = { fact: name, record: record.id, version, ...triple, tags, votes, publishedAt, home }
        return [{ ...view, ...(withVersions ? { versions: newestFirst } : {}) }]
      })
      return { facts, ...nextOf(page) }
    },
  }),
] as const
