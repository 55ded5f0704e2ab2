// How the a2p protocol answers: `{ success, data, meta }` or `{ success, error, meta }`, and headers that say its version, the id of
// the request and what is left to ask.
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { toDaybookError } from '../../../core/errors.ts'
import { formatTime } from '../../../core/time.ts'
import { type RateState, readAgentRate, untouched } from '../../../edge/agent/agent-rate.ts'
import type { EdgeEnv } from '../../../edge/edge-env.ts'
import { logFault } from '../request/problem.ts'
import { toProtocolError } from './error-code.ts'
import type { Told } from './route.ts'

export interface A2pTypes {
  Bindings: EdgeEnv
  Variables: {
    requestId: string
    /** What is left to whoever asks, once that is known. */
    rate: RateState | undefined
    /** The body as far as it was read, to say what was wrong in it. */
    given: unknown
  }
}
export type A2pContext = Context<A2pTypes>

/** Versions of the protocol by which its documents call themselves. The first is spoken when nobody asks for another. */
export const versions = ['0.1.0', '1.0'] as const
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const requestIdShape = /^[\x21-\x7e]{1,200}$/

/** The id that a request gives itself; undefined without one, null for what is none. */
export function givenRequestId(c: A2pContext): string | undefined | null {
  const given = c.req.header('x-request-id')
  if (given === undefined || requestIdShape.test(given)) return given
  return null
}

/** An id for a request that has none: `req_` and 16 letters and digits. */
export function newRequestId(): string {
  let id = 'req_'
  while (id.length < 20) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1))
    // Above, some would come more often than others.
    if (byte < alphabet.length * 4) id += alphabet[byte % alphabet.length]
  }
  return id
}

/** Headers of every answer. */
export function setHeaders(c: A2pContext): void {
  const asked = c.req.header('a2p-version')
  c.header('A2P-Version', versions.find((one) => one === asked) ?? versions[0])
  c.header('A2P-Version-Supported', versions.join(', '))
  c.header('X-Request-Id', c.get('requestId'))
  c.header('Cache-Control', 'no-store')
  const { limit, remaining, resetS } =
    c.get('rate') ?? untouched(readAgentRate(c.env.DAYBOOK_A2P_RATE), Date.now())
  c.header('X-RateLimit-Limit', String(limit))
  c.header('X-RateLimit-Remaining', String(remaining))
  c.header('X-RateLimit-Reset', String(resetS))
}

const metaOf = (c: A2pContext) => ({ requestId: c.get('requestId'), timestamp: formatTime(Date.now()) })

export function succeed(c: A2pContext, { data, status = 200, meta = {} }: Told): Response {
  setHeaders(c)
  return c.json({ success: true, data, meta: { ...metaOf(c), ...meta } } as object, status)
}

export function fail(c: A2pContext, error: unknown): Response {
  const known = toDaybookError(error)
  if (known.code === 'internal' || known.code === 'engine-died') logFault(known)
  const { code, status, message, details, retryAfterMs } = toProtocolError(known, c.get('given'))
  setHeaders(c)
  const retryAfter = retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(retryAfterMs / 1000))
  if (retryAfter !== undefined) c.header('Retry-After', String(retryAfter))
  if (status === 401) c.header('WWW-Authenticate', 'A2P-Signature, Bearer realm="daybook"')
  const told = { code, message, details, ...(retryAfter === undefined ? {} : { retryAfter }) }
  return c.json({ success: false, error: told, meta: metaOf(c) } as object, status as ContentfulStatusCode)
}
