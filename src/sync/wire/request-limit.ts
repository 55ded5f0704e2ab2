// How much a device sends at once: what every mirror takes, or as much as its own mirror says in its answers.
// Invariant: what was refused once is not tried again until the mirror says something else.
import type { DaybookError } from '../../core/errors.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import type { Settings } from '../../store/schema/settings.ts'
import { type RequestLimits, type SyncRequest, type SyncResponse, wireLimits } from './protocol.ts'

const stated = 'mirror_limits'
const refused = 'refused_limits'
/** However much a mirror takes: ops of one request are numbered, and later answered, in one transaction here. */
const most: RequestLimits = { ops: 1000, requestBytes: 2_000_000 }

/** What one request of this device may have now. */
export function requestLimits(settings: Settings): RequestLimits {
  const [ops = 0, requestBytes = 0] = (settings.get(stated) ?? '').split(' ').map(Number)
  return {
    ops: Math.max(wireLimits.ops, Math.min(ops, most.ops)),
    requestBytes: Math.max(wireLimits.requestBytes, Math.min(requestBytes, most.requestBytes)),
  }
}

/** Notes what the mirror says it takes. */
export function noteLimits(settings: Settings, { limits }: SyncResponse): void {
  const said = limits && `${limits.ops} ${limits.requestBytes}`
  if (settings.get(stated) === said) return
  if (said === undefined) settings.remove(stated)
  else if (settings.get(refused) !== said) settings.set(stated, said)
}

/**
 * True when a mirror refused `request` for its size, and may take parts of it. Whatever stands before a mirror has a limit
 * of its own.
 */
export function isOverLimits({ code, details }: DaybookError, { ops }: SyncRequest): boolean {
  const isRefused =
    code === 'too-large' ||
    (code === 'invalid-input' && details['path'] === 'ops') ||
    (code === 'protocol-error' && details['status'] === 413)
  if (!isRefused || ops.length < 2) return false
  return ops.length > wireLimits.ops || utf8Length(JSON.stringify(ops)) > wireLimits.requestBytes
}

/** From now on only what every mirror takes. */
export function giveUpLimits(settings: Settings): void {
  const said = settings.get(stated)
  if (said === undefined) return
  settings.set(refused, said)
  settings.remove(stated)
}

/** Forgets what the last mirror said, for another one. */
export function forgetLimits(settings: Settings): void {
  settings.remove(stated)
  settings.remove(refused)
}
