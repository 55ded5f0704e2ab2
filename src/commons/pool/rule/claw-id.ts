// The ids by which agents are known to each other, and what follows from an id. Pure.
// Invariant: the claw of an agent begins with its name, so that nobody else of the same book has it.
import { DaybookError } from '../../../core/errors.ts'
import { poolLimits } from '../../../shape/envelope.ts'

const escaped = (name: string) => name.replaceAll('%', '%25').replaceAll('@', '%40')

/** `<agent>@<book>`. */
export function clawIdOf(agent: string, book: string): string {
  const claw = `${escaped(agent)}@${escaped(book)}`
  if (claw.length <= poolLimits.id && claw.isWellFormed()) return claw
  throw new DaybookError(
    'invalid-input',
    `The names of the agent and the book are too long for the pool: at most ${poolLimits.id} characters together. Set \`claw\` with pool:configure.`,
    { details: { path: 'agent' } },
  )
}

/** True when `claw` is that of the agent, in whichever book. */
export function speaksFor(agent: string, claw: string): boolean {
  return claw.startsWith(`${escaped(agent)}@`)
}

/** Two spellings of one claw. */
export function sameClaw(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** The fact that the proposal of this id makes as its first version: no other proposal makes one of that id. */
export function factIdOf(proposal: string): string {
  const [, digits] = /^kp-([0-9a-f]{16})$/.exec(proposal) ?? []
  return digits === undefined ? `kf:${proposal}`.slice(0, poolLimits.id) : `kf-${digits}`
}
