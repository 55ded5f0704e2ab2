// Addresses and keys of services that a book talks to.
// Invariant: a key goes over HTTPS, or to this very machine, and is never repeated in an error.
import { DaybookError } from './errors.ts'

const address = /^(https?):\/\/(\[[0-9a-f:.]+\]|[^/:?#@\s]+)(?::\d{1,5})?(?:\/[^?#\s]*)?$/i
const ownNames = new Set(['localhost', '127.0.0.1', '[::1]'])
const ownAddress = /^(?:(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/
/** What a bearer token may consist of (RFC 6750, section 2.1). */
const token = /^[A-Za-z0-9._~+/-]+=*$/

/** `url` without a slash at its end, or `invalid-input` at `path` when it is no address to send a key to. */
export function checkAddress(url: unknown, path: string): string {
  const match = typeof url === 'string' ? address.exec(url) : undefined
  const [, scheme = '', host = ''] = match ?? []
  const wrong = (message: string) => new DaybookError('invalid-input', message, { details: { path } })
  if (!match) throw wrong(`\`${path}\`: an http or https address without a query or credentials is wanted.`)
  if (scheme.toLowerCase() === 'http' && !isOwnName(host)) {
    throw wrong(`\`${path}\`: only https, except to localhost.`)
  }
  return match[0].replace(/\/+$/, '')
}

/** True when nothing that is sent to `url` leaves this machine. */
export function isOwnMachine(url: string): boolean {
  return isOwnName(address.exec(url)?.[2] ?? '')
}

/** True when `name`, the host of an address, is this machine's own for everybody who says it. */
export function isOwnName(name: string): boolean {
  return ownNames.has(name.toLowerCase())
}

/** True for the IP address of an end of a connection that never left this machine. */
export function isOwnAddress(ip: string): boolean {
  return ownAddress.test(ip)
}

/** True when a server that listens on `host` is heard on this machine alone. */
export function isOwnHost(host: string): boolean {
  return host === 'localhost' || isOwnAddress(host)
}

/** Fewest characters of a key that opens something: 16 of hexadecimal are 64 bits. Fewer can be guessed. */
export const shortestKey = 16

/** Throws `invalid-input` at `path` for a key that can be guessed. */
export function checkKeyLength(key: string, path: string): void {
  if (key.length >= shortestKey) return
  throw new DaybookError(
    'invalid-input',
    `\`${path}\`: fewer than ${shortestKey} characters can be guessed.`,
    {
      details: { path },
    },
  )
}

/** `key`, or `invalid-input` at `path` when it can't be a bearer token. */
export function checkKey(key: unknown, path: string): string {
  if (typeof key === 'string' && key.length <= 4096 && token.test(key)) return key
  throw new DaybookError('invalid-input', `\`${path}\`: letters, digits and . _ ~ + / - are wanted.`, {
    details: { path },
  })
}
