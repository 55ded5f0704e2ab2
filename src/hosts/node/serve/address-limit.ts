// Limits each address at `daybook serve`: open requests and lines (behind a proxy only), and requests without
// a key per second.
// Invariant: the last address of the proxy's header counts, because a client can't forge the last address.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../../core/ports.ts'
import { TokenBuckets } from '../../../edge/rate-limit.ts'
import { netOf } from '../port/limited-server.ts'
import type { AddressLimits } from './serve-options.ts'

export const usualAddressLimits: AddressLimits = { ofAddress: 250, openPerSecond: 50 }

/** A burst has the requests without a key of this many seconds. */
const burstSeconds = 20
/**
 * On these paths a request with a key isn't counted here: the book counts it, and `countUnauthorized` counts
 * a wrong key after the answer.
 */
const keyedPath = /^\/(?:v1\/books\/|a2p\/|capabilities\/|(?:messages|embed)(?:$|\?))/
/** Health checks aren't limited: they are cheap, and a monitor may have the same address as a flood. */
const healthPath = /^\/health(?:$|\?)/

export class AddressLimit {
  readonly #behindProxy: boolean
  readonly #most: number
  /** Number of open requests and lines, by address. */
  readonly #open = new Map<string, number>()
  readonly #withoutKey: TokenBuckets

  constructor({ ofAddress, openPerSecond }: AddressLimits, behindProxy: boolean, clock: Clock) {
    this.#behindProxy = behindProxy
    this.#most = ofAddress
    this.#withoutKey = new TokenBuckets(
      { burst: openPerSecond * burstSeconds, perSecond: openPerSecond },
      clock,
    )
  }

  /**
   * Counts a request until `until` closes; false if the address is over a limit. Requests of a proxy that
   * sends no address aren't counted. Without a proxy open requests aren't counted, because all callers are on
   * this machine.
   */
  enter(incoming: IncomingMessage, until: NodeJS.EventEmitter | Duplex): boolean {
    const address = this.#addressOf(incoming)
    if (address === undefined) return true
    if (lacksKey(incoming) && !this.#withoutKey.take(address)) return false
    if (!this.#behindProxy) return true
    const open = this.#open.get(address) ?? 0
    if (open >= this.#most) return false
    this.#open.set(address, open + 1)
    until.once('close', () => this.#leave(address))
    return true
  }

  /**
   * Counts a request with a wrong key as a request without a key; false if the address is over the limit.
   * Call it after an answer with status 401.
   */
  countUnauthorized(incoming: IncomingMessage): boolean {
    const address = this.#addressOf(incoming)
    return address === undefined || lacksKey(incoming) || this.#withoutKey.take(address)
  }

  #addressOf({ headers, socket }: IncomingMessage): string | undefined {
    const address = this.#behindProxy ? lastAddress(headers['x-forwarded-for']) : socket.remoteAddress
    return address ? netOf(address) : undefined
  }

  #leave(address: string): void {
    const open = (this.#open.get(address) ?? 1) - 1
    if (open === 0) this.#open.delete(address)
    else this.#open.set(address, open)
  }
}

/** Whether the request counts as a request without a key; `enter` has counted it then. */
function lacksKey({ headers, url = '/' }: IncomingMessage): boolean {
  return !healthPath.test(url) && (headers.authorization === undefined || !keyedPath.test(url))
}

function lastAddress(header: string | string[] | undefined): string | undefined {
  const last = [header ?? ''].flat().join(',').split(',').at(-1)?.trim()
  // Remove the port that some proxies add: it changes with each connection.
  return last?.replace(/^\[([^\]]*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
}
