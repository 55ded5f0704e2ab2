// Space for a book's files, taken before a commit needs it: neither the browser nor the disk tells how much there is.
// Invariant: what is committed finds space when the log is copied into the file, so a full book can always be emptied.
import { aheadPages, keptPages, logBytes, pageBytes, poolHeaderBytes } from './kept-tail.ts'

export interface FileSpace {
  /** Whether a commit after which the database has `pages` may be made. */
  admit(pages: number): boolean
  /** Opens or closes the space that is kept back. */
  useReserve(isUsed: boolean): void
  /** Whether the last commit that needed space found little of it. */
  isScarce(): boolean
}

/** Takes space for a file of so many bytes. */
type Reserve = (bytes: number) => boolean

/** `used` are the pages of now. */
export function createFileSpace(used: number, reserve: Reserve, reserveLog: Reserve): FileSpace {
  let isUsed = false
  let isScarce = false
  let granted = 0
  const take = (pages: number): boolean => {
    if (pages > granted && reserve(poolHeaderBytes + pages * pageBytes)) granted = pages
    return pages <= granted
  }
  const isThere = (pages: number) => {
    const needed = isUsed ? pages : pages + keptPages(pages)
    if (needed <= granted) return true
    const ahead = aheadPages(pages)
    isScarce = !take(needed + ahead)
    if (isScarce) return take(needed + (ahead >> 2)) || take(needed)
    // The log can be smaller, so it has its own only where there is plenty.
    reserveLog(poolHeaderBytes + logBytes(pages))
    return true
  }
  // A book that is opened when there is no space has as much of it kept back as there is.
  for (let kept = isThere(used) ? 0 : keptPages(used) >> 1; kept > 0 && !take(used + kept);) kept >>= 1
  return {
    admit(pages) {
      // What makes the database no larger needs no space.
      if (pages > used && !isThere(pages)) return false
      // The file is cut behind it, so what was there once is looked at again.
      if (pages < used) granted = 0
      used = pages
      return true
    },
    useReserve(isWanted) {
      isUsed = isWanted
    },
    isScarce: () => isScarce,
  }
}
