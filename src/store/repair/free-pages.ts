// Cuts the free pages off a database's file.
// Invariant: it also works on a full disk, where the log can't grow: in steps that fit into a small log, after all commits
// are in the file.
import { isDaybookError } from '../../core/errors.ts'

/** Most pages of a step on a full disk. */
const maxStepPages = 32

/** Copies the log into the database and truncates the log. */
export const emptyLogSql = 'PRAGMA wal_checkpoint(TRUNCATE)'

type ReadRows = (sql: string) => readonly Readonly<Record<string, unknown>>[]

/**
 * Cuts off all free pages. Throws `storage-full` if not even one page fits into the log. `all`: runs a statement to its
 * end, since each step of `incremental_vacuum` cuts one page.
 */
export function cutFreePages(all: ReadRows): void {
  const count = () => Number(all('PRAGMA freelist_count')[0]?.['freelist_count'])
  if (count() === 0) return
  // Copy the log first: its commits may need a larger file, and a cut that fails leaves a larger log and no space.
  all(emptyLogSql)
  try {
    all('PRAGMA incremental_vacuum')
    return
  } catch (error) {
    if (!isDaybookError(error, 'storage-full')) throw error
  }
  for (let pages = maxStepPages, before = Infinity; count() < before;) {
    before = count()
    all(emptyLogSql)
    try {
      all(`PRAGMA incremental_vacuum(${pages})`)
    } catch (error) {
      if (!isDaybookError(error, 'storage-full') || pages === 1) throw error
      // Try again with half the pages.
      pages >>= 1
      before = Infinity
    }
  }
}
