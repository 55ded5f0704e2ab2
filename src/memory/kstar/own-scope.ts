// The scope that a caller gave with a record, apart from its body.
import type { Scope } from '../../core/record.ts'

interface Scoped {
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly resource?: string | undefined
}

/** `input` as its scope, without what was not given, and all the rest. */
export function splitScope<Input extends Scoped>(
  input: Input,
): { scope: Partial<Scope>; rest: Omit<Input, keyof Scoped> } {
  const { agent, session, resource, ...rest } = input
  const scope = {
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
    ...(resource === undefined ? {} : { resource }),
  }
  return { scope, rest }
}
