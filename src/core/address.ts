// Addresses and keys of services that a book talks to.
// Invariant: a key goes over HTTPS, or to this very machine, and is never repeated in an error.
import { DaybookError } from './errors.ts'

const address = /^(https?):\/\/(\[[0-9a-f:.]+\]|[^/:?#@\s]+)(?::\d{1,5})?(?:\/[^?#\s]*)?$/i
/** What a machine calls itself in an address. */
const ownNames = new Set(['localhost', '127.0.0.1', '[::1]'])
/** What a machine answers itself from: the whole of 127.0.0.0/8 (RFC 1122, section 3.2.1.3), and `::1` (RFC 4291). */
const ownAddress = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/
/** What a bearer token may consist of (RFC 6750, section 2.1). */
const token = /^[A-Za-z0-9._~+/-]+=*$/

/** `url` without a slash at its end, or `invalid-input` at `path` when it is no address to send a key to. */
export function checkAddress(url: unknown, path: string): string {
  const match = typeof url === 'string' ? address.exec(url) : undefined
  const [, scheme = '', host = ''] = match ?? []
  const wrong = (message: string) => new DaybookError('invalid-input', message, { details: { path } })
  if (!match) throw wrong(`\`${path}\`: an http or https address without a query or credentials is wanted.`)
  if (scheme.toLowerCase() === 'http' && !isOwnName(host.toLowerCase())) {
    throw wrong(`\`${path}\`: only https, except to localhost.`)
  }
  return match[0].replace(/\/+$/, '')
}

/** True when nothing that is sent to `url` leaves this machine. */
export function isOwnMachine(url: string): boolean {
  return isOwnName(address.exec(url)?.[2]?.toLowerCase() ?? '')
}

/** True when `host`, spelled as the `hostname` of a URL, is a name of this machine: in lower case, IPv6 in brackets. */
export function isOwnName(host: string): boolean {
  return ownNames.has(host)
}

/** True for an IP address of this machine alone. */
export function isOwnAddress(ip: string): boolean {
  return ownAddress.test(ip)
}

/** `host` as it stands in a URL: an IPv6 address in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** Fewest characters of a key that opens something: 16 of hexadecimal are 64 bits. Fewer can be guessed. */
export const shortestKey = 16

/** `key`, or `invalid-input` at `path` when it has so few characters that it can be guessed. */
export function checkKeyLength(key: string, path: string): string {
  if (key.length >= shortestKey) return key
  const message = `\`${path}\`: fewer than ${shortestKey} characters can be guessed.`
  throw new DaybookError('invalid-input', message, { details: { path } })
}

/** `key`, or `invalid-input` at `path` when it can't be a bearer token. */
export function checkKey(key: unknown, path: string): string {
  if (typeof key === 'string' && key.length <= 4096 && token.test(key)) return key
  throw new DaybookError('invalid-input', `\`${path}\`: letters, digits and . _ ~ + / - are wanted.`, {
    details: { path },
  })
}
