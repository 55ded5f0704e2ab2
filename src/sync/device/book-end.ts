// Ends a book at its mirror or begins it again there, and stores on the device that the mirror erased the book.
// Invariant: a device keeps its records. After a `book-erased` of the mirror it sends no record there unless the
// owner confirms with the book's name.
import { checkConfirmed } from '../../core/book.ts'
import type { AbortSignalLike } from '../../core/abort.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Carrier } from '../../core/ports.ts'
import type { Settings } from '../../store/schema/settings.ts'
import type { BookStore } from '../../store/book-store.ts'
import { formerEpochKey, startOver } from './resync.ts'

/** Setting: time of the erasure at the mirror. */
const erasedKey = 'mirror_erased'

/** Returns the time at which the mirror erased this book, as far as this device knows. */
export const erasedAtMirror = (settings: Pick<Settings, 'get'>): string | undefined => settings.get(erasedKey)

/** Stores the erasure, so that sync stays off after a restart. */
export function storeErased(settings: Pick<Settings, 'set'>, error: DaybookError): void {
  const { at } = error.details
  settings.set(erasedKey, typeof at === 'string' ? at : 'unknown')
}

export const removeErased = (settings: Pick<Settings, 'remove'>) => settings.remove(erasedKey)

/** Returns the error that stops sync after an erasure; undefined without one. */
export function erasedError(settings: Pick<Settings, 'get'>): DaybookError | undefined {
  const at = erasedAtMirror(settings)
  return at === undefined ? undefined : new DaybookError('book-erased', undefined, { details: { at } })
}

/** Returns the message about an erasure for the owner; undefined without one. */
export function erasedMessage(settings: Pick<Settings, 'get'>): string | undefined {
  const at = erasedAtMirror(settings)
  if (at === undefined) return undefined
  const ways = 'Erase it here too, export it into a book of another name, or begin it again at the mirror'
  return `book-erased: its owner erased this book at the mirror (${at}). This copy is kept and not sent. ${ways}.`
}

/** Erases this book at the mirror, or begins it again there. */
export class MirrorBookEraser {
  readonly #name: string
  readonly #store: BookStore
  readonly #carrier: Pick<Carrier, 'erase' | 'begin'>

  constructor(name: string, store: BookStore, carrier: Pick<Carrier, 'erase' | 'begin'>) {
    this.#name = name
    this.#store = store
    this.#carrier = carrier
  }

  /** Erases the book at the mirror. Throws `offline` or the mirror's refusal; then nothing changed. */
  async erase(confirm: string, signal: AbortSignalLike): Promise<void> {
    checkConfirmed(confirm, this.#name)
    if (!this.#carrier.erase) throw unsupportedError()
    await this.#carrier.erase({ confirm, epoch: this.#store.settings.get('epoch') }, signal)
  }

  /** Begins the book again at the mirror; the next sync sends all records. False: another device already began it. */
  async beginAgain(confirm: string, signal: AbortSignalLike): Promise<boolean> {
    const store = this.#store
    checkConfirmed(confirm, this.#name)
    if (!this.#carrier.begin) throw unsupportedError()
    const answer = (await this.#carrier.begin({ confirm }, signal)) as
      { readonly begun?: unknown } | undefined
    await store.writes.write(() => {
      startOver(store)
      // The owner wants this copy's records in the new book, so requests must not name the erased one.
      store.settings.remove(formerEpochKey)
      removeErased(store.settings)
    })
    return answer?.begun === true
  }
}

const unsupportedError = () =>
  new DaybookError('sync-off', "This connection to the mirror can't erase or begin books.")
