// Who calls a book.
import type { GrantedKinds } from '../access/grant.ts'
import type { Way } from '../access/policy-decision.ts'
import type { Reach } from '../access/reach.ts'
import type { ScopePattern } from '../access/scope.ts'

/** Who calls. The owner may do everything; anyone else only what a control token grants. */
export type Caller = { readonly role: 'owner' } | Guest

/** Somebody with a control token: what it sees and may do follows from the token alone. */
export interface Guest {
  readonly role: 'guest'
  /** The id of the token. */
  readonly token: string
  /** The agent in whose name the guest writes: its holder, `child by holder` for a token that a holder has granted further. */
  readonly agent: string
  /** All who hold tokens of its chain, the guest itself first. Absent where nothing was granted further. */
  readonly holders?: readonly ChainHolder[]
  readonly reach: Reach
  /** What its token reaches, before policies and a receipt narrow that; absent until they were asked. */
  readonly own?: Reach
  /** With what the policies were asked, to ask them again. */
  readonly consent?: { readonly way: Way; readonly receipt?: string }
  readonly permissions: readonly string[]
  /** True of an agent that is known by its key alone: whether it may propose, the policies say. */
  readonly proposesByPolicy?: true
  /** Of such an agent, once the policies were asked: what it may propose. */
  readonly proposes?: readonly ScopePattern[]
  /** By what it is known, when not by a control token; then `token` is the id of the access key, or names the claims. */
  readonly by?: 'key' | 'claims'
  /** In a sync: kinds that it may send and fetch, where that is bounded. */
  readonly granted?: GrantedKinds
}

/** Somebody who holds a token of a chain. Policies and receipts are asked for each of them by all of its names. */
export interface ChainHolder {
  readonly names: readonly string[]
  /** In which name it writes. */
  readonly agent: string
}

/** Everybody by whose rights a guest calls, the guest itself first. */
export function holdersOfGuest({ agent, holders }: Pick<Guest, 'agent' | 'holders'>): readonly ChainHolder[] {
  return holders ?? [{ names: [agent], agent }]
}

/** In whose name what a caller asks is counted: the guest that the owner let in, above all delegates. */
export const countedAs = (caller: Caller, agent: string): string =>
  caller.role === 'guest' ? topHolder(caller).agent : agent

/** The guest that the owner let in, at the top of the chain: in its name everybody below it counts. */
export function topHolder(guest: Pick<Guest, 'agent' | 'holders'>): ChainHolder {
  const holders = holdersOfGuest(guest)
  return holders[holders.length - 1] ?? { names: [guest.agent], agent: guest.agent }
}
