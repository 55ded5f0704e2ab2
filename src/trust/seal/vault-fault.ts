// Errors of a vault whose keys can't be had: each says why, and how to go on.
import { DaybookError } from '../../core/errors.ts'
import type { KeyVault } from '../../core/ports.ts'
import { lockedError, type Sealer } from '../../core/sealed.ts'

/** Where the vault itself knows no more. */
const words = {
  form: 'The keys of this book are kept in a form that is not known.',
  key: 'The keys of this book do not open with the key of this device. If the book had another name, open it once by that.',
} as const

export const unusable = (vault: KeyVault, why: 'form' | 'key'): DaybookError =>
  vault.unusable?.(why) ?? new DaybookError('storage-failed', words[why], { retry: false })

/** Whoever opens a book with its passphrase has no book yet to do anything else with. */
export function lostAtOpening(sealer: Pick<Sealer, 'reason' | 'place'>): DaybookError {
  const { message, ...shape } = lockedError(sealer).toJSON()
  return DaybookError.from({ ...shape, message: `${message} Open the book without a passphrase for that.` })
}

export const wrongPassphrase = ({ place }: KeyVault): DaybookError =>
  new DaybookError(
    'wrong-passphrase',
    `The keys of this book${place === undefined ? '' : `, in ${place},`} do not open with this passphrase.`,
  )

export const nothingToUnlock = (): DaybookError =>
  new DaybookError(
    'conflict',
    'The keys of this book have no passphrase: leave it out, or set one with `seal.guard`.',
    { details: { path: 'passphrase', guard: 'device' } },
  )

export const nothingToLock = (): DaybookError =>
  new DaybookError('conflict', 'The keys of this book have no passphrase, so there is nothing to lock.')
