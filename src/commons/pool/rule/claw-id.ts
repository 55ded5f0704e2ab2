// Ids of claws and facts. Pure.
// Invariant: every lookup folds a claw with `foldName`; an agent's claw begins with its name, escaped where folding
// would change it, so that two agents of a book have two claws.
import { idPrefixes } from '../../../core/text/name-id.ts'
import { DaybookError } from '../../../core/errors.ts'
import { foldName } from '../../../core/text/fold.ts'
import { poolLimits } from '../../../shape/envelope.ts'

/** Returns `helper` unchanged, and `%48elper` for `Helper`: else folding would make both agents one. */
function escapeName(name: string): string {
  const escapedSeparators = name.replaceAll('%', '%25').replaceAll('@', '%40')
  if (foldName(escapedSeparators) === escapedSeparators) return escapedSeparators
  return [...escapedSeparators]
    .map((char) => (/[\da-z._%-]/.test(char) ? char : percentEncode(char)))
    .join('')
}

const percentEncode = (char: string) =>
  encodeURIComponent(char.toWellFormed())
    .replace(/^[^%]$/, percentEncodeAscii)
    .toLowerCase()
const percentEncodeAscii = (char: string) => `%${char.charCodeAt(0).toString(16)}`

/** Returns `<agent>@<book>`. Throws `invalid-input` if that is longer than an id. */
export function clawIdOf(agent: string, book: string): string {
  const claw = `${escapeName(agent)}@${escapeName(book)}`
  if (claw.length <= poolLimits.id && claw.isWellFormed()) return claw
  throw new DaybookError(
    'invalid-input',
    `The names of the agent and the book are too long for the pool: at most ${poolLimits.id} characters together. Set \`claw\` with pool:configure.`,
    { details: { path: 'agent' } },
  )
}

/** True if `claw` is the agent's, in any book. */
export function isClawOfAgent(agent: string, claw: string): boolean {
  return claw.startsWith(`${escapeName(agent)}@`)
}

/** True for two spellings of one claw. */
export function sameClaw(first: string, second: string): boolean {
  return foldName(first) === foldName(second)
}

/** The id of the fact that a proposal creates. No two proposals create the same fact. */
export function factIdOf(proposal: string): string {
  return (idPrefixes.claw_fact + proposal).slice(0, poolLimits.id)
}
