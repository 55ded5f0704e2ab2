import type { GrantedKinds } from '../access/grant.ts'
import type { CallWay } from '../access/governed.ts'
import type { Reach } from '../access/reach.ts'
import type { ScopePattern } from '../access/scope.ts'

/** The caller of a book. The owner may do everything; a guest only what its control token grants. */
export type Caller = { readonly role: 'owner' } | Guest

/** The holder of a control token. The token alone decides what it may see and do. */
export interface Guest {
  readonly role: 'guest'
  /** Id of the token. */
  readonly token: string
  /** The agent that the guest writes as: the holder, or `child by holder` for a token granted further. */
  readonly agent: string
  /** All holders of the token's chain, the guest itself first. Absent if nothing was granted further. */
  readonly holders?: readonly ChainHolder[]
  readonly reach: Reach
  /** Reach of its token before policies and a receipt narrow it; absent until they are applied. */
  readonly own?: Reach
  /** Input of the policy decision, to repeat it. */
  readonly consent?: { readonly way: CallWay; readonly receipt?: string }
  readonly permissions: readonly string[]
  /** True for an agent identified by its key alone: policies decide whether it may propose. */
  readonly proposesByPolicy?: true
  /** Patterns of what such an agent may propose, once policies are applied. */
  readonly proposes?: readonly ScopePattern[]
  /** How it is identified, if not by a control token; then `token` is the id of the access key, or names the claims. */
  readonly by?: 'key' | 'claims'
  /** Kinds that its sync may send and fetch, if limited. */
  readonly granted?: GrantedKinds
}

/** A holder in a chain of tokens. Policies and receipts apply to each of them, under all its names. */
export interface ChainHolder {
  readonly names: readonly string[]
  /** The agent that it writes as. */
  readonly agent: string
}

/** Holders by whose rights a guest calls, the guest itself first. */
export function holdersOfGuest({ agent, holders }: Pick<Guest, 'agent' | 'holders'>): readonly ChainHolder[] {
  return holders ?? [{ names: [agent], agent }]
}

/** The agent whose limits a call counts against: the guest that the owner admitted, above all delegates. */
export const countedAs = (caller: Caller, agent: string): string =>
  caller.role === 'guest' ? topHolder(caller).agent : agent

/** The guest that the owner admitted, at the top of the chain. Everybody below counts as this guest. */
export function topHolder(guest: Pick<Guest, 'agent' | 'holders'>): ChainHolder {
  const holders = holdersOfGuest(guest)
  return holders[holders.length - 1] ?? { names: [guest.agent], agent: guest.agent }
}
