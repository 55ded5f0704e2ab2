// An HTTP server with limits of connections and times. `drainRequest` reads the rest of refused bodies.
// Invariant: a slow or idle client keeps a connection for a limited time, and never prevents another client
// from connecting.
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { type Socket, isIPv6 } from 'node:net'
import type { ServerLimits } from './server-limits.ts'

/** Connections above the limit that Node accepts, because Node also counts connections that are closing. */
const closingRoom = 1000
/** Interval of checks which clients don't read their answers. */
const watchEveryMs = 1000

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Creates a server with `limits`. It calls `listener` for one request of a connection at a time. The caller
 * must call `listen`. `idleMs`: longest time without data during a request; `unreadMs`: until a client reads
 * more of an answer.
 */
export function createLimitedServer(
  limits: ServerLimits,
  listener: Listener,
  options: ServerOptions = {},
): Server {
  const { headersMs, requestMs, keepAliveMs, idleMs, unreadMs } = limits
  const connections = new ClientConnections(limits)
  const server = createServer(
    {
      ...options,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.min(2000, headersMs),
    },
    (request, response) => connections.take(request, response, listener),
  )
  server.maxConnections = limits.connections + closingRoom
  server.timeout = idleMs
  server.on('connection', (socket) => connections.accept(socket))
  server.on('upgrade', ({ socket }) => connections.upgraded(socket))
  const watch = setInterval(() => connections.watch(), Math.min(watchEveryMs, unreadMs)).unref()
  server.once('close', () => clearInterval(watch))
  return server
}

/** Most bytes to read of a refused body; `drainMs`: longest time. */
const drainLimitBytes = 16_000_000
const drainMs = 10_000

/**
 * Reads the rest of a refused body, so that a client that is still sending can read its answer. False if the
 * body is too long or too slow: the connection must close after the answer.
 */
export function drainRequest(incoming: IncomingMessage): Promise<boolean> {
  if (incoming.complete) return Promise.resolve(true)
  if (incoming.destroyed) return Promise.resolve(false)
  return new Promise((resolve) => {
    let bytes = 0
    const end = (isRead: boolean) => {
      clearTimeout(timer)
      incoming.off('data', count)
      resolve(isRead)
    }
    const count = (piece: Buffer) => {
      bytes += piece.length
      if (bytes > drainLimitBytes) end(false)
    }
    const timer = setTimeout(() => end(false), drainMs)
    // An earlier reader would buffer the rest.
    incoming.removeAllListeners('data')
    incoming.on('data', count)
    incoming.once('end', () => end(true))
    incoming.once('close', () => end(incoming.complete))
    incoming.once('error', () => end(false))
    incoming.resume()
  })
}

// The connections of an HTTP server, by client address.
// Invariant: an idle connection never prevents a new connection; the address with the most connections loses
// an idle connection first.

class ClientConnections {
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
    const clientConnections = this.#byNet.get(net) ?? new Set()
    const { connections, connectionsOfAddress } = this.#limits
    const isAdmitted =
      (clientConnections.size < connectionsOfAddress || this.#evict(firstIdle(clientConnections))) &&
      (this.#count < connections || this.#evict(this.#idleOfLargest()))
    if (!isAdmitted) return connection.end()
    this.#byNet.set(net, clientConnections.add(connection))
    this.#bySocket.set(socket, connection)
    this.#count += 1
    socket.once('close', () => this.#leave(net, connection))
  }

  upgraded(socket: Socket): void {
    this.#bySocket.get(socket)?.upgraded()
  }

  /** Calls `listener` when earlier requests of the connection are answered. */
  take(request: IncomingMessage, response: ServerResponse, listener: Listener): void {
    this.#bySocket.get(request.socket)?.take(response, () => listener(request, response))
  }

  watch(): void {
    for (const clientConnections of this.#byNet.values())
      for (const connection of clientConnections) connection.watch()
  }

  #idleOfLargest(): ClientConnection | undefined {
    let found: ClientConnection | undefined
    let most = 0
    for (const clientConnections of this.#byNet.values()) {
      const one = clientConnections.size > most ? firstIdle(clientConnections) : undefined
      if (!one) continue
      found = one
      most = clientConnections.size
    }
    return found
  }

  #evict(connection: ClientConnection | undefined): boolean {
    connection?.end()
    return connection !== undefined
  }

  #leave(net: string, connection: ClientConnection): void {
    const clientConnections = this.#byNet.get(net)
    if (!clientConnections?.delete(connection)) return
    this.#count -= 1
    if (clientConnections.size === 0) this.#byNet.delete(net)
  }
}

/**
 * The oldest idle connection; if no connection is idle, the oldest connection with an unread answer. Skips
 * ended connections.
 */
function firstIdle(connections: Iterable<ClientConnection>): ClientConnection | undefined {
  let unread: ClientConnection | undefined
  for (const connection of connections) {
    if (connection.isEnded) continue
    if (connection.isIdle) return connection
    if (connection.isUnread) unread ??= connection
  }
  return unread
}

/**
 * The key of an address for limits: the whole IPv4 address, or the /64 network of an IPv6 address, which one
 * home or machine has.
 */
export function netOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length)
  const whole = [...groups, ...Array<string>(zeros).fill('0'), ...rest]
  return whole
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}

// One connection of an HTTP server: answers its requests in turn, with time limits.
// Invariant: only one answer is made at a time, so a client that reads no answers costs the memory of one
// answer.

/**
 * Most waiting requests of a connection; a further request ends the connection. Browsers, fetch and proxies
 * don't pipeline.
 */
const pipelineLimit = 16

type Times = Pick<ServerLimits, 'headersMs' | 'idleMs' | 'unreadMs'>

class ClientConnection {
  readonly #socket: Socket
  readonly #times: Times
  /** Ends a connection without a first request. */
  readonly #silence: NodeJS.Timeout
  #waiting: (() => void)[] = []
  #isAnswering = false
  #isUpgraded = false
  /** `isUnread` at the last `watch`: the time limit of the socket follows it. */
  #isUnread = false

  constructor(socket: Socket, times: Times) {
    this.#socket = socket
    this.#times = times
    this.#silence = setTimeout(() => this.end(), times.headersMs).unref()
    socket.once('close', () => clearTimeout(this.#silence))
  }

  get isEnded(): boolean {
    return this.#socket.destroyed
  }

  /** Whether the connection waits for a request. */
  get isIdle(): boolean {
    return !this.#isAnswering && !this.#isUpgraded
  }

  /** Whether some of the answer waits until the client reads. */
  get isUnread(): boolean {
    return this.#isAnswering && this.#socket.writableLength > 0
  }

  end(): void {
    this.#waiting = []
    this.#socket.destroy()
  }

  /** Call it when the connection becomes a WebSocket, which has its own limits. */
  upgraded(): void {
    clearTimeout(this.#silence)
    this.#isUpgraded = true
  }

  /** Runs `answer` when earlier requests of this connection are answered. */
  take(response: ServerResponse, answer: () => void): void {
    clearTimeout(this.#silence)
    if (this.isEnded) return
    if (!this.#isAnswering) this.#begin(response, answer)
    else if (this.#waiting.length < pipelineLimit) this.#waiting.push(() => this.#begin(response, answer))
    else this.end()
  }

  /** Updates the time limit: a client that doesn't read an answer gets less time than a slow answer. */
  watch(): void {
    if (this.isUnread === this.#isUnread) return
    this.#isUnread = this.isUnread
    // Between requests `keepAliveTimeout` of the server applies.
    if (this.#isAnswering) this.#socket.setTimeout(this.#isUnread ? this.#times.unreadMs : this.#times.idleMs)
  }

  #begin(response: ServerResponse, answer: () => void): void {
    this.#isAnswering = true
    response.once('close', () => {
      this.#isAnswering = false
      if (!this.isEnded) this.#waiting.shift()?.()
    })
    answer()
  }
}
