// Limits of one address at `daybook serve`: open requests and lines (behind a proxy), and requests without a
// key each second.
// Invariant: the last address of the proxy's header counts; a client can't forge that one.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../../core/ports.ts'
import { TokenBuckets } from '../../../edge/rate-limit.ts'
import { netOf } from '../port/limited-server.ts'
import type { AddressLimits } from './serve-options.ts'

export const usualAddressLimits: AddressLimits = { ofAddress: 250, openPerSecond: 50 }

const openBurst = 20
/** A caller with a key counts for the book it opens; a wrong key on these paths counts by the answer. */
const keyedPath = /^\/(?:v1\/books\/|a2p\/|capabilities\/|(?:messages|embed)(?:$|\?))/
/** Health checks are cheap, and a monitor may share the address of a flood. */
const healthPath = /^\/health(?:$|\?)/

export class AddressLimit {
  readonly #behindProxy: boolean
  readonly #most: number
  readonly #open = new Map<string, number>()
  readonly #withoutKey: TokenBuckets

  constructor({ ofAddress, openPerSecond }: AddressLimits, behindProxy: boolean, clock: Clock) {
    this.#behindProxy = behindProxy
    this.#most = ofAddress
    this.#withoutKey = new TokenBuckets({ burst: openPerSecond * openBurst, perSecond: openPerSecond }, clock)
  }

  /**
   * Counts a request until `until` closes; false if its address has too many. Behind a proxy that sends no
   * address nothing is counted; without a proxy open requests aren't counted, because they come from this
   * machine.
   */
  enter(incoming: IncomingMessage, until: NodeJS.EventEmitter | Duplex): boolean {
    const address = this.#addressOf(incoming)
    if (address === undefined) return true
    if (isOpen(incoming) && !this.#withoutKey.take(address)) return false
    if (!this.#behindProxy) return true
    const open = this.#open.get(address) ?? 0
    if (open >= this.#most) return false
    this.#open.set(address, open + 1)
    until.once('close', () => this.#leave(address))
    return true
  }

  /** Counts a request with a wrong key among those without; false if its address has too many. */
  countUnauthorized(incoming: IncomingMessage): boolean {
    const address = this.#addressOf(incoming)
    return address === undefined || isOpen(incoming) || this.#withoutKey.take(address)
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

/** Whether it may be answered without a key. */
function isOpen({ headers, url = '/' }: IncomingMessage): boolean {
  return !healthPath.test(url) && (headers.authorization === undefined || !keyedPath.test(url))
}

function lastAddress(header: string | string[] | undefined): string | undefined {
  const last = [header ?? ''].flat().join(',').split(',').at(-1)?.trim()
  // Some proxies add the port, which changes with each connection.
  return last?.replace(/^\[([^\]]*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
}
