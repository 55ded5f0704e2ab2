// Addresses that never leave this machine: there, and only there, plain HTTP and the development key will do.
import { DaybookError } from '../src/core/errors.ts'

const ownNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/** True when `url` was asked of this very machine. The name is what the caller used: no proxy may stand before it. */
export function isOwnMachine(url: URL): boolean {
  return ownNames.has(url.hostname)
}

/** Throws `forbidden` for plain HTTP from elsewhere. */
export function requireHttps(url: URL): void {
  if (url.protocol !== 'https:' && !isOwnMachine(url))
    throw new DaybookError('forbidden', 'Only HTTPS is answered here.')
}
