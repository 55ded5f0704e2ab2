// Who is there. Pure. Invariant: a clock that runs ahead makes nobody present for longer than a minute more.
import { poolKeep, type PoolPresence } from '../../../core/pool/pool-port.ts'
import { foldName } from '../../../core/text/fold-name.ts'

export const presenceEveryMs = 45_000
export const capabilitiesEveryMs = 300_000
export const activeForMs = poolKeep.activeMs
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
  return [...new Map(there.map((claw) => [foldName(claw), claw])).values()].sort()
}

/** What was said so long before is taken to have reached everybody who was there. */
export const heardWithinMs = 60_000

/** The claws that were there at `time`; `known`: for so long that everybody else has to know of them. */
export function clawsAt(presence: readonly PoolPresence[], time: number, known = false): string[] {
  const wasThere = ({ at, status, since = at }: PoolPresence) =>
    (status === 'active' ? at >= time - activeForMs : at > time) && (!known || since <= time - activeForMs)
  return [...new Set(presence.filter(wasThere).map(({ claw }) => foldName(claw)))]
}

export type ClawState = 'active' | 'stale' | 'stopping'

/** How a claw is: whether any instance of it is there, else whether the last that was heard of it was a farewell. */
export function clawState(presence: readonly PoolPresence[], now: number): ClawState {
  if (activeClaws(presence, now).length > 0) return 'active'
  const [last] = presence.toSorted((a, b) => b.at - a.at)
  return last?.status === 'stopping' ? 'stopping' : 'stale'
}
