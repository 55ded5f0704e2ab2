// Who may call what.
import type { AnyCapability } from '../../core/capability/capability.ts'
import type { Caller } from '../../core/capability/caller.ts'
import { DaybookError } from '../../core/errors.ts'
import { permits } from '../../core/access/permission.ts'
import { seesAll } from '../../core/access/reach.ts'
import { namesAgent } from '../context/names-agent.ts'
import type { CallOptions } from '../engine-shape.ts'
import { isWithoutConsent } from '../service/consent-gate.ts'

/** A guest may call what its token permits, and sync only when it may see everything. Anything else is `forbidden`. */
export function authorise(caller: Caller, capability: AnyCapability): void {
  if (caller.role === 'owner') return
  const isWhole = capability.permission !== 'sync' || seesAll(caller.reach)
  if (permits(caller.permissions, capability) && isWhole) return
  throw new DaybookError('forbidden', `The token does not permit \`${capability.id}\`.`, {
    details: { path: 'capability' },
  })
}

/** An agent proposes, also where it has its owner's book: what no guest may call, and what gives or takes rights, is for the owner's own handle. */
export function checkDecides(caller: Caller, capability: AnyCapability, options: CallOptions): void {
  const { id, permission, effect, forAgents } = capability
  // Whoever passes on rights decides who may do what.
  const isOpen =
    (permission !== undefined && permission !== 'delegation') || effect === 'read' || forAgents === true
  if (caller.role !== 'owner' || isOpen || !namesAgent(options)) return
  throw new DaybookError(
    'forbidden',
    `\`${id}\` is for the owner alone, and \`${options.scope?.agent ?? ''}\` is an agent: call it on the book, or on a handle without \`agent\`.`,
    { details: { path: 'capability', reason: 'proposer' } },
  )
}

/** What policies leave of a guest’s rights; a verb that is about memories alone is nothing for one whom none of them lets read any. */
export function checkConsent(caller: Caller, capability: AnyCapability): void {
  if (caller.role === 'owner') return
  // What its key permits, policies may have taken away.
  const isLeft = permits(caller.permissions, capability)
  if (isLeft && !(capability.needsConsent && isWithoutConsent(caller))) return
  throw new DaybookError('consent-required', undefined, { details: { path: 'capability' } })
}
