// What a mirror answers to its door. A host may keep the two apart, and an error that is thrown from one to the other loses its
// fields on the way (as over RPC to a Durable Object), so errors are values.
import { DaybookError, type ErrorShape, toDaybookError } from '../core/errors.ts'

export type Outcome<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: ErrorShape }

/** Runs `work` and answers what came of it, either way. */
export async function toOutcome<Value>(work: () => Value | Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    return { ok: false, error: toDaybookError(error).toJSON() }
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
  throw DaybookError.from(outcome.error)
}
