// What never left this machine: there, and only there, plain HTTP and the development key will do.
import type { Way } from '../../../core/access/policy-decision.ts'
import { isOwnAddress, isOwnName } from '../../../core/address.ts'
import { DaybookError } from '../../../core/errors.ts'
import { isPassedOn } from '../../../core/passed-on.ts'

/**
 * True when `request` was made on this very machine, by the name that the caller used and by the caller's address, and was
 * passed on by nobody: a proxy here makes callers from anywhere look like this machine. (Under Wrangler `CF-Connecting-IP`
 * says who is at the other end.)
 */
export function isAskedHere({ url, headers }: Pick<Request, 'url' | 'headers'>): boolean {
  const address = headers.get('cf-connecting-ip')
  const host = headers.get('host')
  return (
    isOwnName(new URL(url).hostname) &&
    // A name that was made to point here is another one, whatever the platform makes of the address.
    (host === null || isOwnName(host.toLowerCase().replace(/:\d*$/, ''))) &&
    (address === null || isOwnAddress(address)) &&
    !isPassedOn(headers.keys())
  )
}

/** How a request came, for policies that ask for HTTPS: what names this very machine crosses no network that others hear. */
export function wayOf(url: string): Way {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || isOwnName(hostname) ? 'https' : 'http'
}

/** Throws `forbidden` for plain HTTP, unless `url` names this very machine; the name is the caller's word. */
export function requireHttps(url: URL): void {
  if (url.protocol !== 'https:' && !isOwnName(url.hostname))
    throw new DaybookError('forbidden', 'Only HTTPS is answered here.')
}
