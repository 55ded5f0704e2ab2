// A book that this process holds, and who else may have its keys.
import { DaybookError } from '../../../core/errors.ts'
import type { Engine } from '../../../engine/engine.ts'
import type { Durability } from '../../../core/record.ts'

export interface OwnedBook {
  readonly engine: Engine
  readonly durability: Durability
  /** Tells its file from every other. */
  fileId(): string | undefined
  /** From now on each commit waits for the disk: some process asked for it. */
  makeStrict(): void
}

/** Keys that a passphrase has opened are for those who know it; throws `locked` or `wrong-passphrase` for others. */
export async function keysProof({ engine }: OwnedBook, passphrase: string | undefined): Promise<void> {
  if (passphrase !== undefined) {
    await engine.call('seal:unlock', { passphrase })
    return
  }
  const { state, guard } = (await engine.call('seal:status', {})) as { state: string; guard?: string }
  if (state === 'open' && guard === 'passphrase')
    throw new DaybookError('locked', 'The process that has this book has opened it with its passphrase.')
}
