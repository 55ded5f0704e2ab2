// The connections of an HTTP server, by the address that they come from.
// Invariant: one that waits never keeps a new one out; of those that wait, one of the address that has most ends first.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { netOf } from './address-net.ts'
import { ClientConnection } from './client-connection.ts'
import type { ServerLimits } from './server-limits.ts'

type Listener = (request: IncomingMessage, response: ServerResponse) => void

export class ClientConnections {
  readonly #limits: ServerLimits
  readonly #byNet = new Map<string, Set<ClientConnection>>()
  readonly #bySocket = new WeakMap<Socket, ClientConnection>()
  #count = 0

  constructor(limits: ServerLimits) {
    this.#limits = limits
  }

  accept(socket: Socket): void {
    const net = netOf(socket.remoteAddress ?? '')
    const connection = new ClientConnection(socket, this.#limits)
    const ofNet = this.#byNet.get(net) ?? new Set()
    const { connections, connectionsOfAddress } = this.#limits
    const isLetIn =
      (ofNet.size < connectionsOfAddress || this.#endOne(firstThatWaits(ofNet))) &&
      (this.#count < connections || this.#endOne(this.#ofMost()))
    if (!isLetIn) return connection.end()
    this.#byNet.set(net, ofNet.add(connection))
    this.#bySocket.set(socket, connection)
    this.#count += 1
    socket.once('close', () => this.#leave(net, connection))
  }

  upgraded(socket: Socket): void {
    this.#bySocket.get(socket)?.upgraded()
  }

  /** Has `listener` answer when it is the turn of this request on its connection. */
  take(request: IncomingMessage, response: ServerResponse, listener: Listener): void {
    this.#bySocket.get(request.socket)?.take(response, () => listener(request, response))
  }

  watch(): void {
    for (const ofNet of this.#byNet.values()) for (const connection of ofNet) connection.watch()
  }

  #ofMost(): ClientConnection | undefined {
    let found: ClientConnection | undefined
    let most = 0
    for (const ofNet of this.#byNet.values()) {
      const one = ofNet.size > most ? firstThatWaits(ofNet) : undefined
      if (!one) continue
      found = one
      most = ofNet.size
    }
    return found
  }

  #endOne(connection: ClientConnection | undefined): boolean {
    connection?.end()
    return connection !== undefined
  }

  #leave(net: string, connection: ClientConnection): void {
    const ofNet = this.#byNet.get(net)
    if (!ofNet?.delete(connection)) return
    this.#count -= 1
    if (ofNet.size === 0) this.#byNet.delete(net)
  }
}

/** The oldest that waits for a request, or else for its reader. One that was ended is as good as gone. */
function firstThatWaits(connections: Iterable<ClientConnection>): ClientConnection | undefined {
  let unread: ClientConnection | undefined
  for (const connection of connections) {
    if (connection.isEnded) continue
    if (connection.isIdle) return connection
    if (connection.isUnread) unread ??= connection
  }
  return unread
}
