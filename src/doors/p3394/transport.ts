// Interface of transports to agents, and the HTTP transport: `POST /capabilities/:id` of an edge or `daybook serve`.
// Invariant: `send` resolves with the agent's answer or error. It rejects if the agent may not have received the
// message, so that another transport can try with the same id.
import type { AbortSignalLike } from '../../core/abort.ts'
import { checkAddress, checkKey } from '../../core/address.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError, type ErrorShape, errorTable } from '../../core/errors.ts'

/** The agent id of a book, as in the address `p3394://kstar-memory/store_trace`. */
export const memoryAgent = 'kstar-memory'

/** Types of transports, in the default order of preference. */
export const transportTypes = ['direct', 'unix_socket', 'mcp_stdio', 'http'] as const
export type TransportType = (typeof transportTypes)[number]

/** A message that calls a capability. */
export interface AgentRequest {
  readonly id: string
  readonly agent: string
  readonly capability: string
  readonly content: unknown
  /** The name of the sender. */
  readonly source: string
}

/** The answer of the agent itself. `ok` false: it refused the message. */
export type AgentReply =
  { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly error: DaybookError }

export interface AgentTransport {
  readonly type: TransportType
  /** Sends a request. Resolves with the agent's answer, also if it is an error. Rejects if the transport failed. */
  send(request: AgentRequest, signal: AbortSignalLike): Promise<AgentReply>
  /** Sends a heartbeat. Resolves if the transport works; rejects otherwise. */
  beat(signal: AbortSignalLike): Promise<void>
  close(): Promise<void> | void
}

/** Codes of errors of an agent that ended: another transport may still work. */
const codesOfEndedAgent = new Set([
  'book-closed',
  'engine-died',
  'owner-unresponsive',
  'owner-changed',
  'no-transport',
])

/** Converts an agent's error to an answer. Throws the error if the agent ended. */
export function toReply(error: DaybookError): AgentReply {
  if (codesOfEndedAgent.has(error.code)) throw error
  return { ok: false, error }
}

/** Converts the error of a message, which lacks `retry`. The code decides `retry`. */
export function errorOfMessage({ code, message, details }: Omit<ErrorShape, 'retry'>): DaybookError {
  const retry = Object.hasOwn(errorTable, code) && errorTable[code].retry
  return DaybookError.from({ code, message, retry, details })
}

/** Creates the error of a failed transport. */
export function transportError(type: TransportType, cause: unknown): DaybookError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new DaybookError('no-transport', `The transport ${type} failed: ${reason}.`, {
    cause,
    details: { transport: type },
  })
}

interface HttpTransportOptions {
  readonly url: string
  readonly key?: string | undefined
  readonly book?: string | undefined
}

/** Creates the transport to `url`. Throws `invalid-input` if the key may not be sent there. */
export function createHttpTransport({ url, key, book }: HttpTransportOptions): AgentTransport {
  const base = key === undefined ? url.replace(/\/+$/, '') : checkAddress(url, 'url')
  const bearer = key === undefined ? {} : { authorization: `Bearer ${checkKey(key, 'key')}` }
  // A redirect would send the key to another address. Workers don't support `error`; `manual` gives a
  // response without JSON, which counts as a failed transport.
  const redirect = key === undefined ? 'follow' : 'manual'
  const request = async (path: string, init: RequestInit, signal: AbortSignalLike) => {
    const aborter = new AbortController()
    const end = () => aborter.abort(signal.reason)
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    try {
      const response = await fetch(`${base}${path}`, { ...init, redirect, signal: aborter.signal })
      return { status: response.status, isOk: response.ok, value: parseJson(await response.text()) }
    } catch (cause) {
      if (signal.aborted) throw new DaybookError('aborted', undefined, { cause })
      throw transportError('http', cause)
    } finally {
      signal.removeEventListener('abort', end)
    }
  }
  return {
    type: 'http',
    async send({ id, capability, content, source }, signal): Promise<AgentReply> {
      const headers = {
        'content-type': 'application/json',
        'x-p3394-message-id': id,
        'x-p3394-source': source,
        ...bearer,
        ...defined({ 'x-daybook-book': book }),
      }
      const body = JSON.stringify({ message_id: id, source: { agent_id: source }, content })
      const path = `/capabilities/${encodeURIComponent(capability).replaceAll('%3A', ':')}`
      const { status, isOk, value } = await request(path, { method: 'POST', headers, body }, signal)
      if (isOk) return { ok: true, data: value }
      if (isError(value)) return toReply(DaybookError.from(value))
      throw transportError('http', new Error(`${base} answered ${status}`))
    },
    async beat(signal) {
      const { status, isOk } = await request('/health', {}, signal)
      if (!isOk) throw transportError('http', new Error(`${base} answered ${status}`))
    },
    close: () => undefined,
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const isError = (value: unknown): value is ErrorShape =>
  typeof value === 'object' && value !== null && 'code' in value && 'message' in value
