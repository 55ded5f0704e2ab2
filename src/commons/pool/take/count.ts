// Counting the votes on a proposal, and deciding it where that is for this copy of the book to do.
import { foldName } from '../../../core/text/fold-name.ts'
import { parseTime } from '../../../core/time.ts'
import { timeoutMs } from '../pool-config.ts'
import { type BallotBody, type ProposalBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/pool/pool-record-id.ts'
import { sameClaw } from '../rule/claw-id.ts'
import { type Count, countByMajority, countByNumbers, deciderOf, majorityOf } from '../rule/quorum.ts'
import {
  activeNow,
  ballotsOf,
  headFor,
  isCounted,
  isOwnClaw,
  membersHere,
  put,
  isDecided,
  readProposal,
  type Scene,
  say,
  saidTime,
} from './scene.ts'

/** What the votes come to, as this copy of the book sees it. */
export function countHere(scene: Scene, proposal: ProposalBody): Count {
  return countBallots(scene, proposal, countedBallots(scene, proposal.proposal))
}

/** The ballots of claws that count. */
export const countedBallots = (scene: Scene, proposal: string): BallotBody[] =>
  ballotsOf(scene, proposal).filter(({ claw }) => isCounted(scene, claw))

function countBallots(scene: Scene, proposal: ProposalBody, votes: readonly BallotBody[]): Count {
  const { config, now } = scene
  const began = parseTime(proposal.proposed_at) ?? now
  const timeout = Math.max(0, (parseTime(proposal.expires_at) ?? began + timeoutMs(config)) - began)
  const request = { votes, proposer: proposal.claw, selfVote: config.self_vote, age: now - began, timeout }
  const { quorum } = config
  if (quorum.rule === 'majority') return countByMajority({ ...request, active: activeNow(scene) })
  const pool = new Set([scene.own, ...membersHere(scene).map(({ claw }) => foldName(claw))]).size
  const { enabled, min_pool: minPool, yes, no, below_minimum: belowMinimum } = quorum
  return countByNumbers({ ...request, pool }, { enabled, minPool, yes, no, belowMinimum })
}

/** Decides a proposal if it can be, and is for this copy to decide; answers whether it did. */
export function decide(scene: Scene, proposalId: string): boolean {
  const proposal = readProposal(scene, proposalId)
  if (!proposal || !scene.config.governance || isDecided(scene, proposalId)) return false
  const active = activeNow(scene)
  const claw = deciderOf(proposal.claw, active)
  if (claw === undefined || !isOwnClaw(scene, claw)) return false
  const ballots = countedBallots(scene, proposalId)
  const { outcome, yes, no, reason } = countBallots(scene, proposal, ballots)
  if (outcome === 'pending') return false
  const byMajority = scene.config.quorum.rule === 'majority'
  const isNamed = ({ claw: voter }: BallotBody) =>
    (scene.config.self_vote || !sameClaw(voter, proposal.claw)) &&
    (!byMajority || active.some((one) => sameClaw(one, voter)))
  const counted = ballots.filter(isNamed).map((one) => ({ claw: one.claw, vote: one.vote, n: one.n }))
  const quorum = byMajority ? majorityOf(active.length) : undefined
  const tally = { outcome, yes, no, reason, active, ...(quorum === undefined ? {} : { quorum }) }
  put(scene, 'pool_decision', recordIds.decision(proposalId), {
    claw,
    by: claw,
    group: proposal.group,
    proposal: recordIds.proposal(proposalId),
    ...tally,
    ballots: counted,
    decided_at: saidTime(scene, ''),
  })
  say(scene, {
    ...headFor(scene, { claw, key: `knowledge:decision:${proposalId}`, trace: proposal.trace }),
    type: 'decision',
    payload: {
      proposalId,
      ...tally,
      ballots: counted.map(({ claw: clawId, vote, n }) => ({ clawId, vote, n })),
    },
  })
  return true
}
