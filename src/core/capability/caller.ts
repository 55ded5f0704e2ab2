// The caller of a capability: the owner, or a guest with the rights of its grant.
import type { GrantedKinds } from '../access/grant.ts'
import type { CallWay } from '../access/governed.ts'
import type { Reach } from '../access/reach.ts'
import type { ScopePattern } from '../access/scope.ts'

/** The caller of a book. The owner may do everything; a guest may do only what its grant permits. */
export type Caller = { readonly role: 'owner' } | Guest

/** A caller with a control token, an access key, verified claims or an agent key. */
export interface Guest {
  readonly role: 'guest'
  /** Id of the token or access key, or name of the claims: see `by`. */
  readonly token: string
  /** The agent that the guest writes as: the holder, or `child by holder` for a delegated token. */
  readonly agent: string
  /** All holders of the chain of tokens, the guest first. Absent if the token was not delegated. */
  readonly holders?: readonly ChainHolder[]
  readonly reach: Reach
  /** The guest's reach before policies and a receipt narrow it. Absent until they are applied. */
  readonly own?: Reach
  /** Inputs of the policy decision, to repeat the decision. */
  readonly consent?: { readonly way: CallWay; readonly receipt?: string }
  readonly permissions: readonly string[]
  /** True for an agent that only its key identifies: policies decide whether it may propose. */
  readonly proposesByPolicy?: true
  /** Names that an agent with `proposesByPolicy` may propose. Absent until policies are applied. */
  readonly proposes?: readonly ScopePattern[]
  /** Identification of the guest. Absent: a control token. */
  readonly by?: 'key' | 'claims'
  /** Limits the kinds that its sync may send and fetch. Absent: no limit. */
  readonly granted?: GrantedKinds
}

/** A holder in a chain of tokens. Policies and receipts apply to each holder, under all its names. */
export interface ChainHolder {
  readonly names: readonly string[]
  /** The agent that the holder writes as. */
  readonly agent: string
}

/** Returns all holders in the guest's chain, the guest first. */
export function holdersOfGuest({ agent, holders }: Pick<Guest, 'agent' | 'holders'>): readonly ChainHolder[] {
  return holders ?? [{ names: [agent], agent }]
}

/** Returns the agent whose limits a call of `agent` counts against: for a guest, the top holder of its chain. */
export const countedAs = (caller: Caller, agent: string): string =>
  caller.role === 'guest' ? topHolder(caller).agent : agent

/**
 * Returns the top holder of the chain: the one that the owner admitted. Limits count its delegates as this holder.
 */
export function topHolder(guest: Pick<Guest, 'agent' | 'holders'>): ChainHolder {
  const holders = holdersOfGuest(guest)
  return holders[holders.length - 1] ?? { names: [guest.agent], agent: guest.agent }
}
