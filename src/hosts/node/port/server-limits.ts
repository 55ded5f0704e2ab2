// Limits of the HTTP servers of this host, for each client and for all clients.
// A separate module without types of Node, because the published types include it.

export interface ServerLimits {
  /** Most connections at the same time, WebSockets included. Default 5,000. */
  readonly connections: number
  /**
   * Most connections of one address. Default: four fifths of `connections`; `daybook serve` behind a proxy:
   * all.
   */
  readonly connectionsOfAddress: number
  /**
   * Longest time for the header of a request; for the first request it begins with the connection. Default
   * 15,000. `requestMs`: for the whole request, default 120,000.
   */
  readonly headersMs: number
  readonly requestMs: number
  /**
   * Time until an idle connection is closed. It must be longer than a proxy's limit, so that the proxy closes
   * the connection first. Default 75,000.
   */
  readonly keepAliveMs: number
  /** Longest time without data during a request. Default 300,000. */
  readonly idleMs: number
  /** Longest wait until a client reads more of an answer. Default 30,000. */
  readonly unreadMs: number
}

/** Default limits of the servers of this host. Times are in milliseconds. */
export const usualLimits: ServerLimits = {
  connections: 5000,
  connectionsOfAddress: 4000,
  headersMs: 15_000,
  requestMs: 120_000,
  keepAliveMs: 75_000,
  idleMs: 300_000,
  unreadMs: 30_000,
}
