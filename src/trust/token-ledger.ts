// The tokens and keys of a book as the verbs of trust read them. Whoever calls: what a guest may know is decided there.
import type { Guest } from '../core/capability/caller.ts'
import type { Ledger } from '../core/capability/port/record-port.ts'
import type { TrustPort } from '../core/capability/context.ts'
import { bodyOf } from '../core/record.ts'
import { controlToken, type ControlToken, type ShownToken } from './token-schema.ts'
import type { Verifier } from './verify.ts'

/** The token of this id, if there is a whole one. */
export function findToken({ get }: Pick<Ledger, 'get'>, id: string): ControlToken | undefined {
  const found = get(id)
  return found?.kind === 'token' ? controlToken.safeParse(bodyOf(found)).data : undefined
}

/** True for a key that speaks for the owner of this book. */
export function isOwnKey({ get }: Pick<Ledger, 'get'>, key: string): boolean {
  return get(key)?.kind === 'key'
}

export function createVerifier({
  ledger,
  keys,
  digest,
  owner,
}: Pick<TrustPort, 'keys' | 'digest' | 'owner'> & { readonly ledger: Pick<Ledger, 'get'> }): Verifier {
  return {
    keys,
    sha256: digest.sha256,
    find: (id) => findToken(ledger, id),
    isOwn: (key) => isOwnKey(ledger, key),
    // The owner's devices may write as other agents than this copy: a mirror does.
    ownersOf: (root) => [owner, ledger.get(root)?.agent ?? owner],
  }
}

/** True for a token of the guest's own line: its own, an ancestor of that, or a descendant. */
export function isInLine(token: ControlToken, guest: Guest, find: Verifier['find']): boolean {
  if (token.token_id === guest.token || token.delegation_chain.includes(guest.token)) return true
  return find(guest.token)?.delegation_chain.includes(token.token_id) === true
}

/** A token as its line may know of it: what it says, without the signature that proves it to others. */
export function shownTo(guest: Guest | undefined, token: ControlToken): ShownToken {
  const { signature, ...claims } = token
  return guest ? claims : { ...claims, signature }
}
