// Holds an HTTP server to its limits, and reads what is left of a body that was refused.
// Invariant: a client that sends or reads slowly, or does nothing, holds a connection for a bounded time only.
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { ClientConnections } from './client-connections.ts'
import type { ServerLimits } from './server-limits.ts'

/** Node itself counts what it has not let go of yet, so it lets in some more. */
const closingRoom = 1000
const watchEveryMs = 1000

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** A server of `listener` that is held to `limits`. */
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

/** As much as is read of a body that nobody wants, and for how long. */
const drainLimitBytes = 16_000_000
const drainMs = 10_000

/**
 * Reads what is left of a body that nobody wants, so that a client which is still sending comes to read its answer. False
 * when there is more than it is worth: the connection must end with the answer.
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
    // A reader that gave up would store what comes now.
    incoming.removeAllListeners('data')
    incoming.on('data', count)
    incoming.once('end', () => end(true))
    incoming.once('close', () => end(incoming.complete))
    incoming.once('error', () => end(false))
    incoming.resume()
  })
}
