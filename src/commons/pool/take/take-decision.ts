// Takes in a decision.
// Invariant: it is accepted only from the decider, with a tally that fits its ballots and the claws and ballots of
// this copy, and as an approval only above the quorum of at least three active claws; the first decision is final.
// With `compatibility`, only ballots of this copy that decide otherwise refuse it.
import { defined } from '../../../core/defined.ts'
import { foldName } from '../../../core/text/fold.ts'
import { type DecisionBody, type PoolProposalBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/text/name-id.ts'
import { sameClaw } from '../rule/claw-id.ts'
import { deciderOf, minActiveClaws, majorityOf } from '../rule/quorum.ts'
import { memberBallots, countLocalVotes, recount } from './count-votes.ts'
import {
  ballotsOf,
  isMember,
  hasDecision,
  isWithdrawn,
  putRecord,
  readDecision,
  readProposal,
  type PoolContext,
  believableTime,
} from './pool-context.ts'
import {
  acceptedVerdict,
  conflictVerdict,
  decisionWaitMs,
  type EnvelopeOf,
  tallyMismatchReason,
  type Verdict,
  withdrawnVerdict,
} from './verdict.ts'

/** `isLastTry`: the waiting time of the envelope is over, so the verdict must be final. */
export function takeDecision(
  context: PoolContext,
  envelope: EnvelopeOf<'decision'>,
  isLastTry: boolean,
): Verdict {
  const { payload, clawId: claw, timestamp } = envelope
  const { proposalId, outcome, reason = '' } = payload
  const waitOrConflict = (conflictReason: string): Verdict =>
    isLastTry
      ? conflictVerdict(conflictReason)
      : { ...conflictVerdict(conflictReason), waitFor: { id: proposalId, maxWaitMs: decisionWaitMs } }
  const proposal = readProposal(context, proposalId)
  if (isWithdrawn(context, proposalId)) return withdrawnVerdict
  if (!proposal) return waitOrConflict('unknown_proposal')
  const stored = readDecision(context, proposalId)
  // This book has forgotten or sealed its decision.
  if (!stored && hasDecision(context, proposalId)) return withdrawnVerdict
  if (stored) {
    return stored.outcome === outcome
      ? { result: 'ignored', reason: 'same_outcome' }
      : { result: 'conflict', reason: 'other_outcome' }
  }
  const isCompatible = context.config.compatibility
  const fault = isCompatible
    ? contradictionFault(context, proposal, outcome)
    : decisionFault(context, proposal, envelope)
  if (fault === 'waiting_for_ballots') return waitOrConflict(tallyMismatchReason)
  if (fault !== undefined) return conflictVerdict(fault)
  const { quorum } = payload
  const active = payload.active?.filter((one) => isMember(context, one))
  const ballots = payload.ballots?.filter((one) => isMember(context, one.clawId))
  const areAllVotersMembers = ballots?.length === payload.ballots?.length
  // Store only the votes that count here.
  const { yes, no } = areAllVotersMembers ? payload : tallyOf(countedVotes(context, proposal, ballots ?? []))
  const body: DecisionBody = {
    claw,
    by: claw,
    group: proposal.group,
    proposal: recordIds.proposal(proposalId),
    outcome,
    yes,
    no,
    reason,
    ...defined({ quorum }),
    ...(active ? { active } : {}),
    ...(ballots ? { ballots: ballots.map(({ clawId, vote, n }) => ({ claw: clawId, vote, n })) } : {}),
    decidedAt: believableTime(context, timestamp),
  }
  putRecord(context, 'pool_decision', recordIds.decision(proposalId), body)
  return acceptedVerdict('new_decision', { retryWaitingFor: [proposalId] })
}

/**
 * The fault of a decision with `compatibility`: the ballots of this copy decide otherwise. Compatible claws count
 * in their own way, so other decisions are accepted.
 */
function contradictionFault(
  context: PoolContext,
  proposal: PoolProposalBody,
  outcome: string,
): string | undefined {
  const { outcome: localOutcome } = countLocalVotes(context, proposal)
  const isDecidedHere = localOutcome === 'approved' || localOutcome === 'rejected'
  return isDecidedHere && localOutcome !== outcome ? tallyMismatchReason : undefined
}

/** The fault of a decision; undefined without one. `waiting_for_ballots`: some of its ballots are missing. */
function decisionFault(
  context: PoolContext,
  proposal: PoolProposalBody,
  envelope: EnvelopeOf<'decision'>,
): string | undefined {
  const { payload, clawId } = envelope
  const { outcome, yes, no, active, ballots } = payload
  if (active && !sameClaw(deciderOf(proposal.claw, active) ?? '', clawId)) return 'not_the_decider'
  const tally = ballots
    ? tallyOfNamedBallots(context, proposal, ballots)
    : tallyOfKnownBallots(context, proposal)
  if (!tally) return 'waiting_for_ballots'
  if (tally.yes !== yes || tally.no !== no) {
    // Without named ballots, more ballots may arrive. With named ballots, all of them are here.
    return !ballots && tally.yes <= yes && tally.no <= no ? 'waiting_for_ballots' : tallyMismatchReason
  }
  if (outcome !== 'expired' && context.config.quorum.rule === 'majority') {
    const fault = quorumFault(payload)
    if (fault !== undefined) return fault
  }
  const ownCount = recount(context, proposal, envelope)
  if (outcome === 'expired' && ownCount.count.outcome === 'pending') return 'waiting_for_ballots'
  if (outcome !== ownCount.count.outcome) return tallyMismatchReason
  // Also for a decision that names no active claws: then this copy's claws alone determine the decider.
  return sameClaw(ownCount.decider ?? clawId, clawId) ? undefined : 'not_the_decider'
}

/** The fault in a majority decision's own numbers; undefined without one. */
function quorumFault({ outcome, yes, no, active, ballots, quorum }: DecisionPayload): string | undefined {
  const electorate = new Set(active)
  if (electorate.size < minActiveClaws) return 'below_three_active'
  if (!(ballots ?? []).every((one) => electorate.has(one.clawId))) return tallyMismatchReason
  const needed = majorityOf(electorate.size)
  if (quorum !== needed) return 'quorum_mismatch'
  const isEnough = outcome === 'approved' ? yes >= needed && yes > no : no >= needed
  return isEnough ? undefined : 'below_quorum'
}

type DecisionPayload = EnvelopeOf<'decision'>['payload']

interface Tally {
  readonly yes: number
  readonly no: number
}

/**
 * The tally of the ballots that a decision names; undefined while a ballot is missing. The vote of a claw that does
 * not count here is taken from the decision; `recount` leaves it out.
 */
function tallyOfNamedBallots(
  context: PoolContext,
  { proposal, claw: proposer }: PoolProposalBody,
  ballots: NamedBallots,
): Tally | undefined {
  const votes = new Map<string, 'yes' | 'no'>()
  const knownBallots = new Map(ballotsOf(context, proposal).map((one) => [foldName(one.claw), one]))
  for (const { clawId, vote, n } of ballots) {
    const cast = isMember(context, clawId) ? knownBallots.get(clawId)?.votes[String(n)] : { vote }
    if (!cast) return undefined
    const isVoter = context.config.selfVote || !sameClaw(clawId, proposer)
    // A ballot that differs from the decision counts for neither side, so the tally does not fit.
    if (isVoter && cast.vote === vote) votes.set(clawId, vote)
  }
  return tallyOf([...votes.values()])
}

/** The tally of all ballots of this copy whose claws count. */
function tallyOfKnownBallots(context: PoolContext, { proposal, claw: proposer }: PoolProposalBody): Tally {
  const counted = memberBallots(context, proposal).filter(
    ({ claw }) => context.config.selfVote || !sameClaw(claw, proposer),
  )
  return tallyOf(counted.map(({ vote }) => vote))
}

type NamedBallots = NonNullable<DecisionPayload['ballots']>

const countedVotes = ({ config }: PoolContext, { claw }: PoolProposalBody, ballots: NamedBallots) =>
  ballots.filter((one) => config.selfVote || !sameClaw(one.clawId, claw)).map(({ vote }) => vote)

function tallyOf(votes: readonly ('yes' | 'no')[]): Tally {
  const yes = votes.filter((vote) => vote === 'yes').length
  return { yes, no: votes.length - yes }
}
