// The scope that a caller gave with a record, apart from its body.
import type { Scope } from '../../core/record.ts'
import type { Sensitivity } from '../../core/sealed.ts'

interface Scoped {
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly resource?: string | undefined
  readonly sensitivity?: Sensitivity | undefined
}

/** `input` as its scope, without what was not given, and all the rest. */
export function splitScope<Input extends Scoped>(
  input: Input,
): { scope: Partial<Scope> & { sensitivity?: Sensitivity }; rest: Omit<Input, keyof Scoped> } {
  const { agent, session, resource, sensitivity, ...rest } = input
  const scope = {
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
    ...(resource === undefined ? {} : { resource }),
    ...(sensitivity === undefined ? {} : { sensitivity }),
  }
  return { scope, rest }
}
