// Limits of a device's requests: those that every mirror supports, or those that its mirror stated in an answer.
// Invariant: the device doesn't try refused limits again until the mirror states other limits.
import type { DaybookError } from '../../core/errors.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import type { Settings } from '../../store/schema/settings.ts'
import { type RequestLimits, type SyncRequest, type SyncResponse, wireLimits } from '../wire/protocol.ts'

const stated = 'mirror_limits'
const refused = 'refused_limits'
/** Upper bound for any mirror, because one transaction numbers and settles all ops of a request. */
const most: RequestLimits = { ops: 1000, requestBytes: 2_000_000 }

/** Returns the current limits of a request. */
export function requestLimits(settings: Settings): RequestLimits {
  const [ops = 0, requestBytes = 0] = (settings.get(stated) ?? '').split(' ').map(Number)
  return {
    ops: Math.max(wireLimits.ops, Math.min(ops, most.ops)),
    requestBytes: Math.max(wireLimits.requestBytes, Math.min(requestBytes, most.requestBytes)),
  }
}

/** Stores the limits that the mirror stated, unless it refused them before. */
export function noteLimits(settings: Settings, { limits }: SyncResponse): void {
  const text = limits && `${limits.ops} ${limits.requestBytes}`
  if (settings.get(stated) === text) return
  if (text === undefined) settings.remove(stated)
  else if (settings.get(refused) !== text) settings.set(stated, text)
}

/** True if the size of `request` was refused, by a mirror or a server before it, and smaller requests may succeed. */
export function isOverLimits({ code, details }: DaybookError, { ops }: SyncRequest): boolean {
  const isRefused =
    code === 'too-large' ||
    (code === 'invalid-input' && details['path'] === 'ops') ||
    (code === 'protocol-error' && details['status'] === 413)
  if (!isRefused || ops.length < 2) return false
  return ops.length > wireLimits.ops || utf8Length(JSON.stringify(ops)) > wireLimits.requestBytes
}

/** Falls back to the limits that every mirror supports. */
export function giveUpLimits(settings: Settings): void {
  const limits = settings.get(stated)
  if (limits === undefined) return
  settings.set(refused, limits)
  settings.remove(stated)
}

/** Removes the limits of the former mirror. */
export function forgetLimits(settings: Settings): void {
  settings.remove(stated)
  settings.remove(refused)
}
