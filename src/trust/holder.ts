// Who holds a token: the holder of each token of its chain, by name. Invariants: whoever was given a token below another
// one writes as `child by holder`, so no holder picks the name of somebody else for its delegates; and each holder of the
// chain is known by its own names, because policies bound each of them.
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
  const isSame = granted === parent.name || granted === parent.writesAs
  return { name: granted, writesAs: isSame ? parent.writesAs : delegateName(granted, parent.writesAs) }
}

/** The holders of a token and of its ancestors, which are given the nearest first; so are they. */
export function holdersOf(token: ControlToken, ancestors: readonly ControlToken[]): Holder[] {
  const holders: Holder[] = []
  for (const one of [token, ...ancestors].toReversed()) holders.unshift(holderOf(one, holders[0]))
  return holders
}

/** What is wrong with how a delegate is called, in a book whose owner writes as `owners`; undefined when nothing is. */
export function nameFault(holders: readonly Holder[], owners: readonly string[]): string | undefined {
  const taken = new Set(['owner', 'user', ...owners].map(foldAgent))
  const delegates = holders.filter((one, i) => one.writesAs !== (holders[i + 1] ?? one).writesAs)
  if (delegates.some(({ name }) => taken.has(foldAgent(name)) || name.startsWith('did:a2p:user:')))
    return 'a delegate has the name of the owner, or of the agent that writes for the owner'
  return delegates.some(({ writesAs }) => writesAs.length > nameLimit)
    ? `the names of its holders have more than ${nameLimit} characters together`
    : undefined
}
