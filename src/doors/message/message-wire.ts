// What two windows say to each other over `postMessage`. The first message carries a port, by which all others go.
import { DaybookError, type ErrorShape } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'

export const messageVersion = 1
/** Most bytes of a message, about: characters of its texts and a few for everything else. */
export const messageLimitBytes = 1_000_000
/** Most calls of one connection that have no answer yet. */
export const mostCalls = 64

/** Asks for a book; the port that comes with it is the connection. */
export interface Connect {
  readonly daybook: 'connect'
  readonly version: number
}

/** The first message that comes back by the port, and the last one. */
export type Welcome =
  | { readonly daybook: 'connected'; readonly version: number }
  | { readonly daybook: 'refused'; readonly error: ErrorShape }
  | { readonly daybook: 'closed'; readonly error: ErrorShape }

/** The last message of whoever connected. Not every browser tells that a port was closed. */
export interface Leave {
  readonly daybook: 'leave'
}

export interface CallRequest {
  /** Names the call in its connection. */
  readonly id: string
  readonly capability: string
  readonly input?: unknown
  /** Makes a write safe to send again. */
  readonly requestId?: string
  /** What the call is for, for the log of access. */
  readonly purpose?: string
  readonly receipt?: string
}

export interface CancelRequest {
  readonly cancel: string
}

export type CallAnswer =
  | { readonly id: string; readonly ok: true; readonly answer: unknown }
  | { readonly id: string | null; readonly ok: false; readonly error: ErrorShape }

/** As much of a `MessagePort` as both sides use. */
export interface PortLike {
  postMessage(message: unknown): void
  start(): void
  close(): void
  addEventListener(type: string, listener: (event: MessageEvent) => void): void
}

export const isConnect = (value: unknown): value is { readonly version?: unknown } =>
  isJsonObject(value) && value['daybook'] === 'connect'

export const isLeave = (value: unknown): boolean => isJsonObject(value) && value['daybook'] === 'leave'

/**
 * Throws `too-large` for more than a message may be. What came over a port may hold one part many times, and itself: what is
 * counted is what it would be as text, and the count stops at the limit.
 */
export function checkSize(message: unknown): void {
  let left = messageLimitBytes
  const open: unknown[] = [message]
  const spend = (bytes: number) => {
    left -= bytes
    if (left < 0)
      throw new DaybookError('too-large', `The message is larger than ${messageLimitBytes} bytes.`, {
        details: { limitBytes: messageLimitBytes },
      })
  }
  while (open.length > 0) {
    const value = open.pop()
    spend(typeof value === 'string' ? value.length + 2 : 2)
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) spend(value.byteLength)
    else if (Array.isArray(value)) {
      spend(value.length)
      for (const one of value as unknown[]) open.push(one)
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, one] of Object.entries(value)) {
        spend(name.length)
        open.push(one)
      }
    }
  }
}
