// Who may call what.
import type { AnyCapability } from '../../core/capability/capability.ts'
import type { Caller } from '../../core/capability/caller.ts'
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
