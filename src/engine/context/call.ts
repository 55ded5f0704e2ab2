// One call inside the engine: its capability, input, caller and time, and the caller's view of the book.
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

/** A caller, the records that it sees, and the default scope of the records that it stores. */
export interface CallView {
  readonly caller: Caller
  /** The calling tab; the engine's own tab for calls from other places. */
  readonly tab: CallingTab
  readonly scope: Scope
  readonly access: RecordAccess
  /** Recall over the records that the caller sees. */
  recall(): Recall
}

export interface Call {
  readonly capability: AnyCapability
  /** The input before the capability's schema parses it. */
  readonly input: unknown
  readonly requestId: string | undefined
  /** True once the call has begun a transaction. From then on, an abort refuses none: a task removes its own traces. */
  hasBegun?: boolean
  /** Called when a transaction of the call begins. */
  readonly onBegin?: (() => void) | undefined
  /** Ids of the records that the call decides about. Unset: the capability has no `decides`. */
  readonly decided?: readonly string[]
  readonly view: CallView
  /** `here`: the call came over no network; else the protocol of the network. */
  readonly way: CallWay
  /** Makes the call's entry in the access log. */
  readonly trail: AccessTrail
  /** The part of the call that the capability gets as `at.call`. */
  readonly port: CallPort
  /** The capability's note for the activity log. */
  readonly activity: { note?: ActivityNote }
}

/**
 * True if the scope names an agent, as in a call through a handle with `agent`. Always false for a queued task. The
 * caller's role is not checked here.
 */
export function namesAgent({ scope, attempt }: Pick<CallOptions, 'scope' | 'attempt'>): boolean {
  return scope?.agent !== undefined && attempt === undefined
}

/**
 * `key`: the key of the stored answer of a request. `capabilityKey`: the capability and, for a guest, its token; the
 * request log compares it with the stored `capability`, so a guessed key of another caller reveals no answer.
 */
export function requestName(requestId: string, caller: Caller, id: string) {
  if (caller.role === 'owner') return { key: requestId, capabilityKey: id }
  return { key: JSON.stringify([caller.token, requestId]), capabilityKey: `${id} as ${caller.token}` }
}
