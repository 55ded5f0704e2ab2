// Addresses of services that a book connects to, and the keys that it sends to them.
// Invariant: a book sends a key only over HTTPS or to this machine; no error contains a key.
import { DaybookError, invalidInput } from './errors.ts'

const address = /^(https?):\/\/(\[[0-9a-f:.]+\]|[^/:?#@\s]+)(?::\d{1,5})?(?:\/[^?#\s]*)?$/i
/** Names of this machine in an address. */
const ownNames = new Set(['localhost', '127.0.0.1', '[::1]'])
/** Addresses of this machine: all of 127.0.0.0/8 (RFC 1122, section 3.2.1.3), and `::1` (RFC 4291). */
const ownAddress = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/
/** Form of a bearer token (RFC 6750, section 2.1). */
const token = /^[A-Za-z0-9._~+/-]+=*$/

/**
 * Returns `url` without trailing slashes. Throws `invalid-input` with `path` unless a key may be sent there:
 * an address over HTTPS, or over HTTP on this machine, without a query and without credentials.
 */
export function checkAddress(url: unknown, path: string): string {
  const match = typeof url === 'string' ? address.exec(url) : undefined
  const [, scheme = '', host = ''] = match ?? []
  const wrong = (message: string) => new DaybookError('invalid-input', message, { details: { path } })
  if (!match) throw wrong(`\`${path}\`: Must be an http or https address without a query or credentials.`)
  if (scheme.toLowerCase() === 'http' && !isOwnName(host.toLowerCase())) {
    throw wrong(`\`${path}\`: Use https, except for localhost.`)
  }
  return match[0].replace(/\/+$/, '')
}

/** True if requests to `url` stay on this machine. */
export function isOwnMachine(url: string): boolean {
  return isOwnName(address.exec(url)?.[2]?.toLowerCase() ?? '')
}

/** True if `host` is a name of this machine. Form: `hostname` of a URL, lower case, IPv6 in brackets. */
export function isOwnName(host: string): boolean {
  return ownNames.has(host)
}

/** True for a loopback IP address. */
export function isOwnAddress(ip: string): boolean {
  return ownAddress.test(ip)
}

/** Formats `host` for a URL: an IPv6 address in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** Minimum length of a key. 16 hexadecimal digits are 64 bits; a shorter key can be guessed. */
export const minKeyLength = 16

/** Returns `key`. Throws `invalid-input` with `path` if the key is shorter than `minKeyLength`. */
export function checkKeyLength(key: string, path: string): string {
  if (key.length >= minKeyLength) return key
  const message = `\`${path}\`: Must have at least ${minKeyLength} characters: a shorter key can be guessed.`
  throw new DaybookError('invalid-input', message, { details: { path } })
}

/** Returns `key`. Throws `invalid-input` with `path` unless the key is a bearer token of at most 4,096 characters. */
export function checkKey(key: unknown, path: string): string {
  if (typeof key === 'string' && key.length <= 4096 && token.test(key)) return key
  throw invalidInput(path, `Must consist of letters, digits and . _ ~ + / -.`)
}

/**
 * Headers that proxies, tunnels and CDNs add; direct clients send none of them. Not `cf-connecting-ip`:
 * Wrangler adds it to direct requests too, so doors/http/request/guard.ts checks the address in it.
 */
const addedByProxies =
  /^(?:forwarded|via|x-forwarded(?:-.+)?|x-original-.+|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|x-envoy-.+|cdn-loop|cf-(?:ray|visitor|ipcountry)|(?:fly|fastly)-client-ip)$/i

/**
 * True if a proxy forwarded the request: its client may then be on any machine, although the connection comes from
 * this one. A proxy that adds no header is not detected.
 */
export function isForwarded(headerNames: Iterable<string>): boolean {
  return [...headerNames].some((name) => addedByProxies.test(name))
}

/** Compares two secrets. The time depends on the length of `one` only, not on where the secrets differ. */
export function timingSafeEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let i = 0; i < one.length; i++) difference |= one.charCodeAt(i) ^ other.charCodeAt(i)
  return difference === 0
}

/** Also behind an escape of a URL (`%2Fdbk1.…`), and with an escaped dot. */
const bookKeys = /(dbk1|dbt[12])(?:\.|%(?:25)*2e)[\w.%-]+/gi

/**
 * Returns `text` with each key and token of a book shortened to its prefix, and each of `secrets` replaced by `…`.
 * `secrets`: other secrets to hide, which don't look like a key of a book.
 */
export function hideKeys(text: string, secrets: readonly string[] = []): string {
  // The longest first: one secret may begin with another.
  const longestFirst = secrets.filter((one) => one !== '').toSorted((a, b) => b.length - a.length)
  const hidden = longestFirst.reduce((rest, one) => rest.replaceAll(one, '…'), text)
  return hidden.replace(bookKeys, '$1.…')
}
