// What is signed of a token, how its lineage is hashed, how it is carried in one text, and what a link of a chain keeps to.
// Invariant: a child never permits more than its parent: not in scope, not in permissions, not in time.
import { fromBase64Url, toBase64Url } from '../core/base64url.ts'
import { permitsAll } from '../core/permission.ts'
import { coversScope, parseScope } from '../core/scope.ts'
import { canonicalJson } from './canonical-json.ts'
import { controlToken, type ControlToken, depthLimit } from './token-schema.ts'

type Claims = Omit<ControlToken, 'signature'>
type Sha256 = (text: string) => Promise<string>

/** A token as it was granted: members that are undefined are not in its canonical JSON. */
const unrevoked = { revoked: false, revoked_at: undefined, revocation_reason: undefined } as const

/** The canonical JSON of a token as it was granted, without the signature: revoking it later does not break that. */
export function signedText(token: Claims): string {
  return canonicalJson({ ...token, ...unrevoked, signature: undefined })
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
  if (canonicalJson(chain) !== canonicalJson(child.delegation_chain)) return 'the chain is not the parent’s'
  const [wide, narrow] = [parseScope(parent.scope), parseScope(child.scope)]
  if (!wide || !narrow || !coversScope(wide, narrow)) return 'the scope is wider than the parent’s'
  const extra = child.permissions.find((one) => one !== 'delegation' && !permitsAll(parent.permissions, one))
  if (extra !== undefined) return `the parent does not permit \`${extra}\``
  if (child.expires_at > parent.expires_at) return 'it expires after the parent'
  if (parent.not_before !== undefined && (child.not_before ?? '') < parent.not_before)
    return 'it begins before the parent'
  return undefined
}

const prefix = 'dbt1.'

/** The whole token as one text that can be presented as a bearer token: letters, digits, `.`, `_` and `-`. */
export function toBearer(token: ControlToken): string {
  const text = canonicalJson({ ...token, ...unrevoked })
  // ASCII, so that no encoder is needed; JSON reads it back.
  const ascii = text.replaceAll(
    /[^\u0020-\u007e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return prefix + toBase64Url(Uint8Array.from(ascii, (char) => char.charCodeAt(0)))
}

/** True for a text that claims to be a token rather than a key. */
export function isBearer(text: string): boolean {
  return text.startsWith(prefix)
}

/** The token in a bearer text, or undefined when there is none in it. Nothing about it is verified. */
export function fromBearer(text: string): ControlToken | undefined {
  const bytes =
    isBearer(text) && text.length <= bearerLimit ? fromBase64Url(text.slice(prefix.length)) : undefined
  if (!bytes) return undefined
  try {
    const json: unknown = JSON.parse(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    return controlToken.safeParse(json).data
  } catch {
    return undefined
  }
}

/** Longest bearer text that is looked at; headers of that size pass everywhere. */
export const bearerLimit = 8000

/** True when two tokens are the same grant under the same signature; as long in time whatever differs. */
export function isSameGrant(one: ControlToken, other: ControlToken): boolean {
  const [a, b] = [`${signedText(one)} ${one.signature}`, `${signedText(other)} ${other.signature}`]
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}
