// Verifies a token and its whole chain, and reads the tokens of a book for the verbs.
// Invariant: a revoked, expired, not yet valid, missing or foreign token invalidates all its descendants.
import type { Keyring } from '../core/ports.ts'
import { permitsAll } from '../core/access/permission.ts'
import { readReach } from '../core/access/reach.ts'
import { coversScope, overlapsScope, parseNames } from '../core/access/scope.ts'
import { type ControlToken, controlToken, type ShownToken } from './token-schema.ts'
import type { Guest } from '../core/capability/caller.ts'
import type { Ledger } from '../core/capability/port/record-port.ts'
import type { TrustPort } from '../core/capability/context.ts'
import { bodyOf } from '../core/record.ts'
import { holdersOf, lineageHash, linkFault, type NameFault, nameFault, signedText } from './token.ts'

/** Reasons why a token is not valid. */
export const tokenFaults = [
  'Token not found',
  'Token of another book',
  'Token names the owner',
  'Token names a holder above it',
  'Token has too long a name',
  'Token revoked',
  'Token expired',
  'Token not yet valid',
  'Scope mismatch',
  'Invalid signature',
  'Invalid delegation chain',
  'Permission denied',
] as const
export type TokenFault = (typeof tokenFaults)[number]

/** The book's tokens and keys, as the checks need them. */
export interface Verifier {
  readonly keys: Pick<Keyring, 'verify'>
  sha256(text: string): Promise<string>
  /** The stored token of this id. */
  find(id: string): ControlToken | undefined
  /** True for a key of this book's owner. */
  isOwnerKey(key: string): boolean
  /** The agents that write for the owner: here, and where the token with the id `rootId` was granted. */
  ownerAgentsOf(rootId: string): readonly string[]
}

interface RequiredRights {
  readonly scope?: string | undefined
  readonly permission?: string | undefined
}

type ChainContext = Pick<Verifier, 'find' | 'isOwnerKey' | 'ownerAgentsOf'>

/**
 * The reason why the token is not valid here and now, by its state and the state of its ancestors; undefined if it
 * is valid. All verbs and the admission use this check, so that they agree. It checks no signature.
 */
export function stateFault(
  token: ControlToken | undefined,
  verifier: ChainContext,
  now: string,
): Extract<TokenFault, `Token ${string}`> | undefined {
  const fault = faultWithoutLinks(token, verifier, now)
  if (!token || fault) return fault
  return hasEveryLink(token, verifier) ? undefined : 'Token of another book'
}

/** The same, without the links of the chain. */
function faultWithoutLinks(token: ControlToken | undefined, verifier: ChainContext, now: string) {
  if (!token) return 'Token not found'
  if (!isOfThisBook(token, verifier)) return 'Token of another book'
  return timeFault(token, verifier.find, now) ?? storedNameFault(token, verifier)
}

/** True if every ancestor is stored, and the signer of each token may still grant below the one above it. */
function hasEveryLink({ delegation_chain, granted_by }: ControlToken, verifier: ChainContext): boolean {
  let key = granted_by
  return delegation_chain.every((id) => {
    const parent = verifier.find(id)
    if (!parent || !mayGrant(parent, key, verifier)) return false
    key = parent.granted_by
    return true
  })
}

/** The stored ancestors of this token, the nearest first. */
export const ancestorsOf = (token: ControlToken, find: Verifier['find']): ControlToken[] =>
  token.delegation_chain.flatMap((id) => find(id) ?? [])

const storedNameFault = (token: ControlToken, verifier: ChainContext): NameFault | undefined =>
  delegateNameFault(token, ancestorsOf(token, verifier.find), verifier)

/** The fault in the name of a delegate; undefined without one. */
export function delegateNameFault(
  token: ControlToken,
  ancestors: readonly ControlToken[],
  { ownerAgentsOf }: Pick<Verifier, 'ownerAgentsOf'>,
): NameFault | undefined {
  const { token_id: rootId } = ancestors.at(-1) ?? token
  return nameFault(holdersOf(token, ancestors), ownerAgentsOf(rootId))
}

function timeFault(token: ControlToken, find: Verifier['find'], now: string) {
  const chain = [token, ...ancestorsOf(token, find)]
  if (chain.some(({ revoked }) => revoked)) return 'Token revoked'
  if (chain.some(({ expires_at }) => expires_at <= now)) return 'Token expired'
  if (chain.some(({ not_before }) => not_before !== undefined && not_before > now))
    return 'Token not yet valid'
  return undefined
}

/**
 * The state of a token. `foreign`: the token is not valid here, because it belongs to another book, to a withdrawn
 * key, or to a delegate with the name of the owner, of a holder above it, or too long a name.
 */
export const tokenStates = ['active', 'revoked', 'expired', 'pending', 'foreign'] as const

export function tokenStateOf(
  token: ControlToken,
  verifier: ChainContext,
  now: string,
): (typeof tokenStates)[number] {
  switch (stateFault(token, verifier, now)) {
    case undefined:
      return 'active'
    case 'Token revoked':
      return 'revoked'
    case 'Token expired':
      return 'expired'
    case 'Token not yet valid':
      return 'pending'
    case 'Token not found':
    case 'Token of another book':
    case 'Token names the owner':
    case 'Token names a holder above it':
    case 'Token has too long a name':
      return 'foreign'
  }
}

/**
 * The fault of a token to be stored, from any signer; undefined without one. A token that is not yet valid may be
 * stored.
 */
export async function storeFault(
  token: ControlToken,
  now: string,
  verifier: Verifier,
): Promise<TokenFault | undefined> {
  const fault = timeFault(token, verifier.find, now)
  if (fault !== undefined && fault !== 'Token not yet valid') return fault
  if (!(await isSignatureValid(token, verifier))) return 'Invalid signature'
  return (await isChainValid(token, verifier)) ? storedNameFault(token, verifier) : 'Invalid delegation chain'
}

/**
 * The reason why the token is not valid for the wanted scope and permission; undefined if it is valid. Checks in
 * this order: state, scope, signature, chain, permission.
 */
export async function verifyToken(
  token: ControlToken | undefined,
  { scope, permission }: RequiredRights,
  now: string,
  verifier: Verifier,
): Promise<TokenFault | undefined> {
  const state = faultWithoutLinks(token, verifier, now)
  // If the first token of the chain is missing, its book can't be determined.
  if (token && state === 'Token of another book' && !rootOf(token, verifier))
    return 'Invalid delegation chain'
  if (!token || state) return state ?? 'Token not found'
  if (scope !== undefined && !allowsScope(token, scope)) return 'Scope mismatch'
  if (!(await isSignatureValid(token, verifier))) return 'Invalid signature'
  if (!(await isChainValid(token, verifier))) return 'Invalid delegation chain'
  if (permission !== undefined && !permitsAll(token.permissions, permission)) return 'Permission denied'
  return undefined
}

/** True if the chain begins with a key of this book's owner. */
function isOfThisBook(token: ControlToken, verifier: ChainContext): boolean {
  const rootToken = rootOf(token, verifier)
  return rootToken !== undefined && verifier.isOwnerKey(rootToken.granted_by)
}

/** The first token of the chain; undefined if it is not stored. */
function rootOf(token: ControlToken, { find }: Pick<ChainContext, 'find'>): ControlToken | undefined {
  const id = token.delegation_chain.at(-1)
  return id === undefined ? token : find(id)
}

/** True if the token allows every name in `scope`, and denies none of them. */
function allowsScope(token: ControlToken, scope: string): boolean {
  const reach = readReach(token)
  const names = parseNames(scope)
  if (!reach || !names) return false
  const isDenied = reach.deny.some((denied) => overlapsScope(denied, names))
  return !isDenied && reach.allow.some((allowed) => coversScope(allowed, names))
}

const isSignatureValid = (token: ControlToken, { keys }: Verifier): Promise<boolean> =>
  keys.verify(token.granted_by, signedText(token), token.signature)

async function isChainValid(token: ControlToken, verifier: Verifier): Promise<boolean> {
  const [id, ...rest] = token.delegation_chain
  if (id === undefined) return token.lineage_hash === (await lineageHash(undefined, verifier.sha256))
  const parent = verifier.find(id)
  if (!parent || parent.delegation_chain.length !== rest.length) return false
  if (linkFault(parent, token) !== undefined || !mayGrant(parent, token.granted_by, verifier)) return false
  if (token.lineage_hash !== (await lineageHash(parent, verifier.sha256))) return false
  return (await isSignatureValid(parent, verifier)) && isChainValid(parent, verifier)
}

/**
 * True if `key` may sign a token below `parent`: the key of the parent's holder, the key that signed the parent, or
 * any key of the owner if the owner signed the parent.
 */
function mayGrant(parent: ControlToken, key: string, { isOwnerKey }: Pick<Verifier, 'isOwnerKey'>): boolean {
  return (
    key === parent.granted_to ||
    key === parent.granted_by ||
    (isOwnerKey(key) && isOwnerKey(parent.granted_by))
  )
}

/** The stored token of this id; undefined without a valid one. */
export function findToken({ get }: Pick<Ledger, 'get'>, id: string): ControlToken | undefined {
  const record = get(id)
  return record?.kind === 'token' ? controlToken.safeParse(bodyOf(record)).data : undefined
}

/** True for a key of the owner of this book. */
function isKeyOfOwner({ get }: Pick<Ledger, 'get'>, key: string): boolean {
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
    isOwnerKey: (key) => isKeyOfOwner(ledger, key),
    // Other copies, such as a mirror, may write for the owner as other agents than this copy.
    ownerAgentsOf: (root) => [owner, ledger.get(root)?.agent ?? owner],
  }
}

/** True for a token of the guest's chain: its own, an ancestor, or a descendant. */
export function isInChainOf(token: ControlToken, guest: Guest, find: Verifier['find']): boolean {
  if (token.token_id === guest.token || token.delegation_chain.includes(guest.token)) return true
  return find(guest.token)?.delegation_chain.includes(token.token_id) === true
}

/**
 * A token as a guest of its chain may see it: without its hashes, and without the signature, which proves it to
 * others. The owner sees all: the signature covers the hashes. A holder has them in its bearer text.
 */
export function viewFor(guest: Guest | undefined, token: ControlToken): ShownToken {
  if (!guest) return token
  const { signature: _signature, secret_hash: _secret, lineage_hash: _lineage, ...claims } = token
  return claims
}
