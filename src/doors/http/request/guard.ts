// Checks of a request before its book: own machine, HTTPS, origin, path spelling, rate by address.
import type { CallWay } from '../../../core/access/governed.ts'
import { isOwnAddress, isOwnName, isForwarded } from '../../../core/address.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { MiddlewareHandler } from 'hono'
import type { EdgeTypes } from '../../../edge/edge-env.ts'

/**
 * True if `request` was made on this machine, by its host name and the caller's address, and not through a proxy, which would make
 * any caller look local. Plain HTTP and the development key need this. (Wrangler sets `CF-Connecting-IP`.)
 */
export function isOwnMachineRequest({ url, headers }: Pick<Request, 'url' | 'headers'>): boolean {
  const address = headers.get('cf-connecting-ip')
  const host = headers.get('host')
  return (
    isOwnName(new URL(url).hostname) &&
    // A foreign name that resolves to this machine is not its own name.
    (host === null || isOwnName(host.toLowerCase().replace(/:\d*$/, ''))) &&
    (address === null || isOwnAddress(address)) &&
    !isForwarded(headers.keys())
  )
}

/** Transport of a request, for policies that need HTTPS. Requests to this machine's own name count as safe. */
export function wayOf(url: string): CallWay {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || isOwnName(hostname) ? 'https' : 'http'
}

/** Throws `forbidden` for plain HTTP, unless `url` names this machine. The caller chooses that name. */
export function requireHttps(url: URL): void {
  if (url.protocol !== 'https:' && !isOwnName(url.hostname))
    throw new DaybookError('forbidden', 'Use HTTPS: plain HTTP is refused here.')
}

/** An origin as a browser sends it, without path. */
const origins = /^https?:\/\/([^/:]+|\[::1\])(?::\d{1,5})?$/

/** True for pages that may call: origins of this machine, and those in `named`. */
export function isAllowedOrigin(origin: string, named = ''): boolean {
  const host = origins.exec(origin)?.[1]
  return (host !== undefined && isOwnName(host)) || isNamedOrigin(origin, named)
}

/** True for one of `named`: exact origins, separated by spaces or commas. */
export function isNamedOrigin(origin: string, named = ''): boolean {
  return named.split(/[\s,]+/).some((one) => one !== '' && one === origin)
}

/** Characters that need no encoding (RFC 3986, section 2.3). */
const unreserved = /^[A-Za-z0-9._~-]$/

/** Refuses needless encoding such as `/v1/%62ooks`: a proxy before the edge must read the same path as the edge. */
export function requirePlainPath(): MiddlewareHandler<EdgeTypes> {
  return async (c, next) => {
    const encoded = new URL(c.req.url).pathname.match(/%[0-7][0-9a-f]/gi) ?? []
    if (encoded.some((one) => unreserved.test(decodeURIComponent(one))))
      throw new DaybookError(
        'invalid-input',
        "`path`: don't encode letters, digits and . _ ~ - in the path.",
        {
          details: { path: 'path' },
        },
      )
    await next()
  }
}

/** `period` of the binding in wrangler.toml. */
const retryAfterMs = 60_000

/** Refuses an address over the platform's rate, if the binding `RATE_LIMIT` is there. It is rough; the books' own limits are exact. */
export function limitAddress(): MiddlewareHandler<EdgeTypes> {
  return async (c, next) => {
    const key = c.req.header('cf-connecting-ip')
    const verdict = key === undefined ? undefined : await c.env.RATE_LIMIT?.limit({ key })
    if (verdict?.success === false)
      throw new DaybookError('rate-limited', undefined, { details: { retryAfterMs } })
    await next()
  }
}
