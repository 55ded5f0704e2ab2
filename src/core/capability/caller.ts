// Who calls a book.
import type { GrantedKinds } from '../access/grant.ts'
import type { Way } from '../access/policy-decision.ts'
import type { Reach } from '../access/reach.ts'

/** Who calls. The owner may do everything; anyone else only what a control token grants. */
export type Caller = { readonly role: 'owner' } | Guest

/** Somebody with a control token: what it sees and may do follows from the token alone. */
export interface Guest {
  readonly role: 'guest'
  /** The id of the token. */
  readonly token: string
  /** Whom the token was granted to: the agent in whose name the guest writes. */
  readonly agent: string
  readonly reach: Reach
  /** What its token reaches, before policies and a receipt narrow that; absent until they were asked. */
  readonly own?: Reach
  /** With what the policies were asked, to ask them again. */
  readonly consent?: { readonly way: Way; readonly receipt?: string }
  readonly permissions: readonly string[]
  /** True of an agent that is known by its key alone: whether it may propose, the policies say. */
  readonly proposesByPolicy?: true
  /** By what it is known, when not by a control token; then `token` is the id of the access key, or names the claims. */
  readonly by?: 'key' | 'claims'
  /** In a sync: kinds that it may send and fetch, where that is bounded. */
  readonly granted?: GrantedKinds
}
