// What somebody may do here who is known by an access key, or by claims that the edge has verified. A control token says
// the same of its holder, with a signature; all three end in a `Caller`.
import type { ScopeText } from './reach.ts'

/** Which kinds may be sent and fetched in a sync. Without a list: all that guests may. */
export interface GrantedKinds {
  readonly push?: readonly string[] | undefined
  readonly pull?: readonly string[] | undefined
}

/** What it reaches is spelled as a token spells it: see scope.ts. */
export interface Grant extends GrantedKinds, ScopeText {
  /** Names the holder in logs and limits: `key-…`, or `claims:` and issuer and subject. Never a secret. */
  readonly id: string
  /** Everything, as the owner of the book. The other fields then say nothing. */
  readonly owner?: boolean | undefined
  /** In whose name the holder writes. */
  readonly agent: string
  readonly permissions: readonly string[]
  /** When it ends by itself; milliseconds since 1970 UTC. */
  readonly untilMs?: number | undefined
}
