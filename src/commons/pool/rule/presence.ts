// The presence of claws. Pure.
// Invariant: a fast clock keeps a claw present for at most a minute longer.
import { poolKeep, type PoolPresence } from '../../../core/pool.ts'
import { foldName } from '../../../core/text/fold.ts'

/** A claw announces its presence, and its capabilities, this often. */
export const presenceIntervalMs = 45_000
export const capabilitiesIntervalMs = 300_000
/** A claw counts as active for this time after a presence: three intervals, so that two envelopes may be lost. */
export const presenceTtlMs = poolKeep.activeMs
/** A claimed time counts as at most this far in the future. */
export const maxClockSkewMs = 60_000

/** The believable time of an envelope: at most a minute after `nowMs`. Times are milliseconds since 1970 UTC. */
export function believableMs(claimedMs: number, nowMs: number): number {
  return Math.min(claimedMs, nowMs + maxClockSkewMs)
}

const isActive = ({ at, status }: PoolPresence, nowMs: number) =>
  status === 'active' && nowMs - at <= presenceTtlMs

/** The names of active claws, each as written. One claw may have several spellings. */
export function activeSpellings(presence: readonly PoolPresence[], nowMs: number): string[] {
  return [...new Set(presence.filter((one) => isActive(one, nowMs)).map(({ claw }) => claw))]
}

/** The claws with an active instance, each once, in order of name. */
export function activeClaws(presence: readonly PoolPresence[], nowMs: number): string[] {
  const spellings = activeSpellings(presence, nowMs)
  return [...new Map(spellings.map((claw) => [foldName(claw), claw])).values()].sort()
}

/** An envelope of this age counts as received by every active claw. */
export const propagationMs = 60_000

/**
 * The claws that were active at `timeMs`. `isKnownToAll`: only those that were active for so long that every other
 * claw must know them.
 */
export function clawsActiveAt(
  presence: readonly PoolPresence[],
  timeMs: number,
  { isKnownToAll = false }: { readonly isKnownToAll?: boolean } = {},
): string[] {
  // `at` of a stopping claw is its end.
  const wasActive = ({ at, status, since = at }: PoolPresence) =>
    (status === 'active' ? at >= timeMs - presenceTtlMs : at > timeMs) &&
    (!isKnownToAll || since <= timeMs - presenceTtlMs)
  return [...new Set(presence.filter(wasActive).map(({ claw }) => foldName(claw)))]
}

export type ClawState = 'active' | 'stale' | 'stopping'

/** `active` with an active instance; `stopping` if the claw's last envelope announced its end; else `stale`. */
export function clawState(presence: readonly PoolPresence[], nowMs: number): ClawState {
  if (activeClaws(presence, nowMs).length > 0) return 'active'
  const [latest] = presence.toSorted((first, second) => second.at - first.at)
  return latest?.status === 'stopping' ? 'stopping' : 'stale'
}
