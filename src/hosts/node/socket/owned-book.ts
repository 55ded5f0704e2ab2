// A book that this process owns, and the check of its passphrase.
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { isOldPassphrase } from '../../../book/share/opening-passphrase.ts'
import { isLockedByCall } from '../../../core/sealed.ts'
import type { Engine } from '../../../engine/engine.ts'
import type { Durability } from '../../../core/record.ts'

export interface OwnedBook {
  readonly engine: Engine
  readonly durability: Durability
  /** The path of its file. */
  readonly path: string
  /** Identifies its file; undefined if the file is gone. */
  fileId(): string | undefined
  /** Makes each commit wait for the disk: some process asked for it. */
  makeStrict(): void
}

/**
 * While keys that a passphrase opened are open, only callers with that passphrase are let in. Throws `locked` without
 * one, `wrong-passphrase` for another. A passphrase also unlocks a locked book, for every process that has joined: the
 * owner's programs may read everything while the book is unlocked (docs/threat-model.md). `isBack`: an earlier owner
 * served the caller; then the passphrase may be an old one, and doesn't undo `seal.lock`.
 */
export async function checkPassphrase(
  { engine }: OwnedBook,
  passphrase: string | undefined,
  isBack = false,
): Promise<void> {
  if (passphrase !== undefined && (await unlock(engine, passphrase, isBack))) return
  // `open`: the keys are unlocked. `guard`: a passphrase or a key of the device protects them.
  const { state, guard } = (await engine.call('seal:status', {})) as { state: string; guard?: string }
  if (state === 'open' && guard === 'passphrase')
    throw new DaybookError(
      'locked',
      'The process that owns this book opened it with a passphrase: give the same passphrase.',
    )
}

/**
 * Opens the keys with the passphrase that a process gave at its opening. `isBack`: it had the book open before this owner;
 * false then after `seal.lock`, and for an old passphrase.
 */
export async function unlock(engine: Engine, passphrase: string, isBack: boolean): Promise<boolean> {
  if (isBack && isLockedByCall(engine.store)) return false
  try {
    await engine.call('seal:unlock', { passphrase })
    return true
  } catch (error) {
    if (isBack && isDaybookError(error) && isOldPassphrase(error)) return false
    throw error
  }
}
