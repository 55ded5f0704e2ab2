// The rules that decide a proposal. Pure.
// Invariant: by majority, votes decide nothing while fewer than three claws are active.
import { foldName } from '../../../core/text/fold.ts'
import { sameClaw } from './claw-id.ts'

export interface CountedVote {
  readonly claw: string
  readonly vote: 'yes' | 'no'
}

export type ProposalOutcome = 'approved' | 'rejected' | 'expired'

/** `pending`: neither the votes nor the time decide yet. `reason` is stored with a decision. */
export interface VoteCount {
  readonly outcome: ProposalOutcome | 'pending'
  readonly yes: number
  readonly no: number
  readonly reason: string
}

/** Fewest active claws for a vote. */
export const minActiveClaws = 3

/** The votes of one kind that decide among `active` claws: 3 → 2, 4 → 3, 5 → 3. */
export function majorityOf(active: number): number {
  return Math.floor(active / 2) + 1
}

/**
 * The votes of each kind that decide. `least`: the fewest claws for that, active claws by majority, all claws by
 * fixed numbers.
 */
export interface VotesNeeded {
  readonly yes: number
  readonly no: number
  readonly least: number
}

export function votesNeededByMajority(active: number): VotesNeeded {
  const majority = majorityOf(Math.max(active, minActiveClaws))
  return { yes: majority, no: majority, least: minActiveClaws }
}

export interface CountRequest {
  readonly votes: readonly CountedVote[]
  readonly proposer: string
  /** True: the proposer's own vote counts. */
  readonly selfVote: boolean
  /** Milliseconds since the proposal. */
  readonly ageMs: number
  /** Milliseconds from the proposal until it expires. */
  readonly votingTimeMs: number
}

/** One vote per claw, without the proposer's own unless that counts. */
function yesAndNo({ votes, proposer, selfVote }: Pick<CountRequest, 'votes' | 'proposer' | 'selfVote'>) {
  const byClaw = new Map(votes.map(({ claw, vote }) => [foldName(claw), vote]))
  if (!selfVote) byClaw.delete(foldName(proposer))
  const yes = [...byClaw.values()].filter((vote) => vote === 'yes').length
  return { yes, no: byClaw.size - yes }
}

/** Counts by the majority of the active claws. Votes of other claws do not count. */
export function countByMajority(request: CountRequest & { readonly active: readonly string[] }): VoteCount {
  const { active, ageMs, votingTimeMs } = request
  const votes = request.votes.filter(({ claw }) => active.some((one) => sameClaw(one, claw)))
  const tally = yesAndNo({ ...request, votes })
  const { yes, no } = tally
  const quorum = majorityOf(active.length)
  if (active.length >= minActiveClaws) {
    if (yes >= quorum && yes > no) return { outcome: 'approved', ...tally, reason: 'quorum reached' }
    if (no >= quorum) return { outcome: 'rejected', ...tally, reason: 'rejected by quorum' }
  }
  if (ageMs >= votingTimeMs) return { outcome: 'expired', ...tally, reason: 'voting timeout' }
  const reason = active.length < minActiveClaws ? 'pool below min size' : 'waiting for votes'
  return { outcome: 'pending', ...tally, reason }
}

/** A rule of fixed numbers, as other systems of claws have it. */
export interface FixedPolicy {
  /** False: every proposal is approved at once. */
  readonly enabled: boolean
  readonly minPool: number
  readonly yes: number
  readonly no: number
  /** For a pool smaller than `minPool`: a proposal waits, or is approved at once. */
  readonly belowMinimum: 'wait' | 'approve'
}

/** Counts by fixed numbers of votes among `poolSize` known claws. */
export function countByNumbers(
  request: CountRequest & { readonly poolSize: number },
  policy: FixedPolicy,
): VoteCount {
  const { poolSize, ageMs, votingTimeMs } = request
  const tally = yesAndNo(request)
  const { yes, no } = tally
  const fault = policyFault(policy, votingTimeMs)
  if (fault !== undefined) return { outcome: 'rejected', ...tally, reason: fault }
  if (!policy.enabled) return { outcome: 'approved', ...tally, reason: 'voting disabled' }
  const isSmall = poolSize < policy.minPool
  if (isSmall && policy.belowMinimum === 'approve')
    return { outcome: 'approved', ...tally, reason: 'pool below min size' }
  if (!isSmall && yes >= policy.yes && yes > no)
    return { outcome: 'approved', ...tally, reason: 'quorum reached' }
  if (!isSmall && no >= policy.no) return { outcome: 'rejected', ...tally, reason: 'rejected by quorum' }
  if (ageMs >= votingTimeMs) return { outcome: 'expired', ...tally, reason: 'voting timeout' }
  return { outcome: 'pending', ...tally, reason: isSmall ? 'pool below min size' : 'waiting for votes' }
}

function policyFault({ enabled, minPool, yes, no }: FixedPolicy, votingTimeMs: number): string | undefined {
  if (!enabled) return undefined
  if (minPool <= 0) return 'min pool size must be > 0'
  if (yes <= 0 || no <= 0) return 'quorum yes/no must be > 0'
  return votingTimeMs <= 0 ? 'timeout must be > 0' : undefined
}

/** The decider: the proposer while it is active, else the first active claw in order of name. */
export function deciderOf(proposer: string, active: readonly string[]): string | undefined {
  const activeProposer = active.find((claw) => sameClaw(claw, proposer))
  return activeProposer ?? active.toSorted((a, b) => (foldName(a) < foldName(b) ? -1 : 1))[0]
}
