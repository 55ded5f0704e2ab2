// The end of a book at its mirror, and its beginning anew: both on the explicit word of its owner.
// Invariant: an erased book is opened by nobody, whatever they present; and nothing is erased or begun without its name.
import { checkConfirmed } from '../core/book.ts'
import { DaybookError, isDaybookError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import { formatTime } from '../core/time.ts'
import type { Tombstone } from '../store/mirror/tombstone.ts'
import type { EndAsked } from './end-asked.ts'
import type { MirrorBook } from './mirror-book.ts'
import type { Presented } from './mirror-door.ts'

/** The end of one book as its host keeps it. */
export interface BookEnd {
  readonly book: string
  readonly clock: Clock
  /** What is left of it; undefined unless it was erased, and after it was begun anew. */
  tombstone(): Tombstone | undefined | Promise<Tombstone | undefined>
  /** Everything goes but the tombstone, at once, and every line of the book ends. Runs while the book is open. */
  erase(stone: Tombstone): Promise<void>
  /** A book of that name may be made again. */
  begin(): Promise<void>
}

/** Said by whoever is asked for a book that was erased. */
export const bookErased = (at: string) => new DaybookError('book-erased', undefined, { details: { at } })

/** Runs `work` on the book, for somebody who was let in and may erase it. */
type AsOwner = <Result>(presented: Presented, work: (book: MirrorBook) => Promise<Result>) => Promise<Result>

export function createEndOfBook(end: BookEnd, asOwner: AsOwner) {
  const { book, clock } = end
  /** The tombstone, for somebody who may know of it and may do more than that. */
  const known = async (error: unknown, { bearer, grant }: Presented, epoch?: string) => {
    const stone =
      isDaybookError(error, 'book-erased') || bearer !== undefined ? await end.tombstone() : undefined
    if (!stone) throw error
    if (bearer !== undefined && (epoch === undefined || epoch !== stone.epoch)) throw error
    if (grant && grant.owner !== true) throw new DaybookError('forbidden')
    return stone
  }
  return {
    /** Who asks once more, because the answer was lost, gets the same. */
    async erase({ confirm, epoch }: EndAsked, presented: Presented) {
      try {
        return await asOwner(presented, async ({ engine }) => {
          checkConfirmed(confirm, book)
          const at = formatTime(clock.now())
          const stone = { at, epoch: engine.store.settings.get('epoch'), isReplaced: false }
          await end.erase(stone)
          return { erased: true, at }
        })
      } catch (error) {
        const { at } = await known(error, presented, epoch)
        checkConfirmed(confirm, book)
        return { erased: true, at }
      }
    },

    /** `begun` is false where there was a book already: then nothing was changed. */
    async begin({ confirm }: EndAsked, presented: Presented) {
      try {
        return await asOwner(presented, () => {
          checkConfirmed(confirm, book)
          return Promise.resolve({ begun: false })
        })
      } catch (error) {
        await known(error, presented)
        checkConfirmed(confirm, book)
        await end.begin()
        return { begun: true }
      }
    },

    /**
     * What a stranger is told of a book that is not open. The key of a device was erased with its book, so it is known by
     * the epoch that it names: nobody else can have that.
     */
    async told(error: unknown, { bearer }: Presented, epoch?: string | null): Promise<unknown> {
      const isErased = isDaybookError(error, 'book-erased')
      if (bearer === undefined || !(isErased || isDaybookError(error, 'unauthorized'))) return error
      const stone = isErased || epoch != null ? await end.tombstone() : undefined
      if (!stone) return error
      return stone.epoch !== undefined && stone.epoch === epoch ? bookErased(stone.at) : undefined
    },
  }
}
