// Authorisation of a2p requests: an agent's signature, or a bearer key or token as for other routes of the edge.
// Invariant: an answer repeats no part of the authorisation. A signature covers all that decides the effect: method,
// path, query and body; the host if `aud` is sent; the headers that name a book or a receipt.
import { defined } from '../../../core/defined.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { AgentCredentials, BodyCaller } from '../../../edge/mirror-door.ts'
import type { EdgeEnv } from '../../../edge/edge-env.ts'
import { credentialsOf } from '../request/auth.ts'

/** The fields of `Authorization: A2P-Signature did="…",sig="…",ts="…",nonce="…"[,aud="…"][,exp="…"]`. */
export interface SignatureFields {
  readonly did: string
  readonly sig: string
  readonly ts: string
  readonly nonce: string
  readonly exp?: string
  /** The origin that the request is signed for. */
  readonly aud?: string
}

const schemePattern = /^A2P-Signature(?:\s+|$)/i
const maxHeaderLength = 4000
const fieldNames = ['did', 'sig', 'ts', 'nonce', 'exp', 'aud'] as const
/** `did`, `sig`, `ts` and `nonce`. */
const requiredFields = fieldNames.slice(0, 4)
/** Matches one field and its separator. A value contains no quotation mark and no control character. */
const fieldPattern =
  /^\s*([A-Za-z]+)\s*=\s*(?:"([\x20\x21\x23-\x7e]*)"|([\x21\x23-\x2b\x2d-\x7e]*))\s*(?:,|$)/

const unauthorizedError = (message: string, path = 'authorization') =>
  new DaybookError('unauthorized', message, { details: { path } })

/** True for the Authorization header of a signed request. */
export function isSignatureHeader(header: string): boolean {
  return schemePattern.test(header)
}

/**
 * Parses a signature header. Throws `unauthorized` for missing, repeated or unknown fields, or above
 * `maxHeaderLength` characters.
 */
export function parseSignature(header: string): SignatureFields {
  let rest = header.slice(0, maxHeaderLength + 1).replace(schemePattern, '')
  if (header.length > maxHeaderLength) throw unauthorizedError('The signature header is too long.')
  const found = new Map<string, string>()
  while (rest.trim() !== '') {
    const match = fieldPattern.exec(rest)
    const [whole = '', rawName = '', quoted, bare] = match ?? []
    const name = rawName.toLowerCase()
    if (!match || !fieldNames.some((one) => one === name) || found.has(name))
      throw unauthorizedError(
        'The signature header is not `A2P-Signature did="…",sig="…",ts="…",nonce="…",aud="…"`.',
      )
    found.set(name, quoted ?? bare ?? '')
    rest = rest.slice(whole.length)
  }
  const missing = requiredFields.find((name) => !found.get(name))
  if (missing !== undefined) throw unauthorizedError(`The signature header lacks \`${missing}\`.`, missing)
  const [did = '', sig = '', ts = '', nonce = ''] = requiredFields.map((name) => found.get(name))
  const [exp, aud] = [found.get('exp'), found.get('aud')]
  return { did, sig, ts, nonce, ...defined({ exp, aud }) }
}

/** The parts of a request that a signature covers. */
export interface SignedRequestParts {
  readonly method: string
  readonly url: URL
  readonly body: Uint8Array<ArrayBuffer>
}

/** The credentials of a request's sender. */
export interface Authorization {
  /** Returns the caller for the body gate, before the body is read. */
  callerOf(book: string): Promise<BodyCaller>
  /** Returns the credentials that the book checks. */
  credentialsFor(book: string, parts: SignedRequestParts): Promise<AgentCredentials>
}

/**
 * Parses the header Authorization of `request`. Throws `unauthorized` if the header is missing or malformed, or
 * signed for another host. The book checks the credentials later.
 */
export function parseAuthorization(request: Request, env: EdgeEnv): Authorization {
  const header = request.headers.get('authorization')
  if (header === null || header.trim() === '')
    throw unauthorizedError('No authorization was sent: sign the request, or send a key as a bearer token.')
  if (isSignatureHeader(header)) {
    const fields = parseSignature(header)
    checkAudience(fields.aud, new URL(request.url), env.DAYBOOK_A2P_AUDIENCE)
    const covered = coveredLines(fields.aud, request.headers)
    return {
      callerOf: () => Promise.resolve({ did: fields.did }),
      credentialsFor: async (_book, parts) => ({
        signed: { ...fields, covered, ...(await signedParts(parts)) },
      }),
    }
  }
  const [, bearer] = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header) ?? []
  if (bearer === undefined)
    throw unauthorizedError('The authorization is neither `A2P-Signature …` nor `Bearer <key>`.')
  const credentialsForBook = async (book: string) =>
    (await credentialsOf(bearer, { env, raw: request }, book)).credentials
  return { callerOf: credentialsForBook, credentialsFor: credentialsForBook }
}

async function signedParts({ method, url, body }: SignedRequestParts) {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', body))
  return {
    method,
    paths: signablePaths(url),
    bodyHash: Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join(''),
    hasBody: body.byteLength > 0,
  }
}

/**
 * Returns the forms of path and query that the sender may have signed: as sent, and with each `%3A` of the path (the
 * colons of a DID) decoded. The book accepts a signature of either.
 */
function signablePaths({ pathname, search }: URL): string[] {
  return [...new Set([pathname + search, pathname.replaceAll(/%3A/gi, ':') + search])]
}

/** Headers that change the effect of a request. A signature must cover each header that is sent. */
const coveredHeaders = ['x-daybook-book', 'daybook-receipt'] as const

/** Returns the lines that are signed after the protocol's lines, as `name:value`: `aud`, then each covered header. */
function coveredLines(aud: string | undefined, headers: Headers): string[] {
  const values = [
    ['aud', aud ?? null] as const,
    ...coveredHeaders.map((name) => [name, headers.get(name)] as const),
  ]
  return values.flatMap(([name, value]) => (value === null ? [] : [`${name}:${value}`]))
}

/**
 * Parses `DAYBOOK_A2P_AUDIENCE`: origins, and the word `any`. `acceptsAny`: requests without `aud` are accepted.
 * Without origins, only the edge's own is accepted. Throws `internal` for a malformed setting.
 */
export function parseAudience(text = ''): {
  readonly origins: readonly string[]
  readonly acceptsAny: boolean
} {
  const words = text.split(/[\s,]+/).filter((one) => one !== '')
  const origins = words.filter((one) => one !== 'any')
  if (origins.some((one) => !URL.canParse(one) || new URL(one).origin !== one))
    throw new DaybookError(
      'internal',
      '`DAYBOOK_A2P_AUDIENCE` must look like `https://memory.example.org`: origins separated by spaces, or `any`.',
    )
  return { origins, acceptsAny: origins.length < words.length }
}

/** Throws `unauthorized` if the request is not signed for this host. */
function checkAudience(aud: string | undefined, url: URL, setting: string | undefined): void {
  const { origins, acceptsAny } = parseAudience(setting)
  if (aud === undefined && acceptsAny) return
  const acceptedOrigins = origins.length > 0 ? origins : [url.origin]
  if (aud === undefined)
    throw unauthorizedError(
      `The signature does not name its host: sign \`aud\`, \`${acceptedOrigins[0]}\`.`,
      'aud',
    )
  if (!acceptedOrigins.includes(aud))
    throw unauthorizedError('The request was signed for another host.', 'aud')
}
