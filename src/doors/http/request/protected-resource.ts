// The MCP address of a book as a protected resource of OAuth 2.0 (RFC 9728): a client that has no key learns here which
// identity provider signs its user in.
// Invariant: the address comes from `DAYBOOK_JWT_AUDIENCE`, never from a request, because a caller chooses its `Host`.
import { isBookName } from '../../../core/book.ts'
import { isOwnName } from '../../../core/address.ts'
import type { EdgeEnv } from '../../../edge/edge-env.ts'
import { splitList } from './jwt.ts'

type JwtSettings = Pick<EdgeEnv, 'DAYBOOK_JWKS_URL' | 'DAYBOOK_JWT_ISSUER' | 'DAYBOOK_JWT_AUDIENCE'>

export const metadataPath = '/.well-known/oauth-protected-resource'
const mcpPath = (book: string) => `/v1/books/${book}/mcp`
const mcpPathPattern = /^\/v1\/books\/([^/]+)\/mcp$/

/** The document of RFC 9728, section 2. */
export interface ResourceMetadata {
  readonly resource: string
  readonly resource_name: string
  readonly authorization_servers: readonly string[]
  readonly bearer_methods_supported: readonly ['header']
}

/** Describes the MCP address of `book`; undefined if this edge trusts no identity provider, or no audience is its address. */
export function resourceMetadata(
  book: string,
  requestUrl: string,
  env: JwtSettings,
): ResourceMetadata | undefined {
  const address = addressFor(requestUrl, env)
  if (address === undefined || !env.DAYBOOK_JWT_ISSUER) return undefined
  return {
    resource: `${address}${mcpPath(book)}`,
    resource_name: `Daybook, book ${book}`,
    authorization_servers: [env.DAYBOOK_JWT_ISSUER],
    bearer_methods_supported: ['header'],
  }
}

/** The audiences that a token may have besides `DAYBOOK_JWT_AUDIENCE`: at the MCP address of a book, this address. */
export function resourcesOf(requestUrl: string, env: JwtSettings): readonly string[] {
  const book = bookOf(requestUrl)
  return book === undefined ? [] : addressesOf(env).map((address) => `${address}${mcpPath(book)}`)
}

/** The `WWW-Authenticate` of a refused request: at an MCP address with the address of its metadata. */
export function challengeOf(requestUrl: string, env: JwtSettings): string {
  const book = bookOf(requestUrl)
  const address = book === undefined ? undefined : addressFor(requestUrl, env)
  const bearer = 'Bearer realm="daybook"'
  if (book === undefined || address === undefined) return bearer
  return `${bearer}, resource_metadata="${address}${metadataPath}${mcpPath(book)}"`
}

function bookOf(requestUrl: string): string | undefined {
  const book = mcpPathPattern.exec(new URL(requestUrl).pathname)?.[1]
  return book !== undefined && isBookName(book) ? book : undefined
}

/** Of several addresses of this edge the one that was called, because a client compares; else the first. */
function addressFor(requestUrl: string, env: JwtSettings): string | undefined {
  const addresses = addressesOf(env)
  const { host } = new URL(requestUrl)
  return addresses.find((address) => new URL(address).host === host) ?? addresses[0]
}

/** The audiences that are an origin: HTTPS, or of this machine. */
function addressesOf({ DAYBOOK_JWKS_URL, DAYBOOK_JWT_AUDIENCE }: JwtSettings): readonly string[] {
  if (!DAYBOOK_JWKS_URL) return []
  return (splitList(DAYBOOK_JWT_AUDIENCE) ?? [])
    .filter((one) => URL.canParse(one) && isAddress(new URL(one), one))
    .map((one) => new URL(one).origin)
}

const isAddress = ({ origin, protocol, hostname }: URL, text: string): boolean =>
  origin === text.replace(/\/$/, '') &&
  (protocol === 'https:' || (protocol === 'http:' && isOwnName(hostname)))
