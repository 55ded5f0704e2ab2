// Who holds a token: the holder of each token of its chain, by name. Invariants: whoever was given a token below another
// one writes as `child by holder`, so no holder picks the name of somebody else for its delegates; each holder of the chain
// is known by names that none above it has, because a name opens what is its own; and policies bound each by its names.
import { delegateName, isDelegateOf } from '../core/access/delegate-name.ts'
import { onlyPattern, readReach } from '../core/access/reach.ts'
import { isConcrete } from '../core/access/scope.ts'
import { foldAgent } from '../core/text/fold-agent.ts'
import type { ControlToken } from './token-schema.ts'

/** One holder of a chain. */
export interface Holder {
  /** What the one that granted its token calls it. */
  readonly name: string
  /** In which name it writes. */
  readonly writesAs: string
}

/** Characters of the longest name that a record takes. */
const nameLimit = 1000

function holderOf(token: ControlToken, parent: Holder | undefined): Holder {
  const reach = readReach(token)
  const only = reach && onlyPattern(reach)
  const isAgent = only && only.parts[0] === 'agent' && only.parts.length > 1 && isConcrete(only)
  const lane = isAgent ? only.text.slice('agent:'.length) : undefined
  const granted = token.granted_to.replace(/^agent:(?=.)/, '')
  if (!parent) return { name: lane ?? granted, writesAs: lane ?? granted }
  // A delegate that reaches one lane alone writes there, if that is its holder's or one below it.
  if (lane === parent.writesAs || (lane !== undefined && isDelegateOf(lane, parent.writesAs)))
    return { name: granted, writesAs: lane as string }
  return { name: granted, writesAs: delegateName(granted, parent.writesAs) }
}

/** The holders of a token and of its ancestors, which are given the nearest first; so are they. */
export function holdersOf(token: ControlToken, ancestors: readonly ControlToken[]): Holder[] {
  const holders: Holder[] = []
  for (const one of [token, ...ancestors].toReversed()) holders.unshift(holderOf(one, holders[0]))
  return holders
}

/** Names that no delegate may have: by the reason for which its token is refused, in words. */
export const nameFaults = {
  'Token names the owner': 'a delegate has the name of the owner, or of the agent that writes for the owner',
  'Token names a holder above it': 'a holder above it in the chain has that name. Give it a name of its own',
  'Token has too long a name': `the names of its holders have more than ${nameLimit} characters together`,
} as const
export type NameFault = keyof typeof nameFaults

/** What is wrong with how a delegate is called, in a book whose owner writes as `owners`; undefined when nothing is. */
export function nameFault(holders: readonly Holder[], owners: readonly string[]): NameFault | undefined {
  const owned = new Set(['owner', 'user', ...owners].map(foldAgent))
  const above = new Set<string>()
  let fault: NameFault | undefined
  for (const [i, { name, writesAs }] of holders.toReversed().entries()) {
    const folded = foldAgent(name)
    if (i > 0 && (owned.has(folded) || name.startsWith('did:a2p:user:'))) return 'Token names the owner'
    if (above.has(folded)) fault ??= 'Token names a holder above it'
    if (i > 0 && writesAs.length > nameLimit) fault ??= 'Token has too long a name'
    above.add(folded).add(foldAgent(writesAs))
  }
  return fault
}
