// Who is there. Pure. Invariant: a clock that runs ahead makes nobody present for longer than a minute more.
import type { PoolPresence } from '../../../core/pool/pool-port.ts'

export const presenceEveryMs = 45_000
export const capabilitiesEveryMs = 300_000
/** A claw that was not heard of for longer is not there. */
export const activeForMs = 135_000
/** Clocks that are further ahead count as so far ahead. */
export const aheadMs = 60_000

/** When something was said, as far as the clock of whoever said it can be believed. */
export function saidAt(claimed: number, now: number): number {
  return Math.min(claimed, now + aheadMs)
}

const isHere = ({ at, status }: PoolPresence, now: number) => status === 'active' && now - at <= activeForMs

/** The names under which somebody is there, each as it was written: a claw may write its own in several ways. */
export function clawsHere(presence: readonly PoolPresence[], now: number): string[] {
  return [...new Set(presence.filter((one) => isHere(one, now)).map(({ claw }) => claw))]
}

/** The claws of which any instance is there, each once, in the order of their names. */
export function activeClaws(presence: readonly PoolPresence[], now: number): string[] {
  const there = clawsHere(presence, now)
  return [...new Map(there.map((claw) => [claw.toLowerCase(), claw])).values()].sort()
}

export type ClawState = 'active' | 'stale' | 'stopping'

/** How a claw is: whether any instance of it is there, else whether the last that was heard of it was a farewell. */
export function clawState(presence: readonly PoolPresence[], now: number): ClawState {
  if (activeClaws(presence, now).length > 0) return 'active'
  const [last] = presence.toSorted((a, b) => b.at - a.at)
  return last?.status === 'stopping' ? 'stopping' : 'stale'
}
