// What is signed of a token, how its lineage is hashed, how it is carried in one text, and what a link of a chain keeps to.
// Invariants: a child never permits more than its parent: not in scope, not in permissions, not in time. And a token alone
// makes no bearer text: that takes a secret of which the token has only the hash, and which is stored nowhere.
import { strictCanonicalText } from '../core/text/canonical-json.ts'
import { fromBase64Url, toBase64Url } from '../shape/encoded-bytes.ts'
import { permitsAll } from '../core/access/permission.ts'
import { coversReach, readReach } from '../core/access/reach.ts'
import { timingSafeEqual } from '../core/timing-safe-equal.ts'
import { controlToken, type ControlToken, depthLimit } from './token-schema.ts'

type Claims = Omit<ControlToken, 'signature'>
type Sha256 = (text: string) => Promise<string>

/** A token as it was granted: members that are undefined are not in its canonical JSON. */
const unrevoked = { revoked: false, revoked_at: undefined, revocation_reason: undefined } as const

/** The canonical JSON of a token as it was granted, without the signature: revoking it later does not break that. */
export function signedText(token: Claims): string {
  return strictCanonicalText({ ...token, ...unrevoked, signature: undefined })
}

/** SHA-256 of the parent's lineage and the parent, or of nothing for a token that has no parent. */
export async function lineageHash(parent: ControlToken | undefined, sha256: Sha256): Promise<string> {
  if (!parent) return sha256('')
  return sha256(`${parent.lineage_hash}:${await sha256(signedText(parent))}`)
}

/** True when the holder of the token may grant tokens below it. */
export function mayDelegate({ type, permissions }: Pick<ControlToken, 'type' | 'permissions'>): boolean {
  return type === 'delegation' || permitsAll(permissions, 'delegation')
}

/** What is wrong with `child` as a token below `parent`, apart from its signature; undefined when nothing is. */
export function linkFault(parent: ControlToken, child: Claims): string | undefined {
  if (!mayDelegate(parent)) return 'the parent does not carry `delegation`'
  const chain = [parent.token_id, ...parent.delegation_chain]
  if (chain.length > depthLimit) return `there are more than ${depthLimit} ancestors`
  if (strictCanonicalText(chain) !== strictCanonicalText(child.delegation_chain))
    return 'the chain is not the parent’s'
  const wide = readReach(parent)
  const narrow = readReach(child)
  if (!wide || !narrow || !coversReach(wide, narrow)) return 'the scope is wider than the parent’s'
  const extra = child.permissions.find((one) => one !== 'delegation' && !permitsAll(parent.permissions, one))
  if (extra !== undefined) return `the parent does not permit \`${extra}\``
  if (child.expires_at > parent.expires_at) return 'it expires after the parent'
  if (parent.not_before !== undefined && (child.not_before ?? '') < parent.not_before)
    return 'it begins before the parent'
  return undefined
}

const prefix = 'dbt2.'
/** Of bearer texts without a secret: whoever read a stored token could make them, so none is taken any more. */
const outdatedPrefix = 'dbt1.'
const secretBytes = 32
const secretShape = /^[A-Za-z0-9_-]{43}$/

/** What a bearer text has beside its token: 256 random bits. */
export function makeSecret(random: (count: number) => Uint8Array): string {
  return toBase64Url(random(secretBytes))
}

/** The whole token and its secret as one text, to be presented as a bearer token: letters, digits, `.`, `_` and `-`. */
export function toBearer(token: ControlToken, secret: string): string {
  const text = strictCanonicalText({ ...token, ...unrevoked })
  // ASCII, so that no encoder is needed; JSON reads it back.
  const ascii = text.replaceAll(
    /[^\u0020-\u007e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${prefix}${toBase64Url(Uint8Array.from(ascii, (char) => char.charCodeAt(0)))}.${secret}`
}

/** True for a text that claims to be a token rather than a key. */
export function isBearer(text: string): boolean {
  return text.startsWith(prefix) || isOutdatedBearer(text)
}

/** True for a bearer text of a token that was granted before tokens had secrets. */
export function isOutdatedBearer(text: string): boolean {
  return text.startsWith(outdatedPrefix)
}

export interface PresentedToken {
  readonly token: ControlToken
  readonly secret: string
}

/** What is in a bearer text, or undefined when it is none. Nothing about it is verified. */
export function fromBearer(text: string): PresentedToken | undefined {
  if (!text.startsWith(prefix) || text.length > bearerLimit) return undefined
  const [whole = '', secret = '', ...more] = text.slice(prefix.length).split('.')
  const bytes = more.length === 0 && secretShape.test(secret) ? fromBase64Url(whole) : undefined
  if (!bytes) return undefined
  try {
    const json: unknown = JSON.parse(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    const token = controlToken.safeParse(json).data
    return token && { token, secret }
  } catch {
    return undefined
  }
}

/** Longest bearer text that is looked at; headers of that size pass everywhere. */
export const bearerLimit = 8000

/** True when two tokens are the same grant under the same signature; as long in time whatever differs. */
export function isSameGrant(one: ControlToken, other: ControlToken): boolean {
  return timingSafeEqual(`${signedText(one)} ${one.signature}`, `${signedText(other)} ${other.signature}`)
}

/** True when `shown` is `stored`, with the secret that only its bearer text has. */
export async function isPresented(
  shown: PresentedToken,
  stored: ControlToken,
  sha256: Sha256,
): Promise<boolean> {
  const hash = await sha256(shown.secret)
  const isSecret = stored.secret_hash !== undefined && timingSafeEqual(stored.secret_hash, hash)
  return isSameGrant(shown.token, stored) && isSecret
}
