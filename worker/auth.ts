// Who may call: whoever has the key, as the owner; and whoever presents a control token, as the guest it makes.
// Keys are compared by their digests in constant time, and never written anywhere.
import { bearerAuth } from 'hono/bearer-auth'
import type { MiddlewareHandler } from 'hono'
import { DaybookError } from '../src/core/errors.ts'
import { isBearer } from '../src/trust/token.ts'
import type { EdgeEnv, EdgeTypes } from './edge-env.ts'
import { isOwnMachine } from './own-machine.ts'

/** Taken on this machine only, and only while no key is set. */
export const developmentKey = 'development'

/**
 * Lets a request through when its bearer token is the key. A control token goes on to the book, which alone can tell
 * whether it is good; anything else is `unauthorized`.
 */
export function requireKey(): MiddlewareHandler<EdgeTypes> {
  return bearerAuth<EdgeTypes>({
    realm: 'daybook',
    verifyToken(token, c) {
      c.set('presented', isBearer(token) ? { bearer: token } : {})
      return isBearer(token) || isSame(token, expectedKey(c.env, new URL(c.req.url)))
    },
    noAuthenticationHeader: { message: () => refuse('No key was sent.') },
    invalidAuthenticationHeader: { message: () => refuse('The authorization header is not `Bearer <key>`.') },
    invalidToken: { message: () => refuse('The key is not known.') },
  })
}

function expectedKey({ DAYBOOK_KEY: key }: EdgeEnv, url: URL): string {
  if (key) return key
  if (isOwnMachine(url)) return developmentKey
  return refuse('This edge has no key yet, so it lets nobody in: set the secret DAYBOOK_KEY.')
}

function refuse(message: string): never {
  throw new DaybookError('unauthorized', message)
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([digest(one), digest(other)])
  let difference = 0
  for (const [i, byte] of a.entries()) difference |= byte ^ (b[i] ?? 0)
  return difference === 0
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
