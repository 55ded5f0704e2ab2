// The signed text, lineage hash, bearer text and chain rules of a token, and the names of its holders.
// Invariant: a child never permits more than its parent in scope, permissions or time; a bearer text needs a secret
// that is stored nowhere, because a token contains only its hash; a delegate writes as `child by holder`, so it
// can't take another's name; the names of each holder differ from those above it, because a name gives access to
// its own records; policies bound each holder by its names.
import { strictCanonicalText } from '../core/text/canonical-json.ts'
import { fromBase64Url, toBase64Url } from '../shape/encoded-bytes.ts'
import { permitsAll } from '../core/access/permission.ts'
import { coversReach, onlyPattern, readReach } from '../core/access/reach.ts'
import { timingSafeEqual } from '../core/address.ts'
import { controlToken, type ControlToken, maxAncestors } from './token-schema.ts'
import { delegateName, isDelegateOf } from '../core/access/grant.ts'
import { isConcrete } from '../core/access/scope.ts'
import { foldAgent } from '../core/text/fold.ts'

type Claims = Omit<ControlToken, 'signature'>
type Sha256 = (text: string) => Promise<string>

/** Fields of a token as it was granted; undefined members are not in its canonical JSON. */
const asGranted = { revoked: false, revoked_at: undefined, revocation_reason: undefined } as const

/** The canonical JSON of a token as it was granted, without the signature: a later revocation does not break it. */
export function signedText(token: Claims): string {
  return strictCanonicalText({ ...token, ...asGranted, signature: undefined })
}

/** SHA-256 of the parent's lineage hash and the parent; without a parent, of the empty text. */
export async function lineageHash(parent: ControlToken | undefined, sha256: Sha256): Promise<string> {
  if (!parent) return sha256('')
  return sha256(`${parent.lineage_hash}:${await sha256(signedText(parent))}`)
}

/** True if the holder may grant tokens below this one. */
function mayDelegate({ type, permissions }: Pick<ControlToken, 'type' | 'permissions'>): boolean {
  return type === 'delegation' || permitsAll(permissions, 'delegation')
}

/** The fault of `child` as a token below `parent`, apart from its signature; undefined if there is no fault. */
export function linkFault(parent: ControlToken, child: Claims): string | undefined {
  if (!mayDelegate(parent)) return 'the parent does not carry `delegation`'
  const chain = [parent.token_id, ...parent.delegation_chain]
  if (chain.length > maxAncestors) return `there are more than ${maxAncestors} ancestors`
  if (strictCanonicalText(chain) !== strictCanonicalText(child.delegation_chain))
    return 'the chain is not the parent’s'
  const parentReach = readReach(parent)
  const childReach = readReach(child)
  if (!parentReach || !childReach || !coversReach(parentReach, childReach))
    return 'the scope is wider than the parent’s'
  // A parent that may delegate passes `delegation` on, even if only its type allows it.
  const missing = child.permissions.find(
    (permission) => permission !== 'delegation' && !permitsAll(parent.permissions, permission),
  )
  if (missing !== undefined) return `the parent does not permit \`${missing}\``
  if (child.expires_at > parent.expires_at) return 'it expires after the parent'
  if (parent.not_before !== undefined && (child.not_before ?? '') < parent.not_before)
    return 'it begins before the parent'
  return undefined
}

const bearerPrefix = 'dbt2.'
/**
 * Prefix of older bearer texts without a secret. They are refused, because anyone who read a stored token could
 * make them.
 */
const outdatedPrefix = 'dbt1.'
const secretBytes = 32
const secretShape = /^[A-Za-z0-9_-]{43}$/

/** The secret part of a bearer text: 256 random bits. */
export function makeSecret(random: (count: number) => Uint8Array): string {
  return toBase64Url(random(secretBytes))
}

/** The token and its secret as one text, for use as a bearer token: letters, digits, `.`, `_` and `-`. */
export function toBearer(token: ControlToken, secret: string): string {
  const text = strictCanonicalText({ ...token, ...asGranted })
  // ASCII needs no encoder, and JSON decodes the escapes.
  const ascii = text.replaceAll(
    /[^\u0020-\u007e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${bearerPrefix}${toBase64Url(Uint8Array.from(ascii, (char) => char.charCodeAt(0)))}.${secret}`
}

/** True for a text with the prefix of tokens. */
export function hasBearerPrefix(text: string): boolean {
  return text.startsWith(bearerPrefix) || isOutdatedBearer(text)
}

/** True for a bearer text from before tokens had secrets. */
export function isOutdatedBearer(text: string): boolean {
  return text.startsWith(outdatedPrefix)
}

interface PresentedToken {
  readonly token: ControlToken
  readonly secret: string
}

/** The content of a bearer text, not verified; undefined for another text. */
export function parseBearer(text: string): PresentedToken | undefined {
  if (!text.startsWith(bearerPrefix) || text.length > maxBearerLength) return undefined
  const [tokenPart = '', secret = '', ...extra] = text.slice(bearerPrefix.length).split('.')
  const bytes = extra.length === 0 && secretShape.test(secret) ? fromBase64Url(tokenPart) : undefined
  if (!bytes) return undefined
  try {
    const json: unknown = JSON.parse(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    const token = controlToken.safeParse(json).data
    return token && { token, secret }
  } catch {
    return undefined
  }
}

/** Most characters of a bearer text. HTTP headers of this size pass everywhere. */
const maxBearerLength = 8000

/** True if two tokens are the same grant with the same signature; takes the same time for any difference. */
export function isSameGrant(a: ControlToken, b: ControlToken): boolean {
  return timingSafeEqual(`${signedText(a)} ${a.signature}`, `${signedText(b)} ${b.signature}`)
}

/** True if `presented` is the token `stored`, and has its secret. */
export async function matchesStored(
  presented: PresentedToken,
  stored: ControlToken,
  sha256: Sha256,
): Promise<boolean> {
  const hash = await sha256(presented.secret)
  const isSecret = stored.secret_hash !== undefined && timingSafeEqual(stored.secret_hash, hash)
  return isSameGrant(presented.token, stored) && isSecret
}

/** One holder of a chain. */
export interface Holder {
  /** Its name in its token. */
  readonly name: string
  /** The agent name that it writes as. */
  readonly writesAs: string
}

/** Longest name in characters. */
const maxNameLength = 1000

/** The holder of a token. `parent`: the holder of the token above; undefined for the first token. */
function holderOf(token: ControlToken, parent: Holder | undefined): Holder {
  const reach = readReach(token)
  const singlePattern = reach && onlyPattern(reach)
  const isAgent =
    singlePattern &&
    singlePattern.parts[0] === 'agent' &&
    singlePattern.parts.length > 1 &&
    isConcrete(singlePattern)
  // The agent, if the token's only scope is one agent: `agent:name`.
  const ownAgent = isAgent ? singlePattern.text.slice('agent:'.length) : undefined
  const grantedTo = token.granted_to.replace(/^agent:(?=.)/, '')
  if (!parent) return { name: ownAgent ?? grantedTo, writesAs: ownAgent ?? grantedTo }
  // A delegate whose only scope is one agent writes as that agent, if that is its holder's agent or a delegate of
  // it.
  if (ownAgent === parent.writesAs || (ownAgent !== undefined && isDelegateOf(ownAgent, parent.writesAs)))
    return { name: grantedTo, writesAs: ownAgent as string }
  return { name: grantedTo, writesAs: delegateName(grantedTo, parent.writesAs) }
}

/** The holders of a token and of its ancestors, the nearest first. */
export function holdersOf(token: ControlToken, ancestors: readonly ControlToken[]): Holder[] {
  const holders: Holder[] = []
  for (const link of [token, ...ancestors].toReversed()) holders.unshift(holderOf(link, holders[0]))
  return holders
}

/** Faults in a delegate's name: the reason of the refusal, and the text of the error. */
export const nameFaults = {
  'Token names the owner': 'a delegate has the name of the owner, or of the agent that writes for the owner',
  'Token names a holder above it': 'a holder above it in the chain has that name. Give it a name of its own',
  'Token has too long a name': `the names of its holders have more than ${maxNameLength} characters together`,
} as const
export type NameFault = keyof typeof nameFaults

/** The fault in the name of a delegate, in a book whose owner writes as `ownerAgents`; undefined if there is no fault. */
export function nameFault(holders: readonly Holder[], ownerAgents: readonly string[]): NameFault | undefined {
  const reservedNames = new Set(['owner', 'user', ...ownerAgents].map(foldAgent))
  const above = new Set<string>()
  let fault: NameFault | undefined
  // From the top of the chain. The owner named the top holder (0) itself, so only names below are checked.
  for (const [i, { name, writesAs }] of holders.toReversed().entries()) {
    const folded = foldAgent(name)
    if (i > 0 && (reservedNames.has(folded) || name.startsWith('did:a2p:user:')))
      return 'Token names the owner'
    if (above.has(folded)) fault ??= 'Token names a holder above it'
    if (i > 0 && writesAs.length > maxNameLength) fault ??= 'Token has too long a name'
    above.add(folded).add(foldAgent(writesAs))
  }
  return fault
}
