// Where a capability runs, against where this engine is. Invariant: what can't do its work here is refused before anything of
// it is begun, with the place where it can; nothing is answered as if it had been done.
import type { AnyCapability, VerbPlace } from '../../core/capability/capability.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Role } from '../../store/record/mirror-places.ts'

/** This copy of the book. */
export interface Place {
  readonly role: Role
  /** Whether private keys of the book are kept here: to seal, or to sign. */
  hasKeys(): Promise<boolean>
}

const wayOut: Readonly<Record<Exclude<VerbPlace, 'anywhere'>, string>> = {
  device: 'on a device of the book’s owner, and this is its mirror',
  mirror: 'at the mirror of the book, and this is a device',
  keys: 'where the private keys of the book are kept: on a device of its owner. None are here',
}

/** Throws `runs-elsewhere` unless `capability` runs at `place`. */
export async function checkRunsHere(
  { id, runs = 'anywhere' }: Pick<AnyCapability, 'id' | 'runs'>,
  place: Place,
): Promise<void> {
  if (runs === 'anywhere' || runs === place.role) return
  if (runs === 'keys' && (await place.hasKeys())) return
  throw new DaybookError('runs-elsewhere', `\`${id}\` runs ${wayOut[runs]}.`, {
    details: { path: 'capability', runs, here: place.role },
  })
}
