// Notes of uploads in the storage of a book's object, which outlives the object. Invariant: an object is the only one of its
// book, so that what is noted and not under way in it was left behind.
import { z } from 'zod'
import type { UploadNotes } from '../src/core/capability/port/archive-port.ts'

const start = 'archive-upload:'
const noted = z.object({ place: z.string(), key: z.string(), upload: z.string() })

export function createObjectNotes(
  storage: Pick<DurableObjectStorage, 'put' | 'delete' | 'list'>,
): UploadNotes {
  const underWay = new Set<string>()
  return {
    async add(note) {
      underWay.add(note.upload)
      await storage.put(start + note.upload, note)
    },
    async remove({ upload }) {
      underWay.delete(upload)
      await storage.delete(start + upload)
    },
    async left() {
      const found = await storage.list({ prefix: start })
      return [...found.values()].flatMap((one) => {
        const { success, data } = noted.safeParse(one)
        return success && !underWay.has(data.upload) ? [data] : []
      })
    },
  }
}
