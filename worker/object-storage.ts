// The end of a book, and notes of uploads, in the storage of its Durable Object, which survives an eviction.
// Invariant: emptying the storage and writing the tombstone are atomic. There is no `await` between them, and the
// platform commits such writes together.
import type { Clock } from '../src/core/ports.ts'
import type { BookEnd } from '../src/edge/book-end.ts'
import { readTombstone, writeTombstone } from '../src/store/mirror/tombstone.ts'
import { closeCodes } from '../src/sync/wire/live-wire.ts'
import { openDoDatabase } from './do-database.ts'
import { z } from 'zod'
import type { UploadNotes } from '../src/core/capability/port/archive-port.ts'

interface ObjectEndParts {
  readonly book: string
  readonly clock: Clock
  /** Closes the open book. */
  close(): void
}

export function createObjectEnd(
  ctx: Pick<DurableObjectState, 'storage' | 'getWebSockets'>,
  { book, clock, close }: ObjectEndParts,
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
      close()
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

const start = 'archive-upload:'
const uploadNote = z.object({ place: z.string(), key: z.string(), upload: z.string() })

/** Notes of uploads. A book has one object, so a note of an upload that is not active in this object is abandoned. */
export function createObjectNotes(
  storage: Pick<DurableObjectStorage, 'put' | 'delete' | 'list'>,
): UploadNotes {
  const active = new Set<string>()
  return {
    async add(note) {
      active.add(note.upload)
      await storage.put(start + note.upload, note)
    },
    async remove({ upload }) {
      active.delete(upload)
      await storage.delete(start + upload)
    },
    async orphans() {
      const found = await storage.list({ prefix: start })
      return [...found.values()].flatMap((one) => {
        const { success, data } = uploadNote.safeParse(one)
        return success && !active.has(data.upload) ? [data] : []
      })
    },
  }
}
