// When a proposal is decided. Pure. Invariant: by majority nothing is decided by votes while fewer than three claws are active.
import { foldName } from '../../../core/text/fold-name.ts'
import { sameClaw } from './claw-id.ts'

export interface CountedVote {
  readonly claw: string
  readonly vote: 'yes' | 'no'
}

export type Outcome = 'approved' | 'rejected' | 'expired'

export interface Count {
  readonly outcome: Outcome | 'pending'
  readonly yes: number
  readonly no: number
  readonly reason: string
}

/** As few claws as a vote means something among. */
export const leastActive = 3

/** How many votes of the same kind decide among so many active claws: 3 → 2, 4 → 3, 5 → 3. */
export function majorityOf(active: number): number {
  return Math.floor(active / 2) + 1
}

/** How many votes of a kind decide, and how many claws must be there, or known where numbers are fixed, for them to. */
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
  /** Milliseconds since it was proposed, and after how many it is given up. */
  readonly age: number
  readonly timeout: number
}

/** One vote for each claw, without the proposer's own unless that counts. */
function tally({ votes, proposer, selfVote }: Pick<CountRequest, 'votes' | 'proposer' | 'selfVote'>) {
  const byClaw = new Map(votes.map(({ claw, vote }) => [foldName(claw), vote]))
  if (!selfVote) byClaw.delete(foldName(proposer))
  const yes = [...byClaw.values()].filter((vote) => vote === 'yes').length
  return { yes, no: byClaw.size - yes }
}

/** By the majority of the claws that are active now; votes of others do not count. */
export function countByMajority(request: CountRequest & { readonly active: readonly string[] }): Count {
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

/** Fixed numbers, as other systems of claws count. */
export interface FixedPolicy {
  readonly enabled: boolean
  readonly minPool: number
  readonly yes: number
  readonly no: number
  /** What becomes of a proposal while the pool is smaller: it waits, or is approved at once. */
  readonly belowMinimum: 'wait' | 'approve'
}

/** By fixed numbers of votes among `pool` known claws. `timeout` in milliseconds. */
export function countByNumbers(
  request: CountRequest & { readonly pool: number },
  policy: FixedPolicy,
): Count {
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

/** Who decides: the claw that proposed while it is there, else the first of those that are. */
export function deciderOf(proposer: string, active: readonly string[]): string | undefined {
  const present = active.find((claw) => sameClaw(claw, proposer))
  return present ?? active.toSorted((a, b) => (foldName(a) < foldName(b) ? -1 : 1))[0]
}
