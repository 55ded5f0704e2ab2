// Cuts the free pages off a database's file.
// Invariant: it also works on a full disk, where the log can't grow: in steps that fit into a small log.
import { isDaybookError } from '../../core/errors.ts'

/** Most pages of a step on a full disk. */
const mostStepPages = 32

interface FreePages {
  /** Cuts off `pages` free pages, or all. Throws `storage-full` if the log can't grow. */
  cut(pages?: number): void
  /** Number of free pages. */
  count(): number
  /** Copies the log into the database and truncates the log. */
  emptyLog(): unknown
}

/** Cuts off all free pages. Throws `storage-full` if not even one page fits into the log. */
export function cutFreePages({ cut, count, emptyLog }: FreePages): void {
  try {
    return cut()
  } catch (error) {
    if (!isDaybookError(error, 'storage-full')) throw error
  }
  for (let pages = mostStepPages, before = Infinity; count() < before;) {
    before = count()
    emptyLog()
    try {
      cut(pages)
    } catch (error) {
      if (!isDaybookError(error, 'storage-full') || pages === 1) throw error
      pages >>= 1
      before = Infinity
    }
  }
}
