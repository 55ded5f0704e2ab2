// What must be known of a capability by whoever may have to send a call of it twice.
import type { AnyCapability, CapabilityEffect } from '../core/capability/capability.ts'
import { capabilityTable } from './capability-table.ts'

export interface CallNature {
  readonly effect: CapabilityEffect
  /** A task that may be run again from its start; reads and writes always may. */
  readonly repeatable: boolean
}

const natures: ReadonlyMap<string, CallNature> = new Map(
  capabilityTable
    .map((one): AnyCapability => one)
    .map(({ id, effect, repeatable = false }) => [id, { effect, repeatable }]),
)
/** A call of something that is not in the table only finds out that it is not. */
const unknown: CallNature = { effect: 'read', repeatable: true }

export const natureOf = (id: string): CallNature => natures.get(id) ?? unknown
