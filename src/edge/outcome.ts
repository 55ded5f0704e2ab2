// What a mirror answers to its door. A host may keep the two apart, and an error that is thrown from one to the other loses its
// fields on the way (as over RPC to a Durable Object), so errors are values.
import { FarFault, faultTrace } from './fault-trace.ts'
import { DaybookError, type ErrorShape, toDaybookError } from '../core/errors.ts'

export type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false
      readonly error: ErrorShape
      /** Of a fault of Daybook itself: where it was thrown. For the log alone, never for a caller. */
      readonly trace?: string
    }

/** Runs `work` and answers what came of it, either way. */
export async function toOutcome<Value>(work: () => Value | Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    const known = toDaybookError(error)
    const shape = known.toJSON()
    return known.code === 'internal'
      ? { ok: false, error: shape, trace: faultTrace(known) }
      : { ok: false, error: shape }
  }
}

/** The value of an outcome, or its error thrown. A call that failed by itself means that the mirror is gone. */
export async function fromOutcome<Value>(call: Promise<Outcome<Value>>): Promise<Value> {
  const outcome = await call.catch((cause: unknown) => {
    const overloaded =
      typeof cause === 'object' && cause !== null && 'overloaded' in cause && cause.overloaded === true
    throw new DaybookError(overloaded ? 'rate-limited' : 'engine-died', undefined, { cause })
  })
  if (outcome.ok) return outcome.value
  const error = DaybookError.from(outcome.error)
  if (outcome.trace !== undefined) error.cause = new FarFault(outcome.trace)
  throw error
}
