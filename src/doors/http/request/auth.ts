// Who may call: whoever has the key of this edge, as the owner of every book; whoever presents a control token or an access
// key of a book, or a JSON Web Token, as what that makes of them.
// Invariant: what was authorised is what is opened: routes get the book from here, and nothing under a book's address or at
// `/embed` runs without. Keys are compared by their digests in constant time, and never written anywhere.
import type { Context, MiddlewareHandler } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import { checkBookName } from '../../../core/book.ts'
import { DaybookError } from '../../../core/errors.ts'
import { timingSafeEqual } from '../../../core/timing-safe-equal.ts'
import { toBase64Url } from '../../../shape/encoded-bytes.ts'
import { isAccessKey } from '../../../trust/access-key.ts'
import { isBearer } from '../../../trust/token.ts'
import { openBookDoor } from './book-door.ts'
import { readEdgeKeys } from './edge-key.ts'
import type { EdgeEnv, EdgeTypes } from '../../../edge/edge-env.ts'
import type { Presented } from '../../../edge/mirror-door.ts'
import { isJwt, readJwt } from './jwt.ts'
import { isNamedOrigin } from './origin.ts'
import { isAskedHere } from './own-machine.ts'

/** Taken on this machine only, from no page but the edge's own and those that are named, and only while no key is set. */
export const developmentKey = 'development'
/** The book that counts what the key of this edge asks of `POST /embed`, as that names no book. It holds nothing else. */
const embedBook = '_embed'

/** Lets a request into the book of its address: `c.get('book')` is that book, for this caller. */
export function requireBook(): MiddlewareHandler<EdgeTypes> {
  return requireBearer((bearer, c) => enter(bearer, c, checkBookName(c.req.param('book'))))
}

/**
 * Lets a request in that names no book: with the key of this edge, or with a JSON Web Token as a caller of the book that it
 * speaks for. `c.get('book')` is where its permission is looked at and what it does is counted.
 */
export function requireEmbedding(): MiddlewareHandler<EdgeTypes> {
  return requireBearer((bearer, c) => enter(bearer, c))
}

async function enter(bearer: string, c: Context<EdgeTypes>, named?: string): Promise<void> {
  const { book, presented } = await presentedBy(bearer, { env: c.env, raw: c.req.raw }, named)
  c.set('book', openBookDoor(c.env.MIRROR, book, presented))
}

/**
 * Who `bearer` is to the book `named`, or to the one that it speaks for. What belongs to one book goes on to that book, which
 * alone can tell whether it is good; anything else that is not known here is `unauthorized`.
 */
export async function presentedBy(
  bearer: string,
  { env, raw }: { readonly env: EdgeEnv; readonly raw: Request },
  named?: string,
): Promise<{ readonly book: string; readonly presented: Presented }> {
  const keys = readEdgeKeys(env.DAYBOOK_KEY)
  if (isBearer(bearer) || isAccessKey(bearer)) {
    if (named === undefined) throw refuse('It belongs to one book: ask at `/v1/books/:book/embed`.')
    return { book: named, presented: { bearer } }
  }
  if (isJwt(bearer, env)) {
    const claims = await readJwt(bearer, env)
    const book = named ?? claims.book
    if (book === undefined) throw new DaybookError('forbidden', 'The token does not speak for any book.')
    return { book, presented: { grant: claims.grantFor(book) } }
  }
  if (!(await isOneOf(bearer, keys.length > 0 ? keys : developmentKeys(raw, env))))
    throw refuse('The key is not known.')
  return { book: named ?? embedBook, presented: {} }
}

function requireBearer(
  letIn: (bearer: string, c: Context<EdgeTypes>) => Promise<void>,
): MiddlewareHandler<EdgeTypes> {
  return bearerAuth<EdgeTypes>({
    realm: 'daybook',
    async verifyToken(bearer, c) {
      await letIn(bearer, c)
      return true
    },
    noAuthenticationHeader: { message: () => raise('No key was sent.') },
    invalidAuthenticationHeader: { message: () => raise('The authorization header is not `Bearer <key>`.') },
  })
}

/** Everybody knows this key, so a page needs more than to be of this machine: to be served here, or to be named. */
function developmentKeys(request: Request, { DAYBOOK_ORIGINS }: EdgeEnv): string[] {
  if (!isAskedHere(request))
    throw refuse('This edge has no key yet, so it lets nobody in: set the secret DAYBOOK_KEY.')
  const origin = request.headers.get('origin')
  if (origin === null || origin === new URL(request.url).origin || isNamedOrigin(origin, DAYBOOK_ORIGINS))
    return [developmentKey]
  throw refuse(
    'This edge has no key, and lets pages in that it serves or that DAYBOOK_ORIGINS names: set DAYBOOK_KEY, or name this origin.',
  )
}

function refuse(message: string): DaybookError {
  return new DaybookError('unauthorized', message)
}

function raise(message: string): never {
  throw refuse(message)
}

/** Compares with each of them, whichever is the one. */
async function isOneOf(one: string, others: readonly string[]): Promise<boolean> {
  const given = await digest(one)
  let found = false
  for (const other of others) found = timingSafeEqual(given, await digest(other)) || found
  return found
}

async function digest(text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}
