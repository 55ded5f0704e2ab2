// A book that this process owns, and the check of its passphrase.
import { DaybookError } from '../../../core/errors.ts'
import type { Engine } from '../../../engine/engine.ts'
import type { Durability } from '../../../core/record.ts'

export interface OwnedBook {
  readonly engine: Engine
  readonly durability: Durability
  /** Identifies its file; undefined if the file is gone. */
  fileId(): string | undefined
  /** Makes each commit wait for the disk: some process asked for it. */
  makeStrict(): void
}

/**
 * While keys that a passphrase opened are open, only callers with that passphrase are let in. Throws `locked` without
 * one, `wrong-passphrase` for another. A passphrase also unlocks a locked book, for every process that has joined: the
 * owner's programs may read everything while the book is unlocked (docs/threat-model.md).
 */
export async function checkPassphrase({ engine }: OwnedBook, passphrase: string | undefined): Promise<void> {
  if (passphrase !== undefined) {
    await engine.call('seal:unlock', { passphrase })
    return
  }
  // `open`: the keys are unlocked. `guard`: a passphrase or a key of the device protects them.
  const { state, guard } = (await engine.call('seal:status', {})) as { state: string; guard?: string }
  if (state === 'open' && guard === 'passphrase')
    throw new DaybookError(
      'locked',
      'The process that owns this book opened it with a passphrase: give the same passphrase.',
    )
}
