// Erases a book at its mirror, or allows a new book of its name, at the owner's explicit request. Only the book's
// tombstone stays: the time of the erasure, and the epoch (the random name of the book's sync sequence).
// Invariant: no caller opens an erased book, and no request erases or begins a book without its name.
import { checkConfirmed } from '../core/book.ts'
import { DaybookError, isDaybookError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import { formatTime } from '../core/time.ts'
import type { Tombstone } from '../store/mirror/tombstone.ts'
import type { MirrorBook, Credentials, EraseOrBeginRequest } from './mirror-door.ts'

/** The host's operations to end one book. */
export interface BookEraser {
  readonly book: string
  readonly clock: Clock
  /** Returns the tombstone of an erased book. Undefined: the book was not erased, or was begun again. */
  tombstone(): Tombstone | undefined | Promise<Tombstone | undefined>
  /**
   * Removes everything except the tombstone, atomically, and closes the book's lines. Call it while the book is open.
   */
  erase(tombstone: Tombstone): Promise<void>
  /** Allows a new book of the erased book's name. */
  begin(): Promise<void>
}

export const bookErasedError = (at: string) => new DaybookError('book-erased', undefined, { details: { at } })

/** Runs `work` on the book for an admitted caller that may erase it. */
type WithOwnerBook = <Result>(
  credentials: Credentials,
  work: (book: MirrorBook) => Promise<Result>,
) => Promise<Result>

/** Erases a book for its owner, or allows a new book of its name. */
export class BookErasure {
  readonly #eraser: BookEraser
  readonly #withOwnerBook: WithOwnerBook

  constructor(eraser: BookEraser, withOwnerBook: WithOwnerBook) {
    this.#eraser = eraser
    this.#withOwnerBook = withOwnerBook
  }

  /** Erases the book. A repeated request gets the same answer. */
  async erase({ confirm, epoch }: EraseOrBeginRequest, credentials: Credentials) {
    const { book, clock } = this.#eraser
    try {
      return await this.#withOwnerBook(credentials, async ({ engine }) => {
        checkConfirmed(confirm, book)
        const at = formatTime(clock.now())
        const tombstone = { at, epoch: engine.store.settings.get('epoch'), isReplaced: false }
        await this.#eraser.erase(tombstone)
        return { erased: true, at }
      })
    } catch (error) {
      const { at } = await this.#tombstoneFor(error, credentials, epoch)
      checkConfirmed(confirm, book)
      return { erased: true, at }
    }
  }

  /** Allows a new book of this name. `begun: false`: a book exists, and nothing changed. */
  async begin({ confirm }: EraseOrBeginRequest, credentials: Credentials) {
    const { book } = this.#eraser
    try {
      return await this.#withOwnerBook(credentials, () => {
        checkConfirmed(confirm, book)
        return Promise.resolve({ begun: false })
      })
    } catch (error) {
      // Passes no epoch: only the edge's key and an owner's claims begin a new book.
      await this.#tombstoneFor(error, credentials)
      checkConfirmed(confirm, book)
      await this.#eraser.begin()
      return { begun: true }
    }
  }

  /**
   * Returns the error for a caller that could not open the book; undefined: hide that the book existed. The erasure
   * also removed the device's key, so `epoch`, which only devices of the book know, identifies the device. Absent or
   * null: the request has none.
   */
  async errorFor(error: unknown, { bearer }: Credentials, epoch?: string | null): Promise<unknown> {
    const isErased = isDaybookError(error, 'book-erased')
    if (bearer === undefined || !(isErased || isDaybookError(error, 'unauthorized'))) return error
    const tombstone = isErased || epoch != null ? await this.#eraser.tombstone() : undefined
    if (!tombstone) return error
    return tombstone.epoch !== undefined && tombstone.epoch === epoch
      ? bookErasedError(tombstone.at)
      : undefined
  }

  /**
   * Returns the tombstone for the edge's key, an owner's claims, or a bearer that sends the book's epoch. Otherwise
   * throws `error`, or `forbidden` for claims of a guest.
   */
  async #tombstoneFor(error: unknown, { bearer, grant }: Credentials, epoch?: string): Promise<Tombstone> {
    const tombstone =
      isDaybookError(error, 'book-erased') || bearer !== undefined
        ? await this.#eraser.tombstone()
        : undefined
    if (!tombstone) throw error
    if (bearer !== undefined && (epoch === undefined || epoch !== tombstone.epoch)) throw error
    if (grant && grant.owner !== true) throw new DaybookError('forbidden')
    return tombstone
  }
}
