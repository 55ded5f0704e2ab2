// Limits of a device's requests: those that every mirror supports, or those that its own mirror stated in an answer.
// Invariant: refused limits are not tried again until the mirror states other ones.
import type { DaybookError } from '../../core/errors.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import type { Settings } from '../../store/schema/settings.ts'
import { type RequestLimits, type SyncRequest, type SyncResponse, wireLimits } from '../wire/protocol.ts'

const stated = 'mirror_limits'
const refused = 'refused_limits'
/** Upper bound for any mirror: the device numbers and settles all ops of a request in one transaction. */
const most: RequestLimits = { ops: 1000, requestBytes: 2_000_000 }

/** Current limits of a request. */
export function requestLimits(settings: Settings): RequestLimits {
  const [ops = 0, requestBytes = 0] = (settings.get(stated) ?? '').split(' ').map(Number)
  return {
    ops: Math.max(wireLimits.ops, Math.min(ops, most.ops)),
    requestBytes: Math.max(wireLimits.requestBytes, Math.min(requestBytes, most.requestBytes)),
  }
}

/** Stores the limits that the mirror stated. */
export function noteLimits(settings: Settings, { limits }: SyncResponse): void {
  const text = limits && `${limits.ops} ${limits.requestBytes}`
  if (settings.get(stated) === text) return
  if (text === undefined) settings.remove(stated)
  else if (settings.get(refused) !== text) settings.set(stated, text)
}

/**
 * True when a mirror, or a server in front of it, refused `request` for its size and may take it in parts.
 */
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

/** Forgets the limits of the last mirror. */
export function forgetLimits(settings: Settings): void {
  settings.remove(stated)
  settings.remove(refused)
}
