// Grants: the rights of a caller with an access key, or with claims that the edge verified. A control token carries
// the same rights, signed. The engine turns tokens, keys and claims into a `Caller`.
import type { ScopeText } from './reach.ts'

/** Kinds that a sync may send (`push`) and fetch (`pull`). Absent: all that guests may send or fetch. */
export interface GrantedKinds {
  readonly push?: readonly string[] | undefined
  readonly pull?: readonly string[] | undefined
}

/**
 * Rights of one holder. `scope`: allowed pattern of record names; `allow`: further ones; `deny` wins. Pattern
 * syntax: scope.ts.
 */
export interface Grant extends GrantedKinds, ScopeText {
  /** Name of the holder in logs and limits: `access_key::…`, or `claims:` with issuer and subject. Never a secret. */
  readonly id: string
  /** True: the holder has all rights of the owner, and the other fields have no effect. */
  readonly owner?: boolean | undefined
  /** The agent that the holder writes as. */
  readonly agent: string
  /**
   * Each is a right (`read`), a pattern over capability ids (`kstar:*`), or a word of the owner: see
   * permission.ts.
   */
  readonly permissions: readonly string[]
  /** End of the grant, in milliseconds since 1970 UTC. */
  readonly untilMs?: number | undefined
}

// Names of delegates. A delegate is an agent with a token that another token holder issued below its own.
// Invariant: a delegate's name ends with ` by ` and the name of the holder at the top of its chain, which the
// owner admitted (`child by parent by top`). So no delegate can use the name of another agent, and limits
// count a holder and its delegates together.

const ending = (holder: string) => ` by ${holder}`

/** Returns `child by holder`. */
export const delegateName = (child: string, holder: string): string => child + ending(holder)

/** True if `name` is the name of a direct or indirect delegate of `holder`. */
export const isDelegateOf = (name: string, holder: string): boolean => name.endsWith(ending(holder))

/** SQL condition: the agent in column `name` is a delegate of the agent in column `holder`. */
export const isDelegateSql = (name: string, holder: string): string =>
  `substr(${name}, -${ending('').length} - length(${holder})) = '${ending('')}' || ${holder}`

/** SQL condition with parameters: `column` is `holder` or a delegate of it. */
export function sameOrDelegate(
  column: string,
  holder: string,
): { readonly sql: string; readonly params: string[] } {
  const end = ending(holder)
  return { sql: `(${column} = ? OR substr(${column}, -length(?)) = ?)`, params: [holder, end, end] }
}
