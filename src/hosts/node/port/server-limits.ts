// Limits of the HTTP servers of this host, for each client and for all of them.
// A module of its own: published types name it, and a project without types of Node reads those.

export interface ServerLimits {
  /** Connections at a time, WebSockets included. */
  readonly connections: number
  /** Of these, connections of one address. */
  readonly connectionsOfAddress: number
  /** Time for the header of a request, from the connection for the first one; and for the whole request. */
  readonly headersMs: number
  readonly requestMs: number
  /** How long an idle connection stays open: longer than proxies keep theirs, so that they close them. */
  readonly keepAliveMs: number
  /** Longest silence during a request. */
  readonly idleMs: number
  /** Longest wait for a client to read more of an answer. */
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
