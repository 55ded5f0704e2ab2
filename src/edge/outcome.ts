// Outcomes: answers of a mirror to its door, with errors as values. Between the two may be a boundary, such as RPC to a Durable
// Object, at which a thrown error loses its fields.
import { DaybookError, type ErrorShape, toDaybookError } from '../core/errors.ts'

export type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false
      readonly error: ErrorShape
      /** Stack of a fault of Daybook itself. For the log, never for a caller. */
      readonly trace?: string
    }

/** Runs `work`, and answers its value or its error. */
export async function toOutcome<Value>(work: () => Value | Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    const why = toDaybookError(error)
    const shape = why.toJSON()
    return why.code === 'internal'
      ? { ok: false, error: shape, trace: faultTrace(why) }
      : { ok: false, error: shape }
  }
}

/** The value of an outcome, or its error thrown. If the call itself fails, the mirror is gone. */
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

/** Causes deeper than this are ignored: they may form a circle. */
const depthLimit = 20
const frameLimit = 30

/**
 * The name and stack of the innermost cause of `error`. Invariant: no messages, because they may contain stored texts.
 */
export function faultTrace(error: unknown): string {
  let origin = error
  for (let depth = 0; depth < depthLimit; depth++) {
    const { cause } = origin instanceof Error ? origin : {}
    if (!(cause instanceof Error)) break
    origin = cause
  }
  if (!(origin instanceof Error)) return typeof origin
  if (origin instanceof FarFault) return origin.trace
  const frames = (origin.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return [plainName(origin.name), ...frames.slice(0, frameLimit)].join('\n')
}

/** `name` can be set to any value. */
const plainName = (name: unknown) => (typeof name === 'string' && /^\w{1,60}$/.test(name) ? name : 'Error')

/** An error that was thrown on the other side of a boundary. */
class FarFault extends Error {
  readonly trace: string

  constructor(trace: string) {
    super('It was thrown on the other side.')
    this.trace = trace
  }
}
