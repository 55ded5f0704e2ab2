// A way on which messages reach an agent. Invariant: a transport answers with what the agent said, an error of it included;
// it rejects when nobody can know whether the agent has heard the message, and `begun: false` when it surely has not.
import type { AbortSignalLike } from '../../core/abort.ts'
import { DaybookError, type ErrorShape, errorTable } from '../../core/errors.ts'

/** In the order in which they are tried, unless a preference says otherwise. */
export const transportTypes = ['direct', 'unix_socket', 'mcp_stdio', 'http'] as const
export type TransportType = (typeof transportTypes)[number]

/** A message that asks an agent for a capability, as a transport carries it. */
export interface AgentRequest {
  readonly id: string
  readonly agent: string
  readonly capability: string
  readonly content: unknown
  /** Who sends it, in its own words. */
  readonly source: string
}

export type AgentReply =
  { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly error: DaybookError }

export interface AgentTransport {
  readonly type: TransportType
  /** Rejects when the transport failed. What the agent refuses is an answer. */
  send(request: AgentRequest, signal: AbortSignalLike): Promise<AgentReply>
  /** Says that it still works, or rejects. */
  beat(signal: AbortSignalLike): Promise<void>
  close(): Promise<void> | void
}

/** The endings of an agent itself, which another way to it may not meet. */
const endings = new Set(['book-closed', 'engine-died', 'owner-unresponsive', 'owner-changed', 'no-transport'])

/** What an agent's error is to whoever sends: an answer, or a transport that is of no use. */
export function replyOf(error: DaybookError): AgentReply {
  if (endings.has(error.code)) throw error
  return { ok: false, error }
}

/** The error of an answer whose form has no word for whether to try again: the code says it. */
export function errorOf({ code, message, details }: Omit<ErrorShape, 'retry'>): DaybookError {
  const retry = Object.hasOwn(errorTable, code) && errorTable[code].retry
  return DaybookError.from({ code, message, retry, details })
}

/** Of a transport that could not carry a message. */
export function broken(type: TransportType, cause: unknown): DaybookError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new DaybookError('no-transport', `The transport ${type} failed: ${reason}.`, {
    cause,
    details: { transport: type },
  })
}
