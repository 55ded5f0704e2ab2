// Counts the votes on a proposal: to decide the proposal, if this copy of the book is the decider, and to check
// another claw's decision.
// Invariant: an accepted decision leaves out no ballot that is here, and no claw that every other claw must know.
import { defined } from '../../../core/defined.ts'
import { foldName } from '../../../core/text/fold.ts'
import { parseTime, formatTime } from '../../../core/time.ts'
import { timeoutMs } from '../pool-config.ts'
import type { BallotBody, PoolProposalBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/text/name-id.ts'
import { sameClaw } from '../rule/claw-id.ts'
import {
  type VoteCount,
  countByMajority,
  countByNumbers,
  deciderOf,
  majorityOf,
  type CountedVote,
} from '../rule/quorum.ts'
import {
  activeNow,
  ballotsOf,
  envelopeHead,
  isCounted,
  isOwnClaw,
  membersHere,
  putRecord,
  hasDecision,
  readProposal,
  type PoolContext,
  sendEnvelope,
  claimedTime,
} from './pool-context.ts'
import { activeForMs, clawsAt, propagationMs, claimedAt } from '../rule/presence.ts'
import type { EnvelopeOf } from './verdict.ts'

/** The count of the votes that this copy of the book has. */
export function countHere(context: PoolContext, proposal: PoolProposalBody): VoteCount {
  return countBallots(context, proposal, countedBallots(context, proposal.proposal))
}

/** The ballots of claws that count. */
export const countedBallots = (context: PoolContext, proposal: string): BallotBody[] =>
  ballotsOf(context, proposal).filter(({ claw }) => isCounted(context, claw))

function countBallots(
  context: PoolContext,
  proposal: PoolProposalBody,
  votes: readonly BallotBody[],
): VoteCount {
  const { now: time, own } = context
  const claws = byMajority(context)
    ? activeNow(context)
    : [own, ...membersHere(context).map(({ claw }) => foldName(claw))]
  return countVotes(context, proposal, { votes, claws, time })
}

interface Votes {
  readonly votes: readonly CountedVote[]
  /** By majority: the active claws. By fixed numbers: all claws of the pool. */
  readonly claws: readonly string[]
  readonly time: number
  /** Milliseconds that other clocks may be ahead. Default 0. */
  readonly skew?: number
}

const byMajority = ({ config }: Pick<PoolContext, 'config'>) => config.quorum.rule === 'majority'

function countVotes(
  { config }: PoolContext,
  { proposedAt, expiresAt, claw: proposer }: PoolProposalBody,
  { votes, claws, time, skew = 0 }: Votes,
): VoteCount {
  const began = parseTime(proposedAt) ?? time
  const timeout = Math.max(0, (parseTime(expiresAt) ?? began + timeoutMs(config)) - began)
  const request = { votes, proposer, selfVote: config.selfVote, age: time + skew - began, timeout }
  const { quorum } = config
  if (quorum.rule === 'majority') return countByMajority({ ...request, active: claws })
  const { enabled, minPool, yes, no, belowMinimum } = quorum
  const policy = { enabled, minPool, yes, no, belowMinimum }
  return countByNumbers({ ...request, pool: new Set(claws).size }, policy)
}

/** Decides a proposal if this copy is the decider and the count is not pending. True if it decided. */
export function decideProposal(context: PoolContext, proposalId: string): boolean {
  const proposal = readProposal(context, proposalId)
  if (!proposal || !context.config.governance || hasDecision(context, proposalId)) return false
  const active = activeNow(context)
  const claw = deciderOf(proposal.claw, active)
  if (claw === undefined || !isOwnClaw(context, claw)) return false
  const ballots = countedBallots(context, proposalId)
  const { outcome, yes, no, reason } = countBallots(context, proposal, ballots)
  if (outcome === 'pending') return false
  const isMajority = byMajority(context)
  const isNamed = ({ claw: voter }: BallotBody) =>
    (context.config.selfVote || !sameClaw(voter, proposal.claw)) &&
    (!isMajority || active.some((one) => sameClaw(one, voter)))
  const counted = ballots.filter(isNamed).map((one) => ({ claw: one.claw, vote: one.vote, n: one.n }))
  const quorum = isMajority ? majorityOf(active.length) : undefined
  const tally = { outcome, yes, no, reason, active, ...defined({ quorum }) }
  putRecord(context, 'pool_decision', recordIds.decision(proposalId), {
    claw,
    by: claw,
    group: proposal.group,
    proposal: recordIds.proposal(proposalId),
    ...tally,
    ballots: counted,
    decidedAt: claimedTime(context, ''),
  })
  sendEnvelope(context, {
    ...envelopeHead(context, { claw, key: `knowledge:decision:${proposalId}`, trace: proposal.trace }),
    type: 'decision',
    payload: {
      proposalId,
      ...tally,
      ballots: counted.map(({ claw: clawId, vote, n }) => ({ clawId, vote, n })),
    },
  })
  return true
}

export interface Recount {
  /** The claw that had to decide; undefined without active claws. */
  readonly decider: string | undefined
  readonly count: VoteCount
}

/** Counts the ballots of this copy again, at the time of another claw's decision. */
export function recount(
  context: PoolContext,
  proposal: PoolProposalBody,
  envelope: EnvelopeOf<'decision'>,
): Recount {
  const { active = [], ballots = [] } = envelope.payload
  const cast = countedBallots(context, proposal.proposal)
  const named = new Map(ballots.map(({ clawId, n }) => [clawId, n]))
  const time = decidedAt(context, { proposal, cast, named, timestamp: envelope.timestamp })
  const presence = membersHere(context)
  const listed = new Set([
    ...active.filter((claw) => isCounted(context, claw)),
    ...clawsAt(presence, time, true),
  ])
  const there = new Set(clawsAt(presence, time))
  const votes: CountedVote[] = []
  const voters = new Set<string>()
  for (const ballot of cast) {
    const claw = foldName(ballot.claw)
    const last = lastVote(ballot, named.get(claw), time)
    if (!last) continue
    const isThere = listed.has(claw) || there.has(claw) || last.at >= time - activeForMs
    if (!isThere && byMajority(context)) continue
    votes.push({ claw, vote: last.vote })
    voters.add(claw)
  }
  const electorate = [...new Set([...listed, ...voters])]
  const others = () => context.pool.presence().map(({ claw }) => foldName(claw))
  const claws = byMajority(context) ? electorate : [context.own, ...electorate, ...others()]
  // The decider's clock may be a minute ahead.
  const count = countVotes(context, proposal, { votes, claws, time, skew: propagationMs })
  return { decider: deciderOf(proposal.claw, [...listed]), count }
}

interface Claimed {
  readonly proposal: PoolProposalBody
  readonly cast: readonly BallotBody[]
  /** By claw: the number of the vote that the decision counts. */
  readonly named: ReadonlyMap<string, number>
  readonly timestamp: string
}

/**
 * The believable time of a decision, in milliseconds since 1970 UTC: at most now, but not before the proposal and
 * the votes that it counts.
 */
function decidedAt({ now }: PoolContext, { proposal, cast, named, timestamp }: Claimed): number {
  const claimed = Math.min(claimedAt(parseTime(timestamp) ?? now, now), now)
  const counted = cast.flatMap(({ claw, votes }) => votes[String(named.get(foldName(claw)))]?.at ?? [])
  return Math.max(claimed, ...[proposal.proposedAt, ...counted].map((at) => parseTime(at) ?? 0))
}

/**
 * The vote of a claw that counts at `time`: the vote that the decision names, unless every claw must know a later
 * one.
 */
function lastVote({ votes }: BallotBody, named: number | undefined, time: number) {
  const until = formatTime(named === undefined ? time : time - propagationMs)
  const [n] = Object.keys(votes)
    .map(Number)
    .filter((one) => (votes[String(one)]?.at ?? '') <= until)
    .sort((a, b) => b - a)
  const last = votes[String(Math.max(n ?? 0, named ?? 0))]
  return last && { vote: last.vote, at: parseTime(last.at) ?? 0 }
}
