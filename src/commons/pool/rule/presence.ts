// The presence of claws. Pure.
// Invariant: a fast clock keeps a claw present for at most a minute longer.
import { poolKeep, type PoolPresence } from '../../../core/pool.ts'
import { foldName } from '../../../core/text/fold.ts'

export const presenceEveryMs = 45_000
export const capabilitiesEveryMs = 300_000
export const activeForMs = poolKeep.activeMs
/** A claimed time counts as at most this far in the future. */
export const clockSkewMs = 60_000

/** The believable time of an envelope: at most a minute after `now`. Times are milliseconds since 1970 UTC. */
export function claimedAt(claimed: number, now: number): number {
  return Math.min(claimed, now + clockSkewMs)
}

const isHere = ({ at, status }: PoolPresence, now: number) => status === 'active' && now - at <= activeForMs

/** The names of active claws, each as written. One claw may have several spellings. */
export function clawsHere(presence: readonly PoolPresence[], now: number): string[] {
  return [...new Set(presence.filter((one) => isHere(one, now)).map(({ claw }) => claw))]
}

/** The claws with an active instance, each once, in order of name. */
export function activeClaws(presence: readonly PoolPresence[], now: number): string[] {
  const there = clawsHere(presence, now)
  return [...new Map(there.map((claw) => [foldName(claw), claw])).values()].sort()
}

/** An envelope of this age counts as received by every active claw. */
export const propagationMs = 60_000

/**
 * The claws that were active at `time`. `isSettled`: only those that were active for so long that every other claw
 * must know them.
 */
export function clawsAt(presence: readonly PoolPresence[], time: number, isSettled = false): string[] {
  const wasThere = ({ at, status, since = at }: PoolPresence) =>
    (status === 'active' ? at >= time - activeForMs : at > time) &&
    (!isSettled || since <= time - activeForMs)
  return [...new Set(presence.filter(wasThere).map(({ claw }) => foldName(claw)))]
}

export type ClawState = 'active' | 'stale' | 'stopping'

/** `active` with an active instance; `stopping` if the claw's last envelope announced its end; else `stale`. */
export function clawState(presence: readonly PoolPresence[], now: number): ClawState {
  if (activeClaws(presence, now).length > 0) return 'active'
  const [last] = presence.toSorted((a, b) => b.at - a.at)
  return last?.status === 'stopping' ? 'stopping' : 'stale'
}
