// One call as the engine handles it: who makes it, of what, when, and what the caller gets to see.
import type { ActivityNote } from '../../core/capability/activity.ts'
import type { AnyCapability } from '../../core/capability/capability.ts'
import type { Way } from '../../core/access/policy-decision.ts'
import type { Caller } from '../../core/capability/caller.ts'
import type { CallPort } from '../../core/capability/context.ts'
import type { Scope } from '../../core/record.ts'
import type { Recall } from '../../recall/recall.ts'
import type { CallingTab } from '../engine-shape.ts'
import type { AccessTrail } from '../service/access-audit.ts'
import type { RecordAccess } from './record-access.ts'

/** Who calls, what they see, and the default scope of what they store. */
export interface CallView {
  readonly caller: Caller
  readonly tab: CallingTab
  readonly scope: Scope
  readonly access: RecordAccess
  /** Recall over what the caller sees. */
  recall(): Recall
}

export interface Call {
  readonly capability: AnyCapability
  /** As it was given. */
  readonly input: unknown
  readonly requestId: string | undefined
  /** The ids of records that it decides about, see `decides` of a capability. */
  readonly decided?: readonly string[]
  readonly view: CallView
  /** How it came. */
  readonly way: Way
  /** Hears of what it changes. */
  readonly trail: AccessTrail
  /** What the capability gets of it. */
  readonly port: CallPort
  /** What activity is to keep of it. */
  readonly kept: { note?: ActivityNote }
}
