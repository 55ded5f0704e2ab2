// Authorises callers. The key of the edge has the owner's rights in every book. A control token, an access key or a
// JSON Web Token has the rights that it grants.
// Invariant: a route uses only the book that this file authorised and opened. Keys are compared by digest in constant
// time, and never logged or stored.
import type { Context, MiddlewareHandler } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import { checkBookName } from '../../../core/book.ts'
import { DaybookError } from '../../../core/errors.ts'
import { minKeyLength, timingSafeEqual } from '../../../core/address.ts'
import { toBase64Url } from '../../../shape/encoded-bytes.ts'
import { hasAccessKeyPrefix } from '../../../trust/access-key.ts'
import { hasBearerPrefix } from '../../../trust/token.ts'
import { openBookDoor } from './book-door.ts'
import type { EdgeEnv, EdgeTypes } from '../../../edge/edge-env.ts'
import type { Credentials } from '../../../edge/mirror-door.ts'
import { isJwt, verifyJwt } from './jwt.ts'
import { isNamedOrigin, isOwnMachineRequest } from './guard.ts'
import { resourcesOf } from './protected-resource.ts'

/**
 * Accepted only while `DAYBOOK_KEY` is empty, and only from this machine: programs, the edge's own pages, and pages
 * of named origins.
 */
const developmentKey = 'development'
/**
 * The book that counts calls of `POST /embed` with the edge's key, because such a call names no book. This book has
 * no records.
 */
const embedCountingBook = '_embed'

/** Authorises a request for the book in its address, and sets `c.get('book')` to that book, opened for the caller. */
export function requireBook(): MiddlewareHandler<EdgeTypes> {
  return requireBearer((bearer, c) => openRequestedBook(bearer, c, checkBookName(c.req.param('book'))))
}

/**
 * Authorises a request that names no book: by the edge's key, or by a JSON Web Token for its default book. Sets
 * `c.get('book')` to the book that checks the permission and counts the call.
 */
export function requireEmbedding(): MiddlewareHandler<EdgeTypes> {
  return requireBearer((bearer, c) => openRequestedBook(bearer, c))
}

async function openRequestedBook(bearer: string, c: Context<EdgeTypes>, bookName?: string): Promise<void> {
  const { book, credentials } = await credentialsOf(bearer, { env: c.env, raw: c.req.raw }, bookName)
  c.set('book', openBookDoor(c.env.MIRROR, book, credentials))
}

/**
 * Returns the book and the caller of `bearer`. `bookName`: the book in the address. Undefined: the token's default
 * book. The book itself checks its control tokens and access keys later. Throws `unauthorized` for an unknown bearer,
 * and `forbidden` for a JSON Web Token without a book.
 */
export async function credentialsOf(
  bearer: string,
  { env, raw }: { readonly env: EdgeEnv; readonly raw: Request },
  bookName?: string,
): Promise<{ readonly book: string; readonly credentials: Credentials }> {
  const keys = parseEdgeKeys(env.DAYBOOK_KEY)
  if (hasBearerPrefix(bearer) || hasAccessKeyPrefix(bearer)) {
    if (bookName === undefined)
      throw unauthorizedError('This key belongs to one book: call `/v1/books/:book/embed`.')
    return { book: bookName, credentials: { bearer } }
  }
  if (isJwt(bearer, env)) {
    const claims = await verifyJwt(bearer, env, resourcesOf(raw.url, env))
    const book = bookName ?? claims.book
    if (book === undefined) throw new DaybookError('forbidden', 'The token is not for any book.')
    return { book, credentials: { grant: claims.grantFor(book) } }
  }
  if (!(await isAnyKey(bearer, keys.length > 0 ? keys : developmentKeys(raw, env))))
    throw unauthorizedError('Unknown key.')
  // The edge's key has no credentials to check: it has the owner's rights.
  return { book: bookName ?? embedCountingBook, credentials: {} }
}

function requireBearer(
  authorise: (bearer: string, c: Context<EdgeTypes>) => Promise<void>,
): MiddlewareHandler<EdgeTypes> {
  return bearerAuth<EdgeTypes>({
    realm: 'daybook',
    async verifyToken(bearer, c) {
      await authorise(bearer, c)
      return true
    },
    noAuthenticationHeader: { message: () => throwUnauthorized('No key was sent.') },
    invalidAuthenticationHeader: {
      message: () => throwUnauthorized('The authorization header is not `Bearer <key>`.'),
    },
  })
}

/**
 * Returns the development key if the request may use it. The key is public, so a page must also come from this edge
 * or from a named origin. Throws `unauthorized` otherwise.
 */
function developmentKeys(request: Request, { DAYBOOK_ORIGINS }: EdgeEnv): string[] {
  if (!isOwnMachineRequest(request))
    throw unauthorizedError('This edge has no key, so it refuses all callers: set the secret DAYBOOK_KEY.')
  const origin = request.headers.get('origin')
  if (origin === null || origin === new URL(request.url).origin || isNamedOrigin(origin, DAYBOOK_ORIGINS))
    return [developmentKey]
  throw unauthorizedError(
    'This edge has no key, so it only accepts pages that it serves or that DAYBOOK_ORIGINS names: set DAYBOOK_KEY, or name this origin.',
  )
}

function unauthorizedError(message: string): DaybookError {
  return new DaybookError('unauthorized', message)
}

function throwUnauthorized(message: string): never {
  throw unauthorizedError(message)
}

/** Compares with every key, so that the duration reveals nothing. */
async function isAnyKey(key: string, knownKeys: readonly string[]): Promise<boolean> {
  const keyDigest = await digest(key)
  let found = false
  for (const knownKey of knownKeys) found = timingSafeEqual(keyDigest, await digest(knownKey)) || found
  return found
}

async function digest(text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}

/**
 * Parses the edge's keys, separated by spaces or commas. Throws `unauthorized` for every caller if one key is too
 * short.
 */
function parseEdgeKeys(text = ''): string[] {
  const keys = text.split(/[\s,]+/).filter((key) => key !== '')
  if (keys.every((key) => key.length >= minKeyLength)) return keys
  throw new DaybookError(
    'unauthorized',
    `This edge refuses all callers: a key in DAYBOOK_KEY has fewer than ${minKeyLength} characters. Set a longer one.`,
  )
}
