// How large the database may become: SQLite then says "full" cleanly, before the browser cuts a write short.
// Invariant: the log has its own space, so that a full book can still be emptied: a forget is written there first. A quarter
// is kept back for that, and for deriving what is read.
import type { SqlDatabase } from '../../../core/ports.ts'

export const pageSize = 4096
/** Pages of the write-ahead log between checkpoints; each checkpoint costs two flushes. */
export const checkpointPages = 4000
const leastLogPages = 64

export interface SizeLimit {
  /** Looks again how much space there is. */
  refit(): Promise<void>
  /** Opens or closes the space that is kept back. */
  useReserve(isUsed: boolean): void
  /** At the last look; without end where the browser does not say. */
  spaceBytes(): number
}

/** `spareBytes` are those that the book's files have already, beyond its pages. */
export function createSizeLimit(db: SqlDatabase, isOpen: () => boolean, spareBytes: () => number): SizeLimit {
  let limit = 0
  let whole = 0
  let spaceBytes = Infinity
  const setLimit = (pages: number) => {
    if (pages > 0) db.exec(`PRAGMA max_page_count = ${pages}`)
  }
  return {
    useReserve: (isUsed) => setLimit(isUsed ? whole : limit),
    spaceBytes: () => spaceBytes,
    async refit() {
      const { quota = 0, usage = 0 } = await navigator.storage.estimate()
      // Or let go of while the browser was asked.
      if (quota === 0 || !isOpen()) return
      spaceBytes = Math.max(0, quota - usage) + spareBytes()
      const spacePages = Math.floor(spaceBytes / pageSize)
      const logPages = Math.min(checkpointPages, Math.max(leastLogPages, Math.floor(spacePages / 8)))
      const usedPages = Math.ceil(db.sizeBytes() / pageSize)
      const freePages = Math.max(0, spacePages - 2 * logPages)
      // What was given once is not taken back by a look at a book that is nearly full.
      limit = Math.max(limit, usedPages + Math.floor(freePages * 0.7))
      whole = Math.max(whole, limit + Math.floor(freePages * 0.25))
      db.exec(`PRAGMA wal_autocheckpoint = ${logPages}`)
      setLimit(limit)
    },
  }
}
