// Erases a book at its mirror, or allows a new book of its name, at the owner's explicit request.
// Invariant: no caller opens an erased book, and no request erases or begins a book without its name.
import { checkConfirmed } from '../core/book.ts'
import { DaybookError, isDaybookError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import { formatTime } from '../core/time.ts'
import type { Tombstone } from '../store/mirror/tombstone.ts'
import type { MirrorBook, Presented, EndRequest } from './mirror-door.ts'

/** The host's operations to end one book. */
export interface BookEnd {
  readonly book: string
  readonly clock: Clock
  /** Returns the tombstone of an erased book. Undefined: the book was not erased, or was begun again. */
  tombstone(): Tombstone | undefined | Promise<Tombstone | undefined>
  /**
   * Removes everything except the tombstone, atomically, and closes the book's live connections. Call it while open.
   */
  erase(stone: Tombstone): Promise<void>
  /** Allows a new book of the erased book's name. */
  begin(): Promise<void>
}

export const bookErased = (at: string) => new DaybookError('book-erased', undefined, { details: { at } })

/** Runs `work` on the book for an admitted caller that may erase it. */
type AsOwner = <Result>(presented: Presented, work: (book: MirrorBook) => Promise<Result>) => Promise<Result>

/** Erases a book for its owner, or allows a new book of its name. */
export class BookEnding {
  readonly #end: BookEnd
  readonly #asOwner: AsOwner

  constructor(end: BookEnd, asOwner: AsOwner) {
    this.#end = end
    this.#asOwner = asOwner
  }

  /** Erases the book. A repeated request gets the same answer. */
  async erase({ confirm, epoch }: EndRequest, presented: Presented) {
    const { book, clock } = this.#end
    try {
      return await this.#asOwner(presented, async ({ engine }) => {
        checkConfirmed(confirm, book)
        const at = formatTime(clock.now())
        const stone = { at, epoch: engine.store.settings.get('epoch'), isReplaced: false }
        await this.#end.erase(stone)
        return { erased: true, at }
      })
    } catch (error) {
      const { at } = await this.#tombstoneFor(error, presented, epoch)
      checkConfirmed(confirm, book)
      return { erased: true, at }
    }
  }

  /** Allows a new book of this name. `begun: false`: a book exists, and nothing changed. */
  async begin({ confirm }: EndRequest, presented: Presented) {
    const { book } = this.#end
    try {
      return await this.#asOwner(presented, () => {
        checkConfirmed(confirm, book)
        return Promise.resolve({ begun: false })
      })
    } catch (error) {
      await this.#tombstoneFor(error, presented)
      checkConfirmed(confirm, book)
      await this.#end.begin()
      return { begun: true }
    }
  }

  /**
   * Returns the error for a caller that could not open the book; undefined: hide that the book existed. The erasure
   * also removed the device's key, so the epoch in the request identifies the device: only devices of the book know
   * the epoch.
   */
  async errorFor(error: unknown, { bearer }: Presented, epoch?: string | null): Promise<unknown> {
    const isErased = isDaybookError(error, 'book-erased')
    if (bearer === undefined || !(isErased || isDaybookError(error, 'unauthorized'))) return error
    const stone = isErased || epoch != null ? await this.#end.tombstone() : undefined
    if (!stone) return error
    return stone.epoch !== undefined && stone.epoch === epoch ? bookErased(stone.at) : undefined
  }

  /** Returns the tombstone for a caller with the right to it. Otherwise throws `error`. */
  async #tombstoneFor(error: unknown, { bearer, grant }: Presented, epoch?: string): Promise<Tombstone> {
    const stone =
      isDaybookError(error, 'book-erased') || bearer !== undefined ? await this.#end.tombstone() : undefined
    if (!stone) throw error
    if (bearer !== undefined && (epoch === undefined || epoch !== stone.epoch)) throw error
    if (grant && grant.owner !== true) throw new DaybookError('forbidden')
    return stone
  }
}
