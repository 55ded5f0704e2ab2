// How many requests and lines one address may have under way at `daybook serve`, as the proxy before it names addresses.
// Invariant: what a client writes into the header itself counts for nothing: the last address is the proxy's own word.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** Requests and lines of one address at a time; many devices may stand behind one. */
export const addressLimit = 250

export class AddressLimit {
  readonly #most: number
  readonly #open = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Counts a request until `until` is closed; false when its address has too many. Without an address nothing is counted. */
  enter({ headers }: IncomingMessage, until: NodeJS.EventEmitter | Duplex): boolean {
    const address = lastAddress(headers['x-forwarded-for'])
    if (address === undefined) return true
    const open = this.#open.get(address) ?? 0
    if (open >= this.#most) return false
    this.#open.set(address, open + 1)
    until.once('close', () => this.#leave(address))
    return true
  }

  #leave(address: string): void {
    const open = (this.#open.get(address) ?? 1) - 1
    if (open === 0) this.#open.delete(address)
    else this.#open.set(address, open)
  }
}

function lastAddress(given: string | string[] | undefined): string | undefined {
  const last = [given ?? ''].flat().join(',').split(',').at(-1)?.trim()
  return last === '' ? undefined : last
}
