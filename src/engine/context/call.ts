// One call as the engine handles it: its caller, capability and time, and the view that the caller has of the book.
import type { CallWay } from '../../core/access/governed.ts'
import type { ActivityNote } from '../../core/capability/activity.ts'
import type { Caller } from '../../core/capability/caller.ts'
import type { AnyCapability } from '../../core/capability/capability.ts'
import type { CallPort } from '../../core/capability/context.ts'
import type { Scope } from '../../core/record.ts'
import type { Recall } from '../../recall/recall.ts'
import type { CallingTab, CallOptions } from '../engine-shape.ts'
import type { AccessTrail } from '../service/access-audit.ts'
import type { RecordAccess } from './record-access.ts'

/** A caller, what it sees, and the default scope of what it stores. */
export interface CallView {
  readonly caller: Caller
  readonly tab: CallingTab
  readonly scope: Scope
  readonly access: RecordAccess
  /** Recall over the records that the caller sees. */
  recall(): Recall
}

export interface Call {
  readonly capability: AnyCapability
  /** Before parsing. */
  readonly input: unknown
  readonly requestId: string | undefined
  /** Ids of the records it decides about; see `decides` of a capability. */
  readonly decided?: readonly string[]
  readonly view: CallView
  /** The network it came over, if any. */
  readonly way: CallWay
  /** Notes changes for the access log. */
  readonly trail: AccessTrail
  /** The part that the capability gets. */
  readonly port: CallPort
  /** The capability's note for the activity log. */
  readonly activity: { note?: ActivityNote }
}

/** True if the owner's side calls in the name of an agent, as through a handle with `agent`. Queued tasks never do. */
export function namesAgent({ scope, attempt }: Pick<CallOptions, 'scope' | 'attempt'>): boolean {
  return scope?.agent !== undefined && attempt === undefined
}

/**
 * The key under which the answer to a request is cached. `asked` differs for any two callers, so that a guessed key of another
 * caller reveals nothing.
 */
export function requestName(requestId: string, caller: Caller, id: string) {
  if (caller.role === 'owner') return { key: requestId, asked: id }
  return { key: JSON.stringify([caller.token, requestId]), asked: `${id} as ${caller.token}` }
}
