// Requests that an agent has signed (a2p protocol, "Replay Attack Protection"): what they must say, and whether the
// signature is that of a key. Invariants: a signature is about the method, the address, the time, the nonce and the whole
// body; what was signed longer than five minutes ago, or will be, is refused, so that nonces are kept no longer.
//
// Two ways of signing are taken, told apart by how the time is written:
// an instant (the specification): Ed25519 over SHA-256 of `method \n path \n ts \n nonce \n sha256(body)`, hashes in hexadecimal;
// Unix seconds (the clients of Gaugid): Ed25519 over `method \n path \n base64(sha256(body)) \n ts \n nonce \n exp`.
// In both the lines of `covered` follow.
import { DaybookError } from '../../core/errors.ts'
import type { Digest, Keyring } from '../../core/ports.ts'
import { parseTime } from '../../core/time.ts'
import { isAgentDid } from '../../shape/a2p-did.ts'
import { fromBase64, fromBase64Url, toBase64, toBase64Url } from '../../shape/encoded-bytes.ts'

/** A request as it came: the fields of its `Authorization`, and what its signature is to be about. */
export interface SignedRequest {
  readonly did: string
  readonly sig: string
  readonly ts: string
  readonly nonce: string
  readonly exp?: string | undefined
  readonly method: string
  /** The address in every spelling that its sender may have signed, with its query. */
  readonly paths: readonly string[]
  /** SHA-256 of the body in hexadecimal, and whether there was any. */
  readonly bodyHash: string
  readonly hasBody: boolean
  /** What is signed beside that: lines as `name:value`, one for the host and one for each header that decides what is done. */
  readonly covered: readonly string[]
}

/** Why a signed request is refused: `details.reason` of the error. */
export const signedReasons = [
  'Invalid DID',
  'Timestamp out of window',
  'Invalid nonce',
  'Agent not registered',
  'Invalid signature',
  'Request expired',
  'Nonce already used',
] as const
export type SignedReason = (typeof signedReasons)[number]

/** The error for each. An agent that is not known here and one whose signature is wrong are both nobody. */
export function refuseSigned(reason: SignedReason, path: string): DaybookError {
  const code = reason === 'Invalid DID' || reason === 'Invalid nonce' ? 'invalid-input' : 'unauthorized'
  return new DaybookError(code, `\`${path}\`: ${reason}.`, { details: { path, reason } })
}

/** How far the time of a request may be from now, and how long it is good. */
export const windowMs = 300_000
const seconds = /^\d{1,11}$/
const nonceOfInstant = /^[A-Za-z0-9]{16,32}$/
const nonceOfSeconds = /^[A-Za-z0-9_-]{16,64}$/

const isBySeconds = ({ ts }: SignedRequest) => seconds.test(ts)

/**
 * Throws unless the request names an agent, was signed within five minutes of `nowMs`, has not expired and has a nonce.
 * Answers until when its nonce must be known: as long as the same request could pass again.
 */
export function checkSigned(request: SignedRequest, nowMs: number): { readonly nonceUntilMs: number } {
  const { did, ts, nonce, exp } = request
  if (!isAgentDid(did)) throw refuseSigned('Invalid DID', 'did')
  const bySeconds = isBySeconds(request)
  const signedMs = bySeconds ? Number(ts) * 1000 : ts.includes('T') ? parseTime(ts) : undefined
  if (signedMs === undefined || Math.abs(nowMs - signedMs) > windowMs)
    throw refuseSigned('Timestamp out of window', 'ts')
  if (!(bySeconds ? nonceOfSeconds : nonceOfInstant).test(nonce)) throw refuseSigned('Invalid nonce', 'nonce')
  if (exp !== undefined && !seconds.test(exp)) throw refuseSigned('Request expired', 'exp')
  const lastsUntilMs =
    exp === undefined ? undefined : bySeconds ? Number(exp) * 1000 : signedMs + Number(exp) * 1000
  if (lastsUntilMs !== undefined && nowMs > lastsUntilMs) throw refuseSigned('Request expired', 'exp')
  return { nonceUntilMs: Math.max(nowMs, signedMs) + windowMs + 1 }
}

/** Throws unless the holder of `key` has signed the request. */
export async function checkSignature(
  request: SignedRequest,
  key: string,
  { keys, digest }: { readonly keys: Pick<Keyring, 'verify'>; readonly digest: Pick<Digest, 'sha256'> },
): Promise<void> {
  const bytes = fromBase64(request.sig) ?? fromBase64Url(request.sig)
  const signature = bytes && toBase64Url(bytes)
  if (signature !== undefined)
    for (const path of new Set(request.paths))
      for (const signed of await signedOf(request, path, digest))
        if (await keys.verify(key, signed, signature)) return
  throw refuseSigned('Invalid signature', 'sig')
}

/** What a signature may be over. The specification leaves open whether the digest is signed as bytes or as its text. */
async function signedOf(
  request: SignedRequest,
  path: string,
  digest: Pick<Digest, 'sha256'>,
): Promise<readonly (string | Uint8Array)[]> {
  const { method, ts, nonce, exp = '', bodyHash, hasBody, covered } = request
  if (isBySeconds(request)) {
    const body = hasBody ? toBase64(fromHex(bodyHash)) : ''
    return [[method, path, body, ts, nonce, exp, ...covered].join('\n')]
  }
  const hash = await digest.sha256([method, path, ts, nonce, bodyHash, ...covered].join('\n'))
  return [fromHex(hash), hash]
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}
