// Counting the votes on a proposal, and deciding it where that is for this copy of the book to do.
import { foldName } from '../../../core/text/fold-name.ts'
import { parseTime, formatTime } from '../../../core/time.ts'
import { timeoutMs } from '../pool-config.ts'
import type { BallotBody, ProposalBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/pool/pool-record-id.ts'
import { sameClaw } from '../rule/claw-id.ts'
import {
  type Count,
  countByMajority,
  countByNumbers,
  deciderOf,
  majorityOf,
  type CountedVote,
} from '../rule/quorum.ts'
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
} from './pool-context.ts'
import { activeForMs, clawsAt, heardWithinMs, saidAt } from '../rule/presence.ts'
import type { Letter } from './verdict.ts'

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

// Counting again what somebody else has decided, by what is known here: the claws that count, who was there, and the ballots.
// Invariant: a decision never leaves out a claw of which everybody had to know, nor a ballot that is here.
export interface Recount {
  /** Who was to decide. */
  readonly decider: string | undefined
  readonly count: Count
}

/** What the ballots and claws that are known here come to, at the time of the decision. */
export function recount(scene: Scene, proposal: ProposalBody, envelope: Letter<'decision'>): Recount {
  const { active = [], ballots = [] } = envelope.payload
  const cast = countedBallots(scene, proposal.proposal)
  const named = new Map(ballots.map(({ clawId, n }) => [clawId, n]))
  const time = decidedAt(scene, { proposal, cast, named, timestamp: envelope.timestamp })
  const presence = membersHere(scene)
  const listed = new Set([
    ...active.filter((claw) => isCounted(scene, claw)),
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
    if (!isThere && scene.config.quorum.rule === 'majority') continue
    votes.push({ claw, vote: last.vote })
    voters.add(claw)
  }
  const electorate = [...new Set([...listed, ...voters])]
  return {
    decider: deciderOf(proposal.claw, [...listed]),
    count: countAt(scene, { proposal, votes, electorate, time }),
  }
}

interface Votes {
  readonly proposal: ProposalBody
  readonly votes: readonly CountedVote[]
  readonly electorate: readonly string[]
  readonly time: number
}

function countAt({ config, pool, own }: Scene, { proposal, votes, electorate, time }: Votes): Count {
  const began = parseTime(proposal.proposed_at) ?? time
  const timeout = Math.max(0, (parseTime(proposal.expires_at) ?? began + timeoutMs(config)) - began)
  // A clock that is a minute ahead is believed elsewhere too.
  const age = time + heardWithinMs - began
  const request = { votes, proposer: proposal.claw, selfVote: config.self_vote, age, timeout }
  const { quorum } = config
  if (quorum.rule === 'majority') return countByMajority({ ...request, active: electorate })
  const known = new Set([own, ...electorate, ...pool.presence().map(({ claw }) => foldName(claw))])
  const { enabled, min_pool: minPool, yes, no, below_minimum: belowMinimum } = quorum
  return countByNumbers({ ...request, pool: known.size }, { enabled, minPool, yes, no, belowMinimum })
}

interface Claimed {
  readonly proposal: ProposalBody
  readonly cast: readonly BallotBody[]
  /** The number of the vote that it counts, by claw. */
  readonly named: ReadonlyMap<string, number>
  readonly timestamp: string
}

/** When it was decided, as far as that can be believed: not before the votes that it counts. */
function decidedAt({ now }: Scene, { proposal, cast, named, timestamp }: Claimed): number {
  const claimed = Math.min(saidAt(parseTime(timestamp) ?? now, now), now)
  const counted = cast.flatMap(({ claw, votes }) => votes[String(named.get(foldName(claw)))]?.at ?? [])
  return Math.max(claimed, ...[proposal.proposed_at, ...counted].map((at) => parseTime(at) ?? 0))
}

/** The vote of a claw that counts at `time`: the one that the decision names, unless everybody had to know of a later one. */
function lastVote({ votes }: BallotBody, named: number | undefined, time: number) {
  const until = formatTime(named === undefined ? time : time - heardWithinMs)
  const [n] = Object.keys(votes)
    .map(Number)
    .filter((one) => (votes[String(one)]?.at ?? '') <= until)
    .sort((a, b) => b - a)
  const last = votes[String(Math.max(n ?? 0, named ?? 0))]
  return last && { vote: last.vote, at: parseTime(last.at) ?? 0 }
}
