// Where a fault of Daybook itself came from, for the log of whoever runs it.
// Invariant: a trace has names of errors and places in code. Messages may repeat what somebody stored, and are left out.

/** Causes further down are not looked for: who made a circle of them must not keep this. */
const depthLimit = 20
const frameLimit = 30

/** The error that `error` was made from, over all that rethrew it, and where it was thrown. */
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

/** A name can be set to anything. */
const plainName = (name: unknown) => (typeof name === 'string' && /^\w{1,60}$/.test(name) ? name : 'Error')

/** Stands for an error that was thrown on the other side of a boundary. */
export class FarFault extends Error {
  readonly trace: string

  constructor(trace: string) {
    super('It was thrown on the other side.')
    this.trace = trace
  }
}
