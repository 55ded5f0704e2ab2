// Who may call what, and whose answers are whose: the checks of the one door that depend on the caller.
import type { AnyCapability, Caller } from '../../core/capability/capability.ts'
import { DaybookError } from '../../core/errors.ts'
import { permits } from '../../core/access/permission.ts'
import { seesAll } from '../../core/access/reach.ts'

/** A guest may call what its token permits, and sync only when it may see everything. Anything else is `forbidden`. */
export function authorise(caller: Caller, capability: AnyCapability): void {
  if (caller.role === 'owner') return
  const isWhole = capability.permission !== 'sync' || seesAll(caller.reach)
  if (permits(caller.permissions, capability) && isWhole) return
  throw new DaybookError('forbidden', `The token does not permit \`${capability.id}\`.`, {
    details: { path: 'capability' },
  })
}

/**
 * Under which key an answer is kept. Answers belong to who asked: `asked` is never the same for two callers, so that even
 * a key of one that reads like another's gives nothing away.
 */
export function requestName(requestId: string, caller: Caller, id: string) {
  if (caller.role === 'owner') return { key: requestId, asked: id }
  return { key: JSON.stringify([caller.token, requestId]), asked: `${id} as ${caller.token}` }
}
