// Checks, before a call, the rights of the caller, and whether the verb runs at this copy of the book.
// Invariant: a call that fails a check runs no verb.
import { permits } from '../../core/access/permission.ts'
import { seesAll } from '../../core/access/reach.ts'
import type { Caller } from '../../core/capability/caller.ts'
import type { AnyCapability, VerbPlace } from '../../core/capability/capability.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Role } from '../../store/record/mirror-places.ts'
import { namesAgent } from '../context/call.ts'
import type { CallOptions } from '../engine-shape.ts'
import { isWithoutConsent } from '../service/consent-gate.ts'

/** Throws `forbidden` unless a guest's token permits the verb. A guest may sync only if it sees the whole book. */
export function authorise(caller: Caller, capability: AnyCapability): void {
  if (caller.role === 'owner') return
  const hasFullReach = capability.permission !== 'sync' || seesAll(caller.reach)
  if (permits(caller.permissions, capability) && hasFullReach) return
  throw new DaybookError('forbidden', `The token does not permit \`${capability.id}\`.`, {
    details: { path: 'capability' },
  })
}

/**
 * Throws `forbidden` if an agent on its owner's book calls a verb, other than a read, that is closed to guests or
 * passes on rights.
 */
export function checkDecides(caller: Caller, capability: AnyCapability, options: CallOptions): void {
  const { id, permission, effect, forAgents } = capability
  const isOpen =
    (permission !== undefined && permission !== 'delegation') || effect === 'read' || forAgents === true
  if (caller.role !== 'owner' || isOpen || !namesAgent(options)) return
  throw new DaybookError(
    'forbidden',
    `\`${id}\` is for the owner alone, and \`${options.scope?.agent ?? ''}\` is an agent: call it on the book, or on a handle without \`agent\`.`,
    { details: { path: 'capability', reason: 'proposer' } },
  )
}

/**
 * Throws `consent-required` if policies take the right to the verb away from a guest, or if the verb needs consent
 * and the guest may read no memory.
 */
export function checkConsent(caller: Caller, capability: AnyCapability): void {
  if (caller.role === 'owner') return
  const isPermitted = permits(caller.permissions, capability)
  if (isPermitted && !(capability.needsConsent && isWithoutConsent(caller))) return
  throw new DaybookError('consent-required', undefined, { details: { path: 'capability' } })
}

/** This copy of the book. */
export interface Place {
  readonly role: Role
  /** True if private keys of the book are here: to seal, or to sign. */
  hasKeys(): Promise<boolean>
}

/** The end of the error: the place where the verb runs. */
const placeTexts: Readonly<Record<Exclude<VerbPlace, 'anywhere'>, string>> = {
  device: 'on a device of the book’s owner, and this is its mirror',
  mirror: 'at the mirror of the book, and this is a device',
  keys: 'where the private keys of the book are kept: on a device of its owner. None are here',
}

/** Throws `runs-elsewhere` unless `capability` runs at `place`. */
export async function checkRunsHere(
  { id, runs = 'anywhere' }: Pick<AnyCapability, 'id' | 'runs'>,
  place: Place,
): Promise<void> {
  if (runs === 'anywhere' || runs === place.role) return
  if (runs === 'keys' && (await place.hasKeys())) return
  throw new DaybookError('runs-elsewhere', `\`${id}\` runs ${placeTexts[runs]}.`, {
    details: { path: 'capability', runs, here: place.role },
  })
}
