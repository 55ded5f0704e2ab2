// What never left this machine: there, and only there, plain HTTP and the development key will do.
import { isOwnAddress, isOwnName } from '../../../core/address.ts'
import { DaybookError } from '../../../core/errors.ts'
import { isPassedOn } from '../../../core/passed-on.ts'

/** True when `url` was asked of this very machine. The name is what the caller used, which is the caller's word. */
export function isOwnMachine(url: URL): boolean {
  return isOwnName(url.hostname)
}

/**
 * True when `request` was made on this very machine, and was passed on by nobody: a proxy here makes callers from anywhere
 * look like this machine. (Under Wrangler `CF-Connecting-IP` says who is at the other end.)
 */
export function isAskedHere({ url, headers }: Pick<Request, 'url' | 'headers'>): boolean {
  const address = headers.get('cf-connecting-ip')
  return (
    isOwnMachine(new URL(url)) && (address === null || isOwnAddress(address)) && !isPassedOn(headers.keys())
  )
}

/** Throws `forbidden` for plain HTTP from elsewhere. */
export function requireHttps(url: URL): void {
  if (url.protocol !== 'https:' && !isOwnMachine(url))
    throw new DaybookError('forbidden', 'Only HTTPS is answered here.')
}
