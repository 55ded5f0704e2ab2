// Addresses and keys of services that a book talks to.
// Invariant: a key goes over HTTPS, or to this very machine, and is never repeated in an error.
import { DaybookError } from './errors.ts'

const address = /^(https?):\/\/(\[[0-9a-f:.]+\]|[^/:?#@\s]+)(?::\d{1,5})?(?:\/[^?#\s]*)?$/i
const ownMachine = new Set(['localhost', '127.0.0.1', '[::1]'])
/** What a bearer token may consist of (RFC 6750, section 2.1). */
const token = /^[A-Za-z0-9._~+/-]+=*$/

/** `url` without a slash at its end, or `invalid-input` at `path` when it is no address to send a key to. */
export function checkAddress(url: unknown, path: string): string {
  const match = typeof url === 'string' ? address.exec(url) : undefined
  const [, scheme = '', host = ''] = match ?? []
  const wrong = (message: string) => new DaybookError('invalid-input', message, { details: { path } })
  if (!match) throw wrong(`\`${path}\`: an http or https address without a query or credentials is wanted.`)
  if (scheme.toLowerCase() === 'http' && !ownMachine.has(host.toLowerCase())) {
    throw wrong(`\`${path}\`: only https, except to localhost.`)
  }
  return match[0].replace(/\/+$/, '')
}

/** True when nothing that is sent to `url` leaves this machine. */
export function isOwnMachine(url: string): boolean {
  return ownMachine.has(address.exec(url)?.[2]?.toLowerCase() ?? '')
}

/** Fewest characters of a key that opens something: 16 of hexadecimal are 64 bits. Fewer can be guessed. */
export const shortestKey = 16

/** `key`, or `invalid-input` at `path` when it can't be a bearer token. */
export function checkKey(key: unknown, path: string): string {
  if (typeof key === 'string' && key.length <= 4096 && token.test(key)) return key
  throw new DaybookError('invalid-input', `\`${path}\`: letters, digits and . _ ~ + / - are wanted.`, {
    details: { path },
  })
}
