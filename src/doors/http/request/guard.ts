// Checks of a request before its book opens: own machine, HTTPS, origin, encoding of the path, rate by address.
import type { CallWay } from '../../../core/access/governed.ts'
import { isOwnAddress, isOwnName, isForwarded } from '../../../core/address.ts'
import { DaybookError, invalidInput } from '../../../core/errors.ts'
import type { MiddlewareHandler } from 'hono'
import type { EdgeTypes } from '../../../edge/edge-env.ts'

/**
 * True if the request comes from this machine: judged by the host name and by the caller's address, which Wrangler
 * sends as `CF-Connecting-IP`. False through a proxy, because behind a proxy every caller looks local. The
 * development key needs this check.
 */
export function isOwnMachineRequest({ url, headers }: Pick<Request, 'url' | 'headers'>): boolean {
  const address = headers.get('cf-connecting-ip')
  const host = headers.get('host')
  return (
    isOwnName(new URL(url).hostname) &&
    // A foreign host name may resolve to this machine: refuse it.
    (host === null || isOwnName(host.toLowerCase().replace(/:\d*$/, ''))) &&
    (address === null || isOwnAddress(address)) &&
    !isForwarded(headers.keys())
  )
}

/**
 * Returns the transport of a request, for policies that need HTTPS. Plain HTTP to this machine's own name counts as
 * `https`.
 */
export function transportOf(url: string): CallWay {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || isOwnName(hostname) ? 'https' : 'http'
}

/**
 * Throws `forbidden` for plain HTTP, unless `url` names this machine. This is no proof of a local caller: the caller
 * chooses the host name.
 */
export function requireHttps(url: URL): void {
  if (url.protocol !== 'https:' && !isOwnName(url.hostname))
    throw new DaybookError('forbidden', 'Use HTTPS: plain HTTP is refused here.')
}

/** Matches an origin as a browser sends it, without a path. */
const originPattern = /^https?:\/\/([^/:]+|\[::1\])(?::\d{1,5})?$/

/** True for an origin whose pages may call: an origin of this machine, or one of `allowedOrigins`. */
export function isAllowedOrigin(origin: string, allowedOrigins = ''): boolean {
  const host = originPattern.exec(origin)?.[1]
  return (host !== undefined && isOwnName(host)) || isNamedOrigin(origin, allowedOrigins)
}

/** True if `allowedOrigins` (exact origins, separated by spaces or commas) contains the origin. */
export function isNamedOrigin(origin: string, allowedOrigins = ''): boolean {
  return allowedOrigins.split(/[\s,]+/).some((one) => one !== '' && one === origin)
}

/** Matches a character that needs no encoding (RFC 3986, section 2.3). */
const unreserved = /^[A-Za-z0-9._~-]$/

/**
 * Throws `invalid-input` for needless encoding such as `/v1/%62ooks`, because a proxy before the edge must read the
 * same path as the edge.
 */
export function requirePlainPath(): MiddlewareHandler<EdgeTypes> {
  return async (c, next) => {
    const encoded = new URL(c.req.url).pathname.match(/%[0-7][0-9a-f]/gi) ?? []
    if (encoded.some((one) => unreserved.test(decodeURIComponent(one))))
      throw invalidInput('path', "Don't encode letters, digits and . _ ~ - in the path.")
    await next()
  }
}

/** Equals `period` of the binding `RATE_LIMIT` in wrangler.toml. */
const retryAfterMs = 60_000

/**
 * Throws `rate-limited` for an address above the platform's rate, if the binding `RATE_LIMIT` exists. The platform
 * counts roughly; the limits of a book are exact.
 */
export function limitAddress(): MiddlewareHandler<EdgeTypes> {
  return async (c, next) => {
    const key = c.req.header('cf-connecting-ip')
    const verdict = key === undefined ? undefined : await c.env.RATE_LIMIT?.limit({ key })
    if (verdict?.success === false)
      throw new DaybookError('rate-limited', undefined, { details: { retryAfterMs } })
    await next()
  }
}
