// Takes in a decision.
// Invariant: it is accepted only from the decider, with a tally that fits its ballots and the claws and ballots of
// this copy, and as an approval only above the quorum of at least three active claws; the first decision is final.
// With `compatibility`, only ballots of this copy that decide otherwise refuse it.
import { defined } from '../../../core/defined.ts'
import { foldName } from '../../../core/text/fold.ts'
import { type DecisionBody, type PoolProposalBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/text/name-id.ts'
import { sameClaw } from '../rule/claw-id.ts'
import { deciderOf, leastActive, majorityOf } from '../rule/quorum.ts'
import { countedBallots, countHere, recount } from './count.ts'
import {
  ballotsOf,
  isCounted,
  hasDecision,
  isWithdrawn,
  putRecord,
  readDecision,
  readProposal,
  type PoolContext,
  claimedTime,
} from './pool-context.ts'
import {
  accepted,
  conflict,
  decisionWaitMs,
  type EnvelopeOf,
  tallyMismatch,
  type Verdict,
  withdrawn,
} from './verdict.ts'

export function takeDecision(
  context: PoolContext,
  envelope: EnvelopeOf<'decision'>,
  isLast: boolean,
): Verdict {
  const { payload, clawId: claw, timestamp } = envelope
  const { proposalId, outcome, reason = '' } = payload
  const wait = (last: string): Verdict =>
    isLast ? conflict(last) : { ...conflict(last), waits: { about: proposalId, forMs: decisionWaitMs } }
  const proposal = readProposal(context, proposalId)
  if (isWithdrawn(context, proposalId)) return withdrawn
  if (!proposal) return wait('unknown_proposal')
  const stored = readDecision(context, proposalId)
  if (!stored && hasDecision(context, proposalId)) return withdrawn
  if (stored) {
    return stored.outcome === outcome
      ? { result: 'ignored', reason: 'same_outcome' }
      : { result: 'conflict', reason: 'other_outcome' }
  }
  const isCompatible = context.config.compatibility
  const wrong = isCompatible ? contradiction(context, proposal, outcome) : judge(context, proposal, envelope)
  if (wrong === 'waiting_for_ballots') return wait(tallyMismatch)
  if (wrong !== undefined) return conflict(wrong)
  const { quorum } = payload
  const active = payload.active?.filter((one) => isCounted(context, one))
  const ballots = payload.ballots?.filter((one) => isCounted(context, one.clawId))
  const isWhole = ballots?.length === payload.ballots?.length
  const { yes, no } = isWhole ? payload : tallyOf(voted(context, proposal, ballots ?? []))
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
    decidedAt: claimedTime(context, timestamp),
  }
  putRecord(context, 'pool_decision', recordIds.decision(proposalId), body)
  return accepted('new_decision', { frees: [proposalId] })
}

/**
 * The fault of a decision with `compatibility`: the ballots of this copy decide otherwise. Compatible claws count
 * in their own way, so other decisions are accepted.
 */
function contradiction(
  context: PoolContext,
  proposal: PoolProposalBody,
  outcome: string,
): string | undefined {
  const { outcome: here } = countHere(context, proposal)
  const isSure = here === 'approved' || here === 'rejected'
  return isSure && here !== outcome ? tallyMismatch : undefined
}

/** The fault of a decision; undefined without one. `waiting_for_ballots`: some of its ballots are missing. */
function judge(
  context: PoolContext,
  proposal: PoolProposalBody,
  envelope: EnvelopeOf<'decision'>,
): string | undefined {
  const { payload, clawId } = envelope
  const { outcome, yes, no, active, ballots } = payload
  if (active && !sameClaw(deciderOf(proposal.claw, active) ?? '', clawId)) return 'not_the_decider'
  const tally = ballots ? namedTally(context, proposal, ballots) : wholeTally(context, proposal)
  if (!tally) return 'waiting_for_ballots'
  if (tally.yes !== yes || tally.no !== no) {
    // Without named ballots, more ballots may arrive. With named ballots, all of them are here.
    return !ballots && tally.yes <= yes && tally.no <= no ? 'waiting_for_ballots' : tallyMismatch
  }
  if (outcome !== 'expired' && context.config.quorum.rule === 'majority') {
    const wrong = belowQuorum(payload)
    if (wrong !== undefined) return wrong
  }
  const here = recount(context, proposal, envelope)
  if (outcome === 'expired' && here.count.outcome === 'pending') return 'waiting_for_ballots'
  if (outcome !== here.count.outcome) return tallyMismatch
  return active && !sameClaw(here.decider ?? clawId, clawId) ? 'not_the_decider' : undefined
}

/** The fault in a majority decision's own numbers; undefined without one. */
function belowQuorum({ outcome, yes, no, active, ballots, quorum }: Decided): string | undefined {
  const electorate = new Set(active)
  if (electorate.size < leastActive) return 'below_three_active'
  if (!(ballots ?? []).every((one) => electorate.has(one.clawId))) return tallyMismatch
  const needed = majorityOf(electorate.size)
  if (quorum !== needed) return 'quorum_mismatch'
  const isEnough = outcome === 'approved' ? yes >= needed && yes > no : no >= needed
  return isEnough ? undefined : 'below_quorum'
}

type Decided = EnvelopeOf<'decision'>['payload']

interface Tally {
  readonly yes: number
  readonly no: number
}

/**
 * The tally of the ballots that a decision names; undefined while a ballot is missing. The vote of a claw that does
 * not count here is taken from the decision; `recount` leaves it out.
 */
function namedTally(
  context: PoolContext,
  { proposal, claw: proposer }: PoolProposalBody,
  ballots: Named,
): Tally | undefined {
  const votes = new Map<string, 'yes' | 'no'>()
  const here = new Map(ballotsOf(context, proposal).map((one) => [foldName(one.claw), one]))
  for (const { clawId, vote, n } of ballots) {
    const cast = isCounted(context, clawId) ? here.get(clawId)?.votes[String(n)] : { vote }
    if (!cast) return undefined
    const isVoter = context.config.selfVote || !sameClaw(clawId, proposer)
    // A ballot that differs from the decision counts for neither side, so the tally does not fit.
    if (isVoter && cast.vote === vote) votes.set(clawId, vote)
  }
  return tallyOf([...votes.values()])
}

/** The tally of all ballots of this copy whose claws count. */
function wholeTally(context: PoolContext, { proposal, claw: proposer }: PoolProposalBody): Tally {
  const counted = countedBallots(context, proposal).filter(
    ({ claw }) => context.config.selfVote || !sameClaw(claw, proposer),
  )
  return tallyOf(counted.map(({ vote }) => vote))
}

type Named = NonNullable<Decided['ballots']>

const voted = ({ config }: PoolContext, { claw }: PoolProposalBody, ballots: Named) =>
  ballots.filter((one) => config.selfVote || !sameClaw(one.clawId, claw)).map(({ vote }) => vote)

function tallyOf(votes: readonly ('yes' | 'no')[]): Tally {
  const yes = votes.filter((vote) => vote === 'yes').length
  return { yes, no: votes.length - yes }
}
