// The end of a book at its object: the storage is emptied, and says from then on that it was.
// Invariant: nobody comes between the emptying and the tombstone, which are made in one turn of the object without waiting:
// the platform keeps such writes as one.
import type { Clock } from '../src/core/ports.ts'
import type { BookEnd } from '../src/edge/book-end.ts'
import { readTombstone, writeTombstone } from '../src/store/mirror/tombstone.ts'
import { closeCodes } from '../src/sync/wire/live-wire.ts'
import { openDoDatabase } from './do-database.ts'

export interface ObjectEndParts {
  readonly book: string
  readonly clock: Clock
  /** Closes what the object has open. */
  letGo(): void
}

export function createObjectEnd(
  ctx: Pick<DurableObjectState, 'storage' | 'getWebSockets'>,
  { book, clock, letGo }: ObjectEndParts,
): BookEnd {
  const { storage } = ctx
  const stoneOf = () => readTombstone(openDoDatabase(storage))
  return {
    book,
    clock,
    tombstone() {
      const stone = stoneOf()
      return stone?.isReplaced ? undefined : stone
    },
    async erase(stone) {
      letGo()
      const emptied = Promise.all([storage.deleteAlarm(), storage.deleteAll()])
      writeTombstone(openDoDatabase(storage), stone)
      await emptied
      await storage.sync()
      for (const socket of ctx.getWebSockets()) socket.close(closeCodes.erased)
    },
    async begin() {
      const stone = stoneOf()
      if (stone) writeTombstone(openDoDatabase(storage), { ...stone, isReplaced: true })
      await storage.sync()
    },
  }
}
