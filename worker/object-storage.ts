// The end of a book, and notes of uploads, in the storage of its Durable Object, which survives an eviction.
// Invariant: emptying the storage and writing the tombstone are atomic. There is no `await` between them, and the
// platform commits such writes together.
import type { Clock } from '../src/core/ports.ts'
import type { BookEraser } from '../src/edge/book-erasure.ts'
import { readTombstone, writeTombstone } from '../src/store/mirror/tombstone.ts'
import { closeCodes } from '../src/sync/wire/live-wire.ts'
import { openDoDatabase } from './do-database.ts'
import { z } from 'zod'
import type { UploadNotes } from '../src/core/capability/port/archive-port.ts'

interface ObjectEraserDeps {
  readonly book: string
  readonly clock: Clock
  /** Closes the open book. */
  close(): void
}

/** Creates the eraser of the object's book. Each call reads the tombstone from the storage. */
export function createObjectEraser(
  ctx: Pick<DurableObjectState, 'storage' | 'getWebSockets'>,
  { book, clock, close }: ObjectEraserDeps,
): BookEraser {
  const { storage } = ctx
  const readStoredTombstone = () => readTombstone(openDoDatabase(storage))
  return {
    book,
    clock,
    tombstone() {
      const stone = readStoredTombstone()
      // Replaced: the owner has begun another book of this name.
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
      const stone = readStoredTombstone()
      if (stone) writeTombstone(openDoDatabase(storage), { ...stone, isReplaced: true })
      await storage.sync()
    },
  }
}

const noteKeyPrefix = 'archive-upload:'
/** `place`: storage and bucket. `key`: of the object. `upload`: id of the multipart upload. */
const uploadNote = z.object({ place: z.string(), key: z.string(), upload: z.string() })

/** Notes of uploads. A book has one object, so a note of an upload that is not active in this object is abandoned. */
export function createObjectUploadNotes(
  storage: Pick<DurableObjectStorage, 'put' | 'delete' | 'list'>,
): UploadNotes {
  const active = new Set<string>()
  return {
    async add(note) {
      active.add(note.upload)
      await storage.put(noteKeyPrefix + note.upload, note)
    },
    async remove({ upload }) {
      active.delete(upload)
      await storage.delete(noteKeyPrefix + upload)
    },
    async orphans() {
      const found = await storage.list({ prefix: noteKeyPrefix })
      return [...found.values()].flatMap((one) => {
        const { success, data } = uploadNote.safeParse(one)
        return success && !active.has(data.upload) ? [data] : []
      })
    },
  }
}
