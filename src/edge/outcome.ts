// Outcomes: answers of a mirror to its door, with errors as values. A boundary between the two, such as RPC to a
// Durable Object, would remove the fields of a thrown error.
import { DaybookError, type ErrorShape, toDaybookError } from '../core/errors.ts'

export type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false
      readonly error: ErrorShape
      /** Name and stack of an `internal` error. For the log only, never for a caller. */
      readonly trace?: string
    }

/** Runs `work`, and returns its result or its error as an outcome. */
export async function toOutcome<Value>(work: () => Value | Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    const fault = toDaybookError(error)
    const shape = fault.toJSON()
    return fault.code === 'internal'
      ? { ok: false, error: shape, trace: faultTrace(fault) }
      : { ok: false, error: shape }
  }
}

/** Returns the value of an outcome, or throws its error. A rejected `call` throws `rate-limited` or `engine-died`. */
export async function fromOutcome<Value>(call: Promise<Outcome<Value>>): Promise<Value> {
  const outcome = await call.catch((cause: unknown) => {
    // Cloudflare sets this property if a Durable Object has too many requests.
    const overloaded =
      typeof cause === 'object' && cause !== null && 'overloaded' in cause && cause.overloaded === true
    throw new DaybookError(overloaded ? 'rate-limited' : 'engine-died', undefined, { cause })
  })
  if (outcome.ok) return outcome.value
  const error = DaybookError.from(outcome.error)
  if (outcome.trace !== undefined) error.cause = new RemoteFault(outcome.trace)
  throw error
}

/** Maximum depth of causes. Causes may form a circle. */
const maxCauseDepth = 20
const maxStackFrames = 30

/**
 * Returns the name and stack of the innermost cause of `error`.
 *
 * Invariant: no message is included, because it may contain stored text.
 */
export function faultTrace(error: unknown): string {
  let origin = error
  for (let depth = 0; depth < maxCauseDepth; depth++) {
    const { cause } = origin instanceof Error ? origin : {}
    if (!(cause instanceof Error)) break
    origin = cause
  }
  if (!(origin instanceof Error)) return typeof origin
  if (origin instanceof RemoteFault) return origin.trace
  // A stack begins with name and message; a line of a message may look like a frame.
  const stack = (origin.stack ?? '').replace(origin.message, '')
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  return [plainName(origin.name), ...frames.slice(0, maxStackFrames)].join('\n')
}

/** Returns `name` if it is a plain word, because code can set it to any value. */
const plainName = (name: unknown) => (typeof name === 'string' && /^\w{1,60}$/.test(name) ? name : 'Error')

/** An error of the mirror, on the door's side of a boundary. */
class RemoteFault extends Error {
  readonly trace: string

  constructor(trace: string) {
    super('It was thrown on the other side.')
    this.trace = trace
  }
}
