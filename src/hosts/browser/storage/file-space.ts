// Space for a book's database file, asked of the browser before a commit needs it: Chromium does not tell how much there is.
// Invariant: what is committed finds space when the log is copied into the file, so a full book can always be emptied.

const pageSize = 4096
/** What the pool writes before the pages of a file. */
const headerBytes = 4096
/** Kept back for what a full book must still be able to do: half as much as it has, within these. */
const leastKept = 64
const mostKept = 16_384
/** Asked for beyond what is needed, so that it is not asked at each commit: the first that the browser grants. */
const aheadPages = [1024, 256, 0]

const keptPages = (pages: number) => Math.min(mostKept, Math.max(leastKept, pages >> 1))

export interface FileSpace {
  /** Whether a commit after which the database has `pages` may be made. */
  admit(pages: number): boolean
  /** Opens or closes the space that is kept back. */
  useReserve(isUsed: boolean): void
}

/** `used` are the pages of now; `reserve` asks for a file of so many bytes. */
export function createFileSpace(used: number, reserve: (bytes: number) => boolean): FileSpace {
  let isUsed = false
  let granted = 0
  const ask = (pages: number): boolean => {
    if (pages > granted && reserve(headerBytes + pages * pageSize)) granted = pages
    return pages <= granted
  }
  const isThere = (pages: number) => {
    const needed = isUsed ? pages : pages + keptPages(pages)
    return needed <= granted || aheadPages.some((ahead) => ask(needed + ahead))
  }
  // A book that is opened when there is no space has as much of it kept back as can be had.
  for (let kept = keptPages(used); kept > 0 && !ask(used + kept);) kept >>= 1
  return {
    admit(pages) {
      // What makes the database no larger needs no space.
      if (pages > used && !isThere(pages)) return false
      used = pages
      return true
    },
    useReserve(isWanted) {
      isUsed = isWanted
    },
  }
}
