// The end of a book at its mirror as a device asks for it, and what a device does whose book was erased there by another.
// Invariant: a device keeps what it has. It gives none of it to a mirror that says `book-erased`, unless its owner says so
// with the name of the book.
import { checkConfirmed } from '../../core/book.ts'
import type { AbortSignalLike } from '../../core/abort.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Carrier } from '../../core/ports.ts'
import type { Settings } from '../../store/schema/settings.ts'
import type { BookStore } from '../../store/book-store.ts'
import { startOver } from './intake.ts'
import { formerEpoch } from './reread.ts'

/** The setting that says when the mirror was found to have erased this book. */
const erasedKey = 'mirror_erased'

/** When this book was erased at its mirror, as far as this device has heard. */
export const erasedThere = (settings: Pick<Settings, 'get'>): string | undefined => settings.get(erasedKey)

/** Remembers it, so that it is told after the next opening too, and nothing is sent. */
export function noteErased(settings: Pick<Settings, 'set'>, error: DaybookError): void {
  const { at } = error.details
  settings.set(erasedKey, typeof at === 'string' ? at : 'unknown')
}

export const forgetErased = (settings: Pick<Settings, 'remove'>) => settings.remove(erasedKey)

/** The error by which sync stands still after that. */
export function erasedError(settings: Pick<Settings, 'get'>): DaybookError | undefined {
  const at = erasedThere(settings)
  return at === undefined ? undefined : new DaybookError('book-erased', undefined, { details: { at } })
}

/** What the owner is told of it. */
export function erasedText(settings: Pick<Settings, 'get'>): string | undefined {
  const at = erasedThere(settings)
  if (at === undefined) return undefined
  const ways = 'Erase it here as well, export it into a book of another name, or begin it anew at the mirror'
  return `book-erased: its owner erased this book at the mirror (${at}). What is here is kept and not sent. ${ways}.`
}

export interface EndAtMirror {
  /** Erases the book at the mirror. `offline`, or what the mirror refuses with: then nothing was changed. */
  erase(confirm: string, signal: AbortSignalLike): Promise<void>
  /** Begins it anew there, of what is here: the next sync sends everything. False where somebody has done so already. */
  beginAnew(confirm: string, signal: AbortSignalLike): Promise<boolean>
}

export function createEndAtMirror(
  name: string,
  store: BookStore,
  carrier: Pick<Carrier, 'erase' | 'begin'>,
): EndAtMirror {
  const cannot = () => new DaybookError('sync-off', 'This way to the mirror can not end books.')
  return {
    async erase(confirm, signal) {
      checkConfirmed(confirm, name)
      if (!carrier.erase) throw cannot()
      await carrier.erase({ confirm, epoch: store.settings.get('epoch') }, signal)
    },
    async beginAnew(confirm, signal) {
      checkConfirmed(confirm, name)
      if (!carrier.begin) throw cannot()
      const answer = (await carrier.begin({ confirm }, signal)) as { readonly begun?: unknown } | undefined
      await store.writes.write(() => {
        startOver(store)
        // Its owner wants in the new book what is here.
        store.settings.remove(formerEpoch)
        forgetErased(store.settings)
      })
      return answer?.begun === true
    },
  }
}
