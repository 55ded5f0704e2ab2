// Holds an HTTP server to its limits, and reads what is left of a body that was refused.
// Invariant: a client that sends slowly, or nothing, holds a connection for a bounded time only.
import type { IncomingMessage, Server, ServerOptions } from 'node:http'
import type { ServerLimits } from './server-limits.ts'

/** From this part of all connections on, those that wait for a next request are ended. */
const nearlyFull = 0.9

/** To create a server with. */
export function limitedServer({ headersMs, requestMs, keepAliveMs }: ServerLimits): ServerOptions {
  return {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(2000, headersMs),
  }
}

/** Holds a server to its limits from now on. */
export function limitServer(server: Server, { connections, idleMs }: ServerLimits): void {
  server.maxConnections = connections
  server.timeout = idleMs
  let open = 0
  server.on('connection', (socket) => {
    open += 1
    socket.once('close', () => (open -= 1))
    if (open >= connections * nearlyFull) server.closeIdleConnections()
  })
  server.on('drop', () => server.closeIdleConnections())
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
