// Erases a book at its mirror, or begins it again, on the owner's explicit request.
// Invariant: no caller opens an erased book, and nothing is erased or begun without the book's name.
import { checkConfirmed } from '../core/book.ts'
import { DaybookError, isDaybookError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import { formatTime } from '../core/time.ts'
import type { Tombstone } from '../store/mirror/tombstone.ts'
import type { MirrorBook, Presented, EndRequest } from './mirror-door.ts'

/** A host's part in erasing one book. */
export interface BookEnd {
  readonly book: string
  readonly clock: Clock
  /** The tombstone of an erased book; undefined if it was not erased, or was begun again. */
  tombstone(): Tombstone | undefined | Promise<Tombstone | undefined>
  /** Removes everything but the tombstone, at once, and closes the book's lines. Runs while the book is open. */
  erase(stone: Tombstone): Promise<void>
  /** Allows a new book of that name. */
  begin(): Promise<void>
}

export const bookErased = (at: string) => new DaybookError('book-erased', undefined, { details: { at } })

/** Runs `work` on the book for an admitted caller that may erase it. */
type AsOwner = <Result>(presented: Presented, work: (book: MirrorBook) => Promise<Result>) => Promise<Result>

/** Erases a book, or begins it again, for its owner. */
export class BookEnding {
  readonly #end: BookEnd
  readonly #asOwner: AsOwner

  constructor(end: BookEnd, asOwner: AsOwner) {
    this.#end = end
    this.#asOwner = asOwner
  }

  /** A repeated request, after a lost answer, gets the same answer. */
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

  /** `begun` is false if there is a book already: then nothing changed. */
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
   * The error for a caller whose book is not open; undefined hides the book. A device's key was erased with the book, so the device
   * is identified by the epoch it names: nobody else knows it.
   */
  async errorFor(error: unknown, { bearer }: Presented, epoch?: string | null): Promise<unknown> {
    const isErased = isDaybookError(error, 'book-erased')
    if (bearer === undefined || !(isErased || isDaybookError(error, 'unauthorized'))) return error
    const stone = isErased || epoch != null ? await this.#end.tombstone() : undefined
    if (!stone) return error
    return stone.epoch !== undefined && stone.epoch === epoch ? bookErased(stone.at) : undefined
  }

  /** The tombstone, for a caller with the right to see and change it; else throws `error`. */
  async #tombstoneFor(error: unknown, { bearer, grant }: Presented, epoch?: string): Promise<Tombstone> {
    const stone =
      isDaybookError(error, 'book-erased') || bearer !== undefined ? await this.#end.tombstone() : undefined
    if (!stone) throw error
    if (bearer !== undefined && (epoch === undefined || epoch !== stone.epoch)) throw error
    if (grant && grant.owner !== true) throw new DaybookError('forbidden')
    return stone
  }
}
