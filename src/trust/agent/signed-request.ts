// Checks requests that an agent signed (a2p protocol, "Replay Attack Protection"): their fields and their
// signature.
// Invariant: a signature covers the method, the address, the time, the nonce and the whole body; a request whose
// time differs from now by more than five minutes is refused, so that nonces need not be stored for longer.
import { DaybookError } from '../../core/errors.ts'
import type { Digest, Keyring } from '../../core/ports.ts'
import { parseTime } from '../../core/time.ts'
import { isAgentDid } from '../../shape/did.ts'
import { fromBase64, fromBase64Url, toBase64, toBase64Url } from '../../shape/encoded-bytes.ts'

/** A request as received: the fields of its `Authorization`, and the content that its signature covers. */
export interface SignedRequest {
  readonly did: string
  readonly sig: string
  readonly ts: string
  readonly nonce: string
  /** When the request expires: Unix seconds, or after an instant in `ts` the seconds from then. */
  readonly exp?: string | undefined
  readonly method: string
  /** The address with its query, in every spelling that the sender may have signed. */
  readonly paths: readonly string[]
  /** SHA-256 of the body in hexadecimal. */
  readonly bodyHash: string
  /** True if the request has a body. */
  readonly hasBody: boolean
  /** Further signed lines as `name:value`: one for the host, and one for each header that affects the result. */
  readonly covered: readonly string[]
}

/** The reasons of a refusal: `details.reason` of the error. */
export const signedRequestFaults = [
  'Invalid DID',
  'Timestamp out of window',
  'Invalid nonce',
  'Agent not registered',
  'Invalid signature',
  'Request expired',
  'Nonce already used',
] as const
export type SignedRequestFault = (typeof signedRequestFaults)[number]

/** The error for a reason. An unknown agent and a wrong signature get the same code. */
export function signedRequestError(reason: SignedRequestFault, path: string): DaybookError {
  const code = reason === 'Invalid DID' || reason === 'Invalid nonce' ? 'invalid-input' : 'unauthorized'
  return new DaybookError(code, `\`${path}\`: ${reason}.`, { details: { path, reason } })
}

/** Largest difference between the time of a request and now, in milliseconds. */
export const maxClockSkewMs = 300_000
const unixSecondsPattern = /^\d{1,11}$/
/** Nonces by the format of `ts`: those of the specification, and those of the clients of Gaugid. */
const instantNoncePattern = /^[A-Za-z0-9]{16,32}$/
const secondsNoncePattern = /^[A-Za-z0-9_-]{16,64}$/

const usesUnixSeconds = ({ ts }: SignedRequest) => unixSecondsPattern.test(ts)

/**
 * Throws unless the request names an agent, was signed within five minutes of `nowMs`, has a valid nonce, and has
 * not expired. Returns the time until which its nonce must be stored: until then, the same request could pass
 * again.
 */
export function checkFields(request: SignedRequest, nowMs: number): { readonly nonceUntilMs: number } {
  const { did, ts, nonce, exp } = request
  if (!isAgentDid(did)) throw signedRequestError('Invalid DID', 'did')
  const inUnixSeconds = usesUnixSeconds(request)
  const signedMs = parseTimestamp(ts)
  if (signedMs === undefined || Math.abs(nowMs - signedMs) > maxClockSkewMs)
    throw signedRequestError('Timestamp out of window', 'ts')
  if (!(inUnixSeconds ? secondsNoncePattern : instantNoncePattern).test(nonce))
    throw signedRequestError('Invalid nonce', 'nonce')
  if (exp !== undefined && !unixSecondsPattern.test(exp)) throw signedRequestError('Request expired', 'exp')
  // After Unix seconds, `exp` is a time; after an instant, a number of seconds from then.
  const expiresMs = (inUnixSeconds ? 0 : signedMs) + Number(exp ?? Infinity) * 1000
  if (nowMs > expiresMs) throw signedRequestError('Request expired', 'exp')
  return { nonceUntilMs: Math.max(nowMs, signedMs) + maxClockSkewMs + 1 }
}

/** The time in `ts`, in milliseconds since 1970 UTC: Unix seconds, or an instant of ISO 8601. */
function parseTimestamp(ts: string): number | undefined {
  if (unixSecondsPattern.test(ts)) return Number(ts) * 1000
  return ts.includes('T') ? parseTime(ts) : undefined
}

/** Throws `unauthorized` unless the request was signed with `key`. */
export async function checkSignature(
  request: SignedRequest,
  key: string,
  { keys, digest }: { readonly keys: Pick<Keyring, 'verify'>; readonly digest: Pick<Digest, 'sha256'> },
): Promise<void> {
  const bytes = fromBase64(request.sig) ?? fromBase64Url(request.sig)
  const signature = bytes && toBase64Url(bytes)
  if (signature !== undefined)
    for (const path of new Set(request.paths))
      for (const text of await signableTexts(request, path, digest))
        if (await keys.verify(key, text, signature)) return
  throw signedRequestError('Invalid signature', 'sig')
}

/**
 * The texts that a signature may cover, by the format of `ts`. In both formats, the lines of `covered` follow.
 * An instant (the specification): SHA-256 of `method \n path \n ts \n nonce \n sha256(body)`, hashes in hexadecimal.
 * The specification does not say whether the digest is signed as bytes or as text: both are valid.
 * Unix seconds (the clients of Gaugid): `method \n path \n base64(sha256(body)) \n ts \n nonce \n exp`.
 */
async function signableTexts(
  request: SignedRequest,
  path: string,
  digest: Pick<Digest, 'sha256'>,
): Promise<readonly (string | Uint8Array)[]> {
  const { method, ts, nonce, exp = '', bodyHash, hasBody, covered } = request
  if (usesUnixSeconds(request)) {
    const body = hasBody ? toBase64(fromHex(bodyHash)) : ''
    return [[method, path, body, ts, nonce, exp, ...covered].join('\n')]
  }
  const hash = await digest.sha256([method, path, ts, nonce, bodyHash, ...covered].join('\n'))
  return [fromHex(hash), hash]
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}
