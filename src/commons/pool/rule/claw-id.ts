// The ids by which agents are known to each other, and what follows from an id. Pure.
// Invariant: a claw has one spelling, `foldName`, wherever it is looked up; the claw of an agent begins with its name, and what
// folding would change in that is escaped, so that nobody else of the same book has it.
import { DaybookError } from '../../../core/errors.ts'
import { foldName } from '../../../core/text/fold-name.ts'
import { poolLimits } from '../../../shape/envelope.ts'

/** `helper` as it is; `Helper` is another agent of the book, and stays another one when it is folded: `%48elper`. */
function escaped(name: string): string {
  const marked = name.replaceAll('%', '%25').replaceAll('@', '%40')
  if (foldName(marked) === marked) return marked
  return [...marked].map((char) => (/[\da-z._%-]/.test(char) ? char : encoded(char))).join('')
}

const encoded = (char: string) =>
  encodeURIComponent(char.toWellFormed())
    .replace(/^[^%]$/, hexOf)
    .toLowerCase()
const hexOf = (char: string) => `%${char.charCodeAt(0).toString(16)}`

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
  return foldName(one) === foldName(other)
}

/** The fact that the proposal of this id makes as its first version: no other proposal makes one of that id. */
export function factIdOf(proposal: string): string {
  const [, digits] = /^kp-([0-9a-f]{16})$/.exec(proposal) ?? []
  return digits === undefined ? `kf:${proposal}`.slice(0, poolLimits.id) : `kf-${digits}`
}
