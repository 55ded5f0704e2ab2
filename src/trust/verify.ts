// Verifies a token and its whole chain. The reasons come in one order, the first that holds is the answer.
// Invariant: whatever is revoked, expired or not begun takes all its descendants with it.
import type { Keyring } from '../core/ports.ts'
import { permitsAll } from '../core/access/permission.ts'
import { readReach } from '../core/access/reach.ts'
import { coversScope, overlapsScope, parseNames } from '../core/access/scope.ts'
import { holdersOf, type NameFault, nameFault } from './holder.ts'
import { lineageHash, linkFault, signedText } from './token.ts'
import type { ControlToken } from './token-schema.ts'

export const reasons = [
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
export type Reason = (typeof reasons)[number]

export interface Verifier {
  readonly keys: Pick<Keyring, 'verify'>
  sha256(text: string): Promise<string>
  find(id: string): ControlToken | undefined
  /** True for a key of this book's owner. */
  isOwn(key: string): boolean
  /** The agents that write for the owner here and where the token of this id was granted. */
  ownersOf(root: string): readonly string[]
}

export interface Wanted {
  readonly scope?: string | undefined
  readonly permission?: string | undefined
}

type Known = Pick<Verifier, 'find' | 'isOwn' | 'ownersOf'>

/**
 * Why the token is of no use here and now, by its state and its ancestors'; undefined when it stands. Whoever lists, shows,
 * verifies or lets in by a token asks this: what one of them takes for good, all do.
 */
export function standing(
  token: ControlToken | undefined,
  by: Known,
  now: string,
): Extract<Reason, `Token ${string}`> | undefined {
  if (!token) return 'Token not found'
  if (!isOfThisBook(token, by)) return 'Token of another book'
  return timeFault(token, by.find, now) ?? storedNameFault(token, by)
}

/** The tokens above this one that are here, the nearest first. */
export const ancestorsOf = (token: ControlToken, find: Verifier['find']): ControlToken[] =>
  token.delegation_chain.flatMap((id) => find(id) ?? [])

const storedNameFault = (token: ControlToken, by: Known): NameFault | undefined =>
  delegateFault(token, ancestorsOf(token, by.find), by)

/** What is wrong with how a delegate is called; undefined when nothing is. */
export function delegateFault(
  token: ControlToken,
  ancestors: readonly ControlToken[],
  { ownersOf }: Pick<Verifier, 'ownersOf'>,
): NameFault | undefined {
  const { token_id: root } = ancestors.at(-1) ?? token
  return nameFault(holdersOf(token, ancestors), ownersOf(root))
}

function timeFault(token: ControlToken, find: Verifier['find'], now: string) {
  const line = [token, ...ancestorsOf(token, find)]
  if (line.some(({ revoked }) => revoked)) return 'Token revoked'
  if (line.some(({ expires_at }) => expires_at < now)) return 'Token expired'
  if (line.some(({ not_before }) => not_before !== undefined && not_before > now))
    return 'Token not yet valid'
  return undefined
}

/**
 * How a token stands, in one word: `foreign` is of another book, of a key that was withdrawn, or of a delegate with the name of
 * the owner or of a holder above it, and opens nothing here.
 */
export const tokenStates = ['active', 'revoked', 'expired', 'pending', 'foreign'] as const

export function stateOf(token: ControlToken, by: Known, now: string): (typeof tokenStates)[number] {
  switch (standing(token, by, now)) {
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

/** What is wrong with a token that somebody brings to be kept, whoever signed it; undefined when nothing is. */
export async function keepFault(token: ControlToken, now: string, by: Verifier): Promise<Reason | undefined> {
  const fault = timeFault(token, by.find, now)
  if (fault !== undefined && fault !== 'Token not yet valid') return fault
  if (!(await isSigned(token, by))) return 'Invalid signature'
  return (await isChained(token, by)) ? storedNameFault(token, by) : 'Invalid delegation chain'
}

/** Why the token is not valid for what is wanted; undefined when it is. */
export async function verifyToken(
  token: ControlToken | undefined,
  { scope, permission }: Wanted,
  now: string,
  by: Verifier,
): Promise<Reason | undefined> {
  const state = standing(token, by, now)
  // Of a line whose beginning is not here nobody can say whose it is.
  if (token && state === 'Token of another book' && !rootOf(token, by)) return 'Invalid delegation chain'
  if (!token || state) return state ?? 'Token not found'
  if (scope !== undefined && !isFor(token, scope)) return 'Scope mismatch'
  if (!(await isSigned(token, by))) return 'Invalid signature'
  if (!(await isChained(token, by))) return 'Invalid delegation chain'
  if (permission !== undefined && !permitsAll(token.permissions, permission)) return 'Permission denied'
  return undefined
}

/** True when the token is one of this book's: the chain begins with a key of its owner. */
function isOfThisBook(token: ControlToken, by: Known): boolean {
  const root = rootOf(token, by)
  return root !== undefined && by.isOwn(root.granted_by)
}

/** The token that the line of this one begins with, if it is here. */
function rootOf(token: ControlToken, { find }: Pick<Known, 'find'>): ControlToken | undefined {
  const id = token.delegation_chain.at(-1)
  return id === undefined ? token : find(id)
}

/** True when the token allows every name that `scope` stands for, and denies none of them. */
function isFor(token: ControlToken, scope: string): boolean {
  const reach = readReach(token)
  const wanted = parseNames(scope)
  if (!reach || !wanted) return false
  const isDenied = reach.deny.some((one) => overlapsScope(one, wanted))
  return !isDenied && reach.allow.some((one) => coversScope(one, wanted))
}

const isSigned = (token: ControlToken, { keys }: Verifier): Promise<boolean> =>
  keys.verify(token.granted_by, signedText(token), token.signature)

async function isChained(token: ControlToken, by: Verifier): Promise<boolean> {
  const [id, ...rest] = token.delegation_chain
  if (id === undefined) return token.lineage_hash === (await lineageHash(undefined, by.sha256))
  const parent = by.find(id)
  if (!parent || parent.delegation_chain.length !== rest.length) return false
  if (linkFault(parent, token) !== undefined || !mayGrant(parent, token.granted_by, by)) return false
  if (token.lineage_hash !== (await lineageHash(parent, by.sha256))) return false
  return (await isSigned(parent, by)) && isChained(parent, by)
}

/** A token below another is signed by its holder, or for the holder by whoever signed that one. */
function mayGrant(parent: ControlToken, key: string, { isOwn }: Verifier): boolean {
  return key === parent.granted_to || key === parent.granted_by || (isOwn(key) && isOwn(parent.granted_by))
}
