// Who may call: whoever has the key of this edge, as the owner of every book; whoever presents a control token or an access
// key of a book, or a JSON Web Token, as what that makes of them.
// Keys are compared by their digests in constant time, and never written anywhere.
import { bearerAuth } from 'hono/bearer-auth'
import type { MiddlewareHandler } from 'hono'
import { DaybookError } from '../src/core/errors.ts'
import { isAccessKey } from '../src/trust/access-key.ts'
import { isBearer } from '../src/trust/token.ts'
import type { EdgeEnv, EdgeTypes } from './edge-env.ts'
import { isJwt, readJwt } from './jwt.ts'
import { isOwnMachine } from './own-machine.ts'

/** Taken on this machine only, and only while no key is set. */
export const developmentKey = 'development'

/**
 * Lets a request through when its bearer token is a key of this edge. What belongs to one book goes on to that book, which
 * alone can tell whether it is good; anything else is `unauthorized`.
 */
export function requireKey(): MiddlewareHandler<EdgeTypes> {
  return bearerAuth<EdgeTypes>({
    realm: 'daybook',
    async verifyToken(token, c) {
      const url = new URL(c.req.url)
      const book = /^\/v1\/books\/([^/]+)/.exec(url.pathname)?.[1]
      c.set('presented', {})
      if (isBearer(token) || isAccessKey(token)) {
        if (book === undefined) return refuse('It belongs to one book, and this is not of a book.')
        c.set('presented', { bearer: token })
        return true
      }
      if (isJwt(token, c.env)) {
        c.set('presented', { grant: await readJwt(token, book, c.env) })
        return true
      }
      return isOneOf(token, expectedKeys(c.env, url))
    },
    noAuthenticationHeader: { message: () => refuse('No key was sent.') },
    invalidAuthenticationHeader: { message: () => refuse('The authorization header is not `Bearer <key>`.') },
    invalidToken: { message: () => refuse('The key is not known.') },
  })
}

function expectedKeys({ DAYBOOK_KEY: set }: EdgeEnv, url: URL): string[] {
  const keys = set?.split(/[\s,]+/).filter((key) => key !== '') ?? []
  if (keys.length > 0) return keys
  if (isOwnMachine(url)) return [developmentKey]
  return refuse('This edge has no key yet, so it lets nobody in: set the secret DAYBOOK_KEY.')
}

function refuse(message: string): never {
  throw new DaybookError('unauthorized', message)
}

/** Compares with each of them, whichever is the one. */
async function isOneOf(one: string, others: readonly string[]): Promise<boolean> {
  const given = await digest(one)
  let found = false
  for (const other of others) found = isSame(given, await digest(other)) || found
  return found
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  let difference = 0
  for (const [i, byte] of one.entries()) difference |= byte ^ (other[i] ?? 0)
  return difference === 0
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
