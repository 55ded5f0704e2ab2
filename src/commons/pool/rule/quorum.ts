// The rules that decide a proposal. Pure.
// Invariant: by majority, votes decide nothing while fewer than three claws are active.
import { foldName } from '../../../core/text/fold.ts'
import { sameClaw } from './claw-id.ts'

export interface CountedVote {
  readonly claw: string
  readonly vote: 'yes' | 'no'
}

export type ProposalOutcome = 'approved' | 'rejected' | 'expired'

export interface VoteCount {
  readonly outcome: ProposalOutcome | 'pending'
  readonly yes: number
  readonly no: number
  readonly reason: string
}

/** Fewest active claws for a vote. */
export const leastActive = 3

/** The votes of one kind that decide among `active` claws: 3 → 2, 4 → 3, 5 → 3. */
export function majorityOf(active: number): number {
  return Math.floor(active / 2) + 1
}

/**
 * The votes of each kind that decide. `least`: the fewest claws for that, active claws by majority, all claws by
 * fixed numbers.
 */
export interface Needed {
  readonly yes: number
  readonly no: number
  readonly least: number
}

export function neededByMajority(active: number): Needed {
  const most = majorityOf(Math.max(active, leastActive))
  return { yes: most, no: most, least: leastActive }
}

export interface CountRequest {
  readonly votes: readonly CountedVote[]
  readonly proposer: string
  readonly selfVote: boolean
  /** Milliseconds since the proposal. */
  readonly age: number
  /** Milliseconds from the proposal until it expires. */
  readonly timeout: number
}

/** One vote per claw, without the proposer's own unless that counts. */
function tally({ votes, proposer, selfVote }: Pick<CountRequest, 'votes' | 'proposer' | 'selfVote'>) {
  const byClaw = new Map(votes.map(({ claw, vote }) => [foldName(claw), vote]))
  if (!selfVote) byClaw.delete(foldName(proposer))
  const yes = [...byClaw.values()].filter((vote) => vote === 'yes').length
  return { yes, no: byClaw.size - yes }
}

/** Counts by the majority of the active claws. Votes of other claws do not count. */
export function countByMajority(request: CountRequest & { readonly active: readonly string[] }): VoteCount {
  const { active, age, timeout } = request
  const votes = request.votes.filter(({ claw }) => active.some((one) => sameClaw(one, claw)))
  const counted = tally({ ...request, votes })
  const { yes, no } = counted
  const quorum = majorityOf(active.length)
  if (active.length >= leastActive) {
    if (yes >= quorum && yes > no) return { outcome: 'approved', ...counted, reason: 'quorum reached' }
    if (no >= quorum) return { outcome: 'rejected', ...counted, reason: 'rejected by quorum' }
  }
  if (age >= timeout) return { outcome: 'expired', ...counted, reason: 'voting timeout' }
  const reason = active.length < leastActive ? 'pool below min size' : 'waiting for votes'
  return { outcome: 'pending', ...counted, reason }
}

/** A rule of fixed numbers, as other systems of claws have it. */
export interface FixedPolicy {
  readonly enabled: boolean
  readonly minPool: number
  readonly yes: number
  readonly no: number
  /** For a pool smaller than `minPool`: a proposal waits, or is approved at once. */
  readonly belowMinimum: 'wait' | 'approve'
}

/** Counts by fixed numbers of votes among `pool` known claws. */
export function countByNumbers(
  request: CountRequest & { readonly pool: number },
  policy: FixedPolicy,
): VoteCount {
  const { pool, age, timeout } = request
  const counted = tally(request)
  const { yes, no } = counted
  const wrong = wrongPolicy(policy, timeout)
  if (wrong !== undefined) return { outcome: 'rejected', ...counted, reason: wrong }
  if (!policy.enabled) return { outcome: 'approved', ...counted, reason: 'voting disabled' }
  const isSmall = pool < policy.minPool
  if (isSmall && policy.belowMinimum === 'approve')
    return { outcome: 'approved', ...counted, reason: 'pool below min size' }
  if (!isSmall && yes >= policy.yes && yes > no)
    return { outcome: 'approved', ...counted, reason: 'quorum reached' }
  if (!isSmall && no >= policy.no) return { outcome: 'rejected', ...counted, reason: 'rejected by quorum' }
  if (age >= timeout) return { outcome: 'expired', ...counted, reason: 'voting timeout' }
  return { outcome: 'pending', ...counted, reason: isSmall ? 'pool below min size' : 'waiting for votes' }
}

function wrongPolicy({ enabled, minPool, yes, no }: FixedPolicy, timeout: number): string | undefined {
  if (!enabled) return undefined
  if (minPool <= 0) return 'min pool size must be > 0'
  if (yes <= 0 || no <= 0) return 'quorum yes/no must be > 0'
  return timeout <= 0 ? 'timeout must be > 0' : undefined
}

/** The decider: the proposer while it is active, else the first active claw in order of name. */
export function deciderOf(proposer: string, active: readonly string[]): string | undefined {
  const present = active.find((claw) => sameClaw(claw, proposer))
  return present ?? active.toSorted((a, b) => (foldName(a) < foldName(b) ? -1 : 1))[0]
}
