// Taking in a decision. Invariant: it stands only with a tally that its ballots give, made by whoever was to make it, and an
// approval only above the quorum of at least three active claws; a second one never replaces the first.
import { type DecisionBody, type ProposalBody, recordIds } from '../pool-kind.ts'
import { sameClaw } from '../rule/claw-id.ts'
import { deciderOf, leastActive, majorityOf } from '../rule/quorum.ts'
import { ballotsOf, put, readDecision, readProposal, type Scene, saidTime } from './scene.ts'
import { accepted, conflict, decisionWaitMs, type Letter, type Verdict } from './verdict.ts'

export function takeDecision(scene: Scene, envelope: Letter<'decision'>, isLast: boolean): Verdict {
  const { payload, clawId: claw, timestamp } = envelope
  const { proposalId, outcome, yes, no, reason = '' } = payload
  const wait = (last: string): Verdict =>
    isLast ? conflict(last) : { ...conflict(last), waits: { about: proposalId, forMs: decisionWaitMs } }
  const proposal = readProposal(scene, proposalId)
  if (!proposal) return wait('unknown_proposal')
  const known = readDecision(scene, proposalId)
  if (known) {
    return known.outcome === outcome
      ? { result: 'ignored', reason: 'same_outcome' }
      : { result: 'conflict', reason: 'other_outcome' }
  }
  const wrong = scene.config.compatibility ? undefined : judge(scene, proposal, envelope)
  if (wrong === 'waiting_for_ballots') return wait('tally_mismatch')
  if (wrong !== undefined) return conflict(wrong)
  const { quorum, active, ballots } = payload
  const body: DecisionBody = {
    claw,
    by: claw,
    group: proposal.group,
    proposal: recordIds.proposal(proposalId),
    outcome,
    yes,
    no,
    reason,
    ...(quorum === undefined ? {} : { quorum }),
    ...(active ? { active } : {}),
    ...(ballots ? { ballots: ballots.map(({ clawId, vote, n }) => ({ claw: clawId, vote, n })) } : {}),
    decided_at: saidTime(scene, timestamp),
  }
  put(scene, 'pool_decision', recordIds.decision(proposalId), body)
  return accepted('new_decision', { frees: [proposalId] })
}

/** What is wrong with a decision, if anything. */
function judge(scene: Scene, proposal: ProposalBody, envelope: Letter<'decision'>): string | undefined {
  const { payload, clawId } = envelope
  const { outcome, yes, no, active, ballots } = payload
  if (active && !sameClaw(deciderOf(proposal.claw, active) ?? '', clawId)) return 'not_the_decider'
  const tally = ballots ? namedTally(scene, proposal, ballots) : wholeTally(scene, proposal)
  if (!tally) return 'waiting_for_ballots'
  if (tally.yes !== yes || tally.no !== no) {
    // Without their names, more ballots may yet come; with them, they are all here.
    return !ballots && tally.yes <= yes && tally.no <= no ? 'waiting_for_ballots' : 'tally_mismatch'
  }
  if (outcome === 'expired') return undefined
  if (scene.config.quorum.rule === 'fixed') return undefined
  if (!active || new Set(active.map((one) => one.toLowerCase())).size < leastActive)
    return 'below_three_active'
  const isVoter = (claw: string) => active.some((one) => sameClaw(one, claw))
  if (!(ballots ?? []).every((one) => isVoter(one.clawId))) return 'tally_mismatch'
  const quorum = majorityOf(active.length)
  if (payload.quorum !== quorum) return 'quorum_mismatch'
  const enough = outcome === 'approved' ? yes >= quorum && yes > no : no >= quorum
  return enough ? undefined : 'below_quorum'
}

interface Tally {
  readonly yes: number
  readonly no: number
}

/** The tally of the ballots that a decision names; undefined while one of them has not come. */
function namedTally(
  scene: Scene,
  { proposal, claw: proposer }: ProposalBody,
  ballots: NonNullable<Letter<'decision'>['payload']['ballots']>,
): Tally | undefined {
  const votes = new Map<string, 'yes' | 'no'>()
  const here = new Map(ballotsOf(scene, proposal).map((one) => [one.claw.toLowerCase(), one]))
  for (const { clawId, vote, n } of ballots) {
    const cast = here.get(clawId.toLowerCase())?.votes[String(n)]
    if (!cast) return undefined
    const isCounted = scene.config.self_vote || !sameClaw(clawId, proposer)
    // What says something else than it was named with counts for neither, so that the tally does not fit.
    if (isCounted && cast.vote === vote) votes.set(clawId.toLowerCase(), vote)
  }
  return tallyOf([...votes.values()])
}

/** The tally of all ballots that are here. */
function wholeTally(scene: Scene, { proposal, claw: proposer }: ProposalBody): Tally {
  const counted = ballotsOf(scene, proposal).filter(
    ({ claw }) => scene.config.self_vote || !sameClaw(claw, proposer),
  )
  return tallyOf(counted.map(({ vote }) => vote))
}

function tallyOf(votes: readonly ('yes' | 'no')[]): Tally {
  const yes = votes.filter((vote) => vote === 'yes').length
  return { yes, no: votes.length - yes }
}
