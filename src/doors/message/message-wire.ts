// Messages between two windows over `postMessage`. The first one brings a port for all others.
import { DaybookError, type ErrorShape } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'

export const messageVersion = 1
/** Approximate limit of a message, in bytes: characters of its texts, plus a few for everything else. */
export const messageLimitBytes = 1_000_000
/** Maximum unanswered calls of a connection. */
export const mostCalls = 64

/** Requests a connection; the port beside it is the connection. */
export interface Connect {
  readonly daybook: 'connect'
  readonly version: number
}

/** The first answer on the port, and the last one. */
export type Welcome =
  | { readonly daybook: 'connected'; readonly version: number }
  | { readonly daybook: 'refused'; readonly error: ErrorShape }
  | { readonly daybook: 'closed'; readonly error: ErrorShape }

/** The last message of the connecting side. Not every browser reports a closed port. */
export interface Leave {
  readonly daybook: 'leave'
}

export interface CallRequest {
  /** Unique in its connection. */
  readonly id: string
  readonly capability: string
  readonly input?: unknown
  /** Makes a write safe to retry. */
  readonly requestId?: string
  /** The purpose, for the access log. */
  readonly purpose?: string
  readonly receipt?: string
}

export interface CancelRequest {
  readonly cancel: string
}

export type CallAnswer =
  | { readonly id: string; readonly ok: true; readonly answer: unknown }
  | { readonly id: string | null; readonly ok: false; readonly error: ErrorShape }

/** The needed part of a `MessagePort`. */
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
 * Throws `too-large` for a message over the limit. A message may contain a part many times, or itself: counts its size as text, up to
 * the limit.
 */
export function checkSize(message: unknown): void {
  let budget = messageLimitBytes
  const open: unknown[] = [message]
  const spend = (bytes: number) => {
    budget -= bytes
    if (budget < 0)
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
