// The state of the vote on a proposal: votes, missing votes, and votes still needed. Pure.
// Invariant: the count of an open proposal equals the engine's count at this moment.
import type { Claws, Config, Proposal } from './pool-record.ts'

export type Side = 'yes' | 'no'

/** An agent at the vote. `proposer`: its own vote does not count; `away`: it is not active, so its vote does not count now. */
export interface Seat {
  readonly claw: string
  readonly name?: string | undefined
  readonly place: 'counts' | 'proposer' | 'away'
  readonly isYou: boolean
  readonly ballot?: Proposal['ballots'][number] | undefined
}

export interface Standing {
  /** In order of id, so that a new vote moves no row. */
  readonly seats: readonly Seat[]
  readonly yes: number
  readonly no: number
  readonly active: number
  /** Absent for a decision without its quorum. */
  readonly needed?: { readonly yes: number; readonly no: number }
  /** Too few agents to decide. */
  readonly isTooSmall: boolean
  readonly least: number
  /** The side with enough votes, before a decision. */
  readonly reached?: Side | undefined
  /** The decider: the proposer while it is active, else the first active agent. */
  readonly decider?: string | undefined
}

const folded = (claw: string) => claw.toLowerCase()
const same = (one: string, other: string) => folded(one) === folded(other)

interface VoteParts {
  readonly proposal: Proposal
  readonly claws: Claws
  readonly config: Pick<Config, 'quorum' | 'selfVote'>
}

export function standingOf({ proposal, claws, config }: VoteParts): Standing {
  const { decision } = proposal
  const byMajority = config.quorum.rule === 'majority'
  const active = decision?.active ?? activeOf(claws)
  const seats = seatsOf({ proposal, claws, config }, active, byMajority)
  const counted = seats.filter(({ place }) => place === 'counts')
  const votes = (side: Side) => counted.filter(({ ballot }) => ballot?.vote === side).length
  const common = { seats, active: decision?.active?.length ?? claws.active, least: claws.quorum.least }
  if (decision) {
    const { yes, no, quorum } = decision
    const needed = quorum === undefined ? {} : { needed: { yes: quorum, no: quorum } }
    return { ...common, yes, no, ...needed, isTooSmall: false }
  }
  const [yes, no, needed] = [votes('yes'), votes('no'), claws.quorum] as const
  const isTooSmall = byMajority && claws.active < needed.least
  const won = !isTooSmall && yes >= needed.yes && yes > no ? 'yes' : undefined
  const lost = !isTooSmall && no >= needed.no ? 'no' : undefined
  const decider = active.find((claw) => same(claw, proposal.claw)) ?? active.toSorted(byName)[0]
  return { ...common, yes, no, needed, isTooSmall, reached: won ?? lost, decider }
}

/** The active agents, with this book's own, announced or not. */
function activeOf({ claws, own }: Claws): string[] {
  const there = claws.filter((one) => one.active).map(({ claw }) => claw)
  return there.some((claw) => same(claw, own)) ? there : [...there, own]
}

const byName = (one: string, other: string) => (folded(one) < folded(other) ? -1 : 1)

function seatsOf(
  { proposal, claws, config }: VoteParts,
  active: readonly string[],
  byMajority: boolean,
): Seat[] {
  const ballots = new Map(proposal.ballots.map((one) => [folded(one.claw), one]))
  const names = new Map(claws.claws.map((one) => [folded(one.claw), one.displayName]))
  const there = new Set(active.map(folded))
  const all = [proposal.claw, ...active, ...proposal.ballots.map(({ claw }) => claw)]
  const each = new Map(all.map((claw) => [folded(claw), claw]))
  return [...each.values()].toSorted(byName).map((claw): Seat => {
    const isProposer = same(claw, proposal.claw) && !config.selfVote
    const isAway = byMajority && !there.has(folded(claw))
    return {
      claw,
      name: names.get(folded(claw)),
      place: isProposer ? 'proposer' : isAway ? 'away' : 'counts',
      isYou: same(claw, claws.you),
      ballot: ballots.get(folded(claw)),
    }
  })
}

/** True if the agent can vote on the proposal and has not. */
export function wantsVote({ claw, state, ballots }: Proposal, you: string, selfVote: boolean): boolean {
  if (state !== 'open' || (same(claw, you) && !selfVote)) return false
  return !ballots.some((one) => same(one.claw, you))
}

/** The vote of one agent on it. */
export function voteOf({ ballots }: Proposal, claw: string): Proposal['ballots'][number] | undefined {
  return ballots.find((one) => same(one.claw, claw))
}
