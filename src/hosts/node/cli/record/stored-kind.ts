// The kinds of record that the command line stores, each by the name that people say.
import { UsageError } from '../usage-error.ts'

export const storedKinds = ['trace', 'perception', 'fact', 'skill'] as const
export type StoredKind = (typeof storedKinds)[number]

/** `trace`, also said `traces`. */
export function nameOfKind(given: string): StoredKind {
  const kind = storedKinds.find((name) => given === name || given === `${name}s`)
  if (kind) return kind
  throw new UsageError(`store takes a kind first: ${storedKinds.join(', ')}`)
}
