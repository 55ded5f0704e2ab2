// What the HTTP servers of this host give to one client and to all of them: connections, and time for each part of a request.
// Invariant: who sends slowly, reads slowly, or does nothing, holds a connection for a bounded time, and never the place of the
// next client.

export interface ServerLimits {
  /** Connections at a time, WebSockets included. */
  readonly connections: number
  /** And of them those of one address. */
  readonly connectionsOfAddress: number
  /** Until the head of a request is there, the first from when the connection was made, and until all of it is. */
  readonly headersMs: number
  readonly requestMs: number
  /** How long a connection stays for the next request: longer than proxies keep theirs, so that they end them. */
  readonly keepAliveMs: number
  /** How long nothing may come or go while a request is under way. */
  readonly idleMs: number
  /** How long nothing of an answer may be taken while some of it waits. */
  readonly unreadMs: number
}

export const usualLimits: ServerLimits = {
  connections: 5000,
  connectionsOfAddress: 4000,
  headersMs: 15_000,
  requestMs: 120_000,
  keepAliveMs: 75_000,
  idleMs: 300_000,
  unreadMs: 30_000,
}
