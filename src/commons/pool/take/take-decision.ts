// Taking in a decision. Invariant: it stands only with a tally that its ballots give, and that the claws and ballots which are
// known here give too, made by whoever was to make it, and an approval only above the quorum of at least three active claws; a
// second one never replaces the first.
import { foldName } from '../../../core/text/fold-name.ts'
import { type DecisionBody, type ProposalBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/pool/pool-record-id.ts'
import { sameClaw } from '../rule/claw-id.ts'
import { deciderOf, leastActive, majorityOf } from '../rule/quorum.ts'
import { countedBallots, countHere, recount } from './count.ts'
import {
  ballotsOf,
  isCounted,
  isDecided,
  isWithdrawn,
  put,
  readDecision,
  readProposal,
  type Scene,
  saidTime,
} from './pool-context.ts'
import {
  accepted,
  conflict,
  decisionWaitMs,
  type Letter,
  tallyMismatch,
  type Verdict,
  withdrawn,
} from './verdict.ts'

export function takeDecision(scene: Scene, envelope: Letter<'decision'>, isLast: boolean): Verdict {
  const { payload, clawId: claw, timestamp } = envelope
  const { proposalId, outcome, reason = '' } = payload
  const wait = (last: string): Verdict =>
    isLast ? conflict(last) : { ...conflict(last), waits: { about: proposalId, forMs: decisionWaitMs } }
  const proposal = readProposal(scene, proposalId)
  if (isWithdrawn(scene, proposalId)) return withdrawn
  if (!proposal) return wait('unknown_proposal')
  const known = readDecision(scene, proposalId)
  if (!known && isDecided(scene, proposalId)) return withdrawn
  if (known) {
    return known.outcome === outcome
      ? { result: 'ignored', reason: 'same_outcome' }
      : { result: 'conflict', reason: 'other_outcome' }
  }
  const isCompatible = scene.config.compatibility
  const wrong = isCompatible ? contradiction(scene, proposal, outcome) : judge(scene, proposal, envelope)
  if (wrong === 'waiting_for_ballots') return wait(tallyMismatch)
  if (wrong !== undefined) return conflict(wrong)
  const { quorum } = payload
  const active = payload.active?.filter((one) => isCounted(scene, one))
  const ballots = payload.ballots?.filter((one) => isCounted(scene, one.clawId))
  const isWhole = ballots?.length === payload.ballots?.length
  const { yes, no } = isWhole ? payload : tallyOf(voted(scene, proposal, ballots ?? []))
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

/** Others count in their own way, and are believed unless the ballots that are here decide otherwise. */
function contradiction(scene: Scene, proposal: ProposalBody, outcome: string): string | undefined {
  const { outcome: here } = countHere(scene, proposal)
  const isSure = here === 'approved' || here === 'rejected'
  return isSure && here !== outcome ? tallyMismatch : undefined
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
    return !ballots && tally.yes <= yes && tally.no <= no ? 'waiting_for_ballots' : tallyMismatch
  }
  if (outcome !== 'expired' && scene.config.quorum.rule === 'majority') {
    const wrong = belowQuorum(payload)
    if (wrong !== undefined) return wrong
  }
  const here = recount(scene, proposal, envelope)
  if (outcome === 'expired' && here.count.outcome === 'pending') return 'waiting_for_ballots'
  if (outcome !== here.count.outcome) return tallyMismatch
  return active && !sameClaw(here.decider ?? clawId, clawId) ? 'not_the_decider' : undefined
}

/** What is wrong with the numbers of a decision by majority, as it gives them itself. */
function belowQuorum({ outcome, yes, no, active, ballots, quorum }: Decided): string | undefined {
  const electorate = new Set(active)
  if (electorate.size < leastActive) return 'below_three_active'
  if (!(ballots ?? []).every((one) => electorate.has(one.clawId))) return tallyMismatch
  const needed = majorityOf(electorate.size)
  if (quorum !== needed) return 'quorum_mismatch'
  const isEnough = outcome === 'approved' ? yes >= needed && yes > no : no >= needed
  return isEnough ? undefined : 'below_quorum'
}

type Decided = Letter<'decision'>['payload']

interface Tally {
  readonly yes: number
  readonly no: number
}

/**
 * The tally of the ballots that a decision names; undefined while one of them has not come. Those of claws that do not count
 * here are taken at its word, and never make a decision stand.
 */
function namedTally(
  scene: Scene,
  { proposal, claw: proposer }: ProposalBody,
  ballots: Named,
): Tally | undefined {
  const votes = new Map<string, 'yes' | 'no'>()
  const here = new Map(ballotsOf(scene, proposal).map((one) => [foldName(one.claw), one]))
  for (const { clawId, vote, n } of ballots) {
    const cast = isCounted(scene, clawId) ? here.get(clawId)?.votes[String(n)] : { vote }
    if (!cast) return undefined
    const isVoter = scene.config.self_vote || !sameClaw(clawId, proposer)
    // What says something else than it was named with counts for neither, so that the tally does not fit.
    if (isVoter && cast.vote === vote) votes.set(clawId, vote)
  }
  return tallyOf([...votes.values()])
}

/** The tally of all ballots that are here. */
function wholeTally(scene: Scene, { proposal, claw: proposer }: ProposalBody): Tally {
  const counted = countedBallots(scene, proposal).filter(
    ({ claw }) => scene.config.self_vote || !sameClaw(claw, proposer),
  )
  return tallyOf(counted.map(({ vote }) => vote))
}

type Named = NonNullable<Decided['ballots']>

const voted = ({ config }: Scene, { claw }: ProposalBody, ballots: Named) =>
  ballots.filter((one) => config.self_vote || !sameClaw(one.clawId, claw)).map(({ vote }) => vote)

function tallyOf(votes: readonly ('yes' | 'no')[]): Tally {
  const yes = votes.filter((vote) => vote === 'yes').length
  return { yes, no: votes.length - yes }
}
