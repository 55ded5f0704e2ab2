// How much one address may ask of `daybook serve`: requests and lines under way, as the proxy before it names addresses, and
// requests without a key each second. Invariant: what a client writes into the header itself counts for nothing: the last
// address is the proxy's own word.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../../core/ports.ts'
import { TokenBuckets } from '../../../edge/rate-limit.ts'
import { netOf } from '../port/address-net.ts'
import type { AddressLimits } from './serve-options.ts'

export const usualAddressLimits: AddressLimits = { ofAddress: 250, openPerSecond: 50 }

const openBurst = 20
/** Whoever has a key is counted by the book that it opens; who comes to these with a wrong one by the answer. */
const keyedPath = /^\/(?:v1\/books\/|a2p\/|capabilities\/|(?:messages|embed)(?:$|\?))/
/** Nothing is made for it, and who watches over the process may come from the address of a flood. */
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
   * Counts a request until `until` is closed; false when its address has too many. Behind a proxy that names no address nothing
   * is counted, and without a proxy what is under way is not: all of that is of this machine.
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

  /** Counts a request whose key opened nothing with those that have none; false when its address has too many of both. */
  takeStranger(incoming: IncomingMessage): boolean {
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

function lastAddress(given: string | string[] | undefined): string | undefined {
  const last = [given ?? ''].flat().join(',').split(',').at(-1)?.trim()
  // Some proxies write the port, which is another one for each connection.
  return last?.replace(/^\[([^\]]*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
}
