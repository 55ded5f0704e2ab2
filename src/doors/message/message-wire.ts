// Messages between two windows over `postMessage`. The first message transfers a port; all later messages use this
// port.
import { DaybookError, type ErrorShape } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { utf8Length } from '../../core/text/utf8.ts'

export const messageVersion = 1
/**
 * Maximum of a message, in bytes: `assertMessageSize` counts texts in UTF-8, bytes of buffers, and two for each value.
 */
export const maxMessageBytes = 2_100_000
/** Maximum unanswered calls of a connection. */
export const maxPendingCalls = 64

/** Requests a connection over the port that the message transfers. */
export interface ConnectMessage {
  readonly daybook: 'connect'
  readonly version: number
}

/** Messages about the connection: `connected` or `refused` first, `closed` last. */
export type ConnectionMessage =
  | { readonly daybook: 'connected'; readonly version: number }
  | { readonly daybook: 'refused'; readonly error: ErrorShape }
  | { readonly daybook: 'closed'; readonly error: ErrorShape }

/** The last message of the connecting side, because not every browser reports a closed port. */
export interface LeaveMessage {
  readonly daybook: 'leave'
}

export interface CallRequest {
  /** Unique among the connection's calls without an answer. */
  readonly id: string
  readonly capability: string
  readonly input?: unknown
  /** Makes a write safe to retry: a call with a known id takes effect once. */
  readonly requestId?: string
  /** The purpose that the access log records. */
  readonly purpose?: string
  /** Id of a consent receipt, which limits the call's reach. */
  readonly receipt?: string
}

export interface CancelRequest {
  /** The id of the call. */
  readonly cancel: string
}

/** `id` null: the message had no valid id. */
export type CallAnswer =
  | { readonly id: string; readonly ok: true; readonly answer: unknown }
  | { readonly id: string | null; readonly ok: false; readonly error: ErrorShape }

/** The part of a `MessagePort` that a connection uses. */
export interface PortLike {
  postMessage(message: unknown): void
  start(): void
  close(): void
  addEventListener(type: string, listener: (event: MessageEvent) => void): void
}

export const isConnect = (value: unknown): value is { readonly version?: unknown } =>
  isJsonObject(value) && value['daybook'] === 'connect'

export const isLeave = (value: unknown): boolean => isJsonObject(value) && value['daybook'] === 'leave'

/** The bytes of a text, with quotes. A text beyond the limit counts by its length: it is too large anyway. */
const bytesOf = (text: string) => 2 + (text.length > maxMessageBytes ? text.length : utf8Length(text))

/**
 * Throws `too-large` for a message above the limit. A message may contain a value many times, or itself: each
 * occurrence counts, and counting ends at the limit.
 */
export function assertMessageSize(message: unknown): void {
  let budget = maxMessageBytes
  const open: unknown[] = [message]
  const count = (bytes: number) => {
    budget -= bytes
    if (budget < 0)
      throw new DaybookError('too-large', `The message is larger than ${maxMessageBytes} bytes.`, {
        details: { limitBytes: maxMessageBytes },
      })
  }
  while (open.length > 0) {
    const value = open.pop()
    count(typeof value === 'string' ? bytesOf(value) : 2)
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) count(value.byteLength)
    else if (Array.isArray(value)) {
      count(value.length)
      for (const one of value as unknown[]) open.push(one)
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, one] of Object.entries(value)) {
        count(bytesOf(name))
        open.push(one)
      }
    }
  }
}
