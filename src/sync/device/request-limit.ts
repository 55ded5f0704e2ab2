// Limits of a device's requests: those that every mirror supports, or those that its mirror stated in an answer; less
// on a slow connection.
// Invariant: the device doesn't try refused limits again until the mirror states other limits.
import type { DaybookError } from '../../core/errors.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { Settings } from '../../store/schema/settings.ts'
import {
  mirrorLimits,
  type RequestLimits,
  type SyncRequest,
  type SyncResponse,
  wireLimits,
} from '../wire/protocol.ts'

/** Settings: the limits that the mirror stated, and those that it refused, as `ops requestBytes opBytes`. */
const statedKey = 'mirror_limits'
const refusedKey = 'refused_limits'
/** Upper bound for any mirror, because one transaction numbers and settles all ops of a request. */
const maxLimits: RequestLimits = mirrorLimits
/** Setting: the most bytes of ops, and of changes, of one exchange, since one got no answer in time. */
const slowKey = 'slow_bytes'
const minSlowBytes = 16_000
/** After an answer within this time, a quarter of a request's deadline, the next exchange may be twice as large. */
const quickMs = 15_000

/** Returns the current limits of a request. */
export function requestLimits(settings: Settings): RequestLimits {
  const [ops = 0, requestBytes = 0, opBytes = 0] = (settings.get(statedKey) ?? '').split(' ').map(Number)
  return {
    ops: Math.max(wireLimits.ops, Math.min(ops, maxLimits.ops)),
    requestBytes: Math.min(
      slowBytes(settings),
      Math.max(wireLimits.requestBytes, Math.min(requestBytes, maxLimits.requestBytes)),
    ),
    opBytes: Math.max(wireLimits.opBytes, Math.min(opBytes, maxLimits.opBytes)),
  }
}

/** The most bytes of ops, and of changes, of one exchange. Infinity unless the connection was slow. */
export function slowBytes(settings: Settings): number {
  return settings.getNumber(slowKey) || Infinity
}

const sizeOf = (list: readonly unknown[]) => utf8Length(JSON.stringify(list))

/** Halves the size of the next exchange, because `request` got no answer in time. */
export function sendLess(settings: Settings, { ops, pull }: SyncRequest): void {
  const bytes = Math.min(slowBytes(settings), Math.max(sizeOf(ops), pull.maxBytes))
  settings.set(slowKey, Math.max(minSlowBytes, Math.floor(bytes / 2)))
}

/** Doubles the size of the next exchange if a full one took a short time, `tookMs`. */
export function sendMore(
  settings: Settings,
  { ops }: SyncRequest,
  { changes }: SyncResponse,
  tookMs: number,
): void {
  const bytes = slowBytes(settings)
  if (tookMs > quickMs || bytes === Infinity || Math.max(sizeOf(ops), sizeOf(changes)) < bytes / 2) return
  if (bytes < maxLimits.requestBytes) settings.set(slowKey, bytes * 2)
  else settings.remove(slowKey)
}

/**
 * Stores the limits that the mirror stated, unless it refused them before. True: it takes larger ops than before, so it
 * may take those that were refused.
 */
export function storeLimits(settings: Settings, { limits }: SyncResponse): boolean {
  const text = limits && [limits.ops, limits.requestBytes, limits.opBytes].join(' ').trimEnd()
  if (settings.get(statedKey) === text) return false
  const before = requestLimits(settings).opBytes
  if (text === undefined) settings.remove(statedKey)
  else if (settings.get(refusedKey) !== text) settings.set(statedKey, text)
  return requestLimits(settings).opBytes > before
}

/** True if the size of `request` was refused, by a mirror or a server before it, and smaller requests may succeed. */
export function isOverLimits({ code, details }: DaybookError, { ops }: SyncRequest): boolean {
  const isRefused =
    code === 'too-large' ||
    (code === 'invalid-input' && details['path'] === 'ops') ||
    (code === 'protocol-error' && details['status'] === 413)
  if (!isRefused) return false
  return ops.length > wireLimits.ops || sizeOf(ops) > wireLimits.requestBytes
}

/**
 * Falls back to the limits that every mirror supports, after a request was refused for its size. If it was one large
 * op, the op is unsent again, and then refused here: else it would stop all others.
 */
export function fallBackToMinimum({ settings, ops }: Pick<BookStore, 'settings' | 'ops'>): void {
  const limits = settings.get(statedKey)
  if (limits === undefined) return
  settings.set(refusedKey, limits)
  settings.remove(statedKey)
  if (ops.sentOps().some(({ wire }) => utf8Length(wire) > wireLimits.opBytes))
    ops.makeUnsentAbove(ops.lastAcknowledgedMid())
}

/** Removes the limits of the former mirror. */
export function removeLimits(settings: Settings): void {
  settings.remove(statedKey)
  settings.remove(refusedKey)
}
