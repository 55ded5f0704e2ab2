// Grants: the rights of a caller with an access key, or with claims that the edge verified. A control token holds the
// same, signed; all three become a `Caller`.
import type { ScopeText } from './reach.ts'

/** Kinds that a sync may send and fetch. Default: all that guests may. */
export interface GrantedKinds {
  readonly push?: readonly string[] | undefined
  readonly pull?: readonly string[] | undefined
}

/** The reach is spelled as in a token: see scope.ts. */
export interface Grant extends GrantedKinds, ScopeText {
  /** Name of the holder in logs and limits: `key-…`, or `claims:` with issuer and subject. Never a secret. */
  readonly id: string
  /** True: all rights of the owner; the other fields don't count. */
  readonly owner?: boolean | undefined
  /** The agent that the holder writes as. */
  readonly agent: string
  readonly permissions: readonly string[]
  /** Time at which it ends, in milliseconds since 1970 UTC. */
  readonly untilMs?: number | undefined
}

// Names of delegates: agents to which the holder of a token granted another one below it. Invariant: a delegate's name
// ends with the name of the holder that the owner admitted, so no delegate passes for another agent, and all of them
// count together.

const ending = (holder: string) => ` by ${holder}`

/** Returns `child by holder`. */
export const delegateName = (child: string, holder: string): string => child + ending(holder)

/** True for the name of a direct or indirect delegate of `holder`. */
export const isDelegateOf = (name: string, holder: string): boolean => name.endsWith(ending(holder))

/** SQL condition: one column has the name of a delegate of the other one. */
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
