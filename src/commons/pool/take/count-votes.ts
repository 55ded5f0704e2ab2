// Counts the votes on a proposal: to decide the proposal, if this copy of the book is the decider, and to check
// another claw's decision.
// Invariant: an accepted decision leaves out no ballot that is here, and no claw that every other claw must know.
import { defined } from '../../../core/defined.ts'
import { foldName } from '../../../core/text/fold.ts'
import { parseTime, formatTime } from '../../../core/time.ts'
import { votingTimeMs } from '../pool-config.ts'
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
  activeMembers,
  ballotsOf,
  envelopeHead,
  isMember,
  isOwnClaw,
  memberPresence,
  putRecord,
  hasDecision,
  readProposal,
  type PoolContext,
  sendEnvelope,
} from './pool-context.ts'
import {
  presenceTtlMs,
  clawsActiveAt,
  maxClockSkewMs,
  propagationMs,
  believableMs,
} from '../rule/presence.ts'
import type { EnvelopeOf } from './verdict.ts'

/** The count of the votes that this copy of the book has. */
export function countLocalVotes(context: PoolContext, proposal: PoolProposalBody): VoteCount {
  return countBallots(context, proposal, memberBallots(context, proposal.proposal))
}

/** The ballots of members: claws that count in this book. */
export const memberBallots = (context: PoolContext, proposal: string): BallotBody[] =>
  ballotsOf(context, proposal).filter(({ claw }) => isMember(context, claw))

function countBallots(
  context: PoolContext,
  proposal: PoolProposalBody,
  votes: readonly BallotBody[],
): VoteCount {
  const { now, ownClaw } = context
  const claws = decidesByMajority(context)
    ? activeMembers(context)
    : [ownClaw, ...memberPresence(context).map(({ claw }) => foldName(claw))]
  return countVotes(context, proposal, { votes, claws, timeMs: now })
}

interface VotesToCount {
  readonly votes: readonly CountedVote[]
  /** By majority: the active claws. By fixed numbers: all claws of the pool. */
  readonly claws: readonly string[]
  readonly timeMs: number
  /** Milliseconds that other clocks may be ahead. Default 0. */
  readonly clockSkewMs?: number
}

const decidesByMajority = ({ config }: Pick<PoolContext, 'config'>) => config.quorum.rule === 'majority'

function countVotes(
  { config }: PoolContext,
  { proposedAt, expiresAt, claw: proposer }: PoolProposalBody,
  { votes, claws, timeMs, clockSkewMs = 0 }: VotesToCount,
): VoteCount {
  const proposedMs = parseTime(proposedAt) ?? timeMs
  const endMs = parseTime(expiresAt) ?? proposedMs + votingTimeMs(config)
  const request = {
    votes,
    proposer,
    selfVote: config.selfVote,
    ageMs: timeMs + clockSkewMs - proposedMs,
    votingTimeMs: Math.max(0, endMs - proposedMs),
  }
  const { quorum } = config
  if (quorum.rule === 'majority') return countByMajority({ ...request, active: claws })
  const { enabled, minPool, yes, no, belowMinimum } = quorum
  const policy = { enabled, minPool, yes, no, belowMinimum }
  return countByNumbers({ ...request, poolSize: new Set(claws).size }, policy)
}

/** Decides a proposal if this copy is the decider and the count is not pending. True if it decided. */
export function decideProposal(context: PoolContext, proposalId: string): boolean {
  const proposal = readProposal(context, proposalId)
  if (!proposal || !context.config.governance || hasDecision(context, proposalId)) return false
  const active = activeMembers(context)
  const claw = deciderOf(proposal.claw, active)
  if (claw === undefined || !isOwnClaw(context, claw)) return false
  const ballots = memberBallots(context, proposalId)
  const { outcome, yes, no, reason } = countBallots(context, proposal, ballots)
  if (outcome === 'pending') return false
  const isMajority = decidesByMajority(context)
  const isVoteThatCounts = ({ claw: voter }: BallotBody) =>
    (context.config.selfVote || !sameClaw(voter, proposal.claw)) &&
    (!isMajority || active.some((one) => sameClaw(one, voter)))
  const countedBallots = ballots
    .filter(isVoteThatCounts)
    .map((one) => ({ claw: one.claw, vote: one.vote, n: one.n }))
  const quorum = isMajority ? majorityOf(active.length) : undefined
  const tally = { outcome, yes, no, reason, active, ...defined({ quorum }) }
  putRecord(context, 'pool_decision', recordIds.decision(proposalId), {
    claw,
    by: claw,
    group: proposal.group,
    proposal: recordIds.proposal(proposalId),
    ...tally,
    ballots: countedBallots,
    decidedAt: formatTime(context.now),
  })
  sendEnvelope(context, {
    ...envelopeHead(context, { claw, key: `knowledge:decision:${proposalId}`, trace: proposal.trace }),
    type: 'decision',
    payload: {
      proposalId,
      ...tally,
      ballots: countedBallots.map(({ claw: clawId, vote, n }) => ({ clawId, vote, n })),
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
  const knownBallots = memberBallots(context, proposal.proposal)
  // `readEnvelope` has folded the claw ids of an envelope.
  const countedVoteNumbers = new Map(ballots.map(({ clawId, n }) => [clawId, n]))
  const decisionMs = believableDecisionMs(context, {
    proposal,
    knownBallots,
    countedVoteNumbers,
    timestamp: envelope.timestamp,
  })
  const members = memberPresence(context)
  /** The active claws that the decision names, and those that every claw must know. */
  const listed = new Set([
    ...active.filter((claw) => isMember(context, claw)),
    ...clawsActiveAt(members, decisionMs, { isKnownToAll: true }),
  ])
  /** Active at the decision, even if the decider may not have known it. */
  const activeThen = new Set(clawsActiveAt(members, decisionMs))
  const votes: CountedVote[] = []
  const voters = new Set<string>()
  for (const ballot of knownBallots) {
    const claw = foldName(ballot.claw)
    const vote = lastVote(ballot, countedVoteNumbers.get(claw), decisionMs)
    if (!vote) continue
    // A claw counts as active for `presenceTtlMs` after its presence; here a vote counts as presence.
    const wasActive = listed.has(claw) || activeThen.has(claw) || vote.at >= decisionMs - presenceTtlMs
    if (!wasActive && decidesByMajority(context)) continue
    votes.push({ claw, vote: vote.vote })
    voters.add(claw)
  }
  const electorate = [...new Set([...listed, ...voters])]
  const allClaws = () => context.pool.presence().map(({ claw }) => foldName(claw))
  const claws = decidesByMajority(context) ? electorate : [context.ownClaw, ...electorate, ...allClaws()]
  // The decider's clock may be ahead, so the proposal may have ended there already.
  const count = countVotes(context, proposal, {
    votes,
    claws,
    timeMs: decisionMs,
    clockSkewMs: maxClockSkewMs,
  })
  // A decision that names no active claws is measured by all that are active here.
  const deciding = envelope.payload.active ? listed : new Set([...listed, ...activeThen])
  return { decider: deciderOf(proposal.claw, [...deciding]), count }
}

interface ClaimedDecision {
  readonly proposal: PoolProposalBody
  readonly knownBallots: readonly BallotBody[]
  /** By claw: the number of the vote that the decision counts. */
  readonly countedVoteNumbers: ReadonlyMap<string, number>
  readonly timestamp: string
}

/**
 * The believable time of a decision, in milliseconds since 1970 UTC: at most now, but not before the proposal and
 * the votes that it counts.
 */
function believableDecisionMs(
  { now }: PoolContext,
  { proposal, knownBallots, countedVoteNumbers, timestamp }: ClaimedDecision,
): number {
  const claimedMs = Math.min(believableMs(parseTime(timestamp) ?? now, now), now)
  const countedTimes = knownBallots.flatMap(
    ({ claw, votes }) => votes[String(countedVoteNumbers.get(foldName(claw)))]?.at ?? [],
  )
  return Math.max(claimedMs, ...[proposal.proposedAt, ...countedTimes].map((at) => parseTime(at) ?? 0))
}

/**
 * The vote of a claw that counts at `decisionMs`: the vote that the decision names, unless every claw must know a later
 * one, because it is older than `propagationMs`. `votes`: by number, `1` for the first.
 */
function lastVote({ votes }: BallotBody, decisionVoteNumber: number | undefined, decisionMs: number) {
  const until = formatTime(decisionVoteNumber === undefined ? decisionMs : decisionMs - propagationMs)
  const [knownVoteNumber] = Object.keys(votes)
    .map(Number)
    .filter((one) => (votes[String(one)]?.at ?? '') <= until)
    .sort((a, b) => b - a)
  const vote = votes[String(Math.max(knownVoteNumber ?? 0, decisionVoteNumber ?? 0))]
  return vote && { vote: vote.vote, at: parseTime(vote.at) ?? 0 }
}
