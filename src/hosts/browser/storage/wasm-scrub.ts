// Takes what was deleted out of the files of a database: free pages are cut off, the log is emptied, gaps within pages are
// cleared. Invariant: it ends also on a full disk, where the log can't grow, in steps that a small log has room for.
import { isDaybookError } from '../../../core/errors.ts'
import type { SqlDatabase } from '../../../core/ports.ts'
import { clearGap, overflowEndsOf, overflowEndsSql } from '../../../store/repair/page-gap.ts'

const slicePages = 256
/** Where there is little room. */
const fewPages = 32
/** SQLite's own view of the pages, with what the log has. */
const pagesSql = 'SELECT pgno, data FROM sqlite_dbpage WHERE pgno >= ? ORDER BY pgno LIMIT ?'
const clearedSql = 'UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?'

type Cleared = readonly (readonly [number: number, page: Uint8Array])[]

export function createScrub({
  all,
  run,
  transaction,
}: Pick<SqlDatabase, 'all' | 'run' | 'transaction'>): SqlDatabase['scrub'] {
  const emptyLog = () => all('PRAGMA wal_checkpoint(TRUNCATE)')

  const vacuum = () => {
    try {
      // Stepped to the end: the first takes one page at a time.
      all('PRAGMA incremental_vacuum')
    } catch (error) {
      if (!isDaybookError(error, 'storage-full')) throw error
      const freePages = () => Number(all('PRAGMA freelist_count')[0]?.['freelist_count'])
      for (let left = Infinity; freePages() < left;) {
        left = freePages()
        emptyLog()
        all(`PRAGMA incremental_vacuum(${fewPages})`)
      }
    }
  }

  const write = (cleared: Cleared) => {
    transaction(() => {
      for (const [number, page] of cleared) run(clearedSql, [page, number])
    })
    emptyLog()
  }

  /** In slices, each of which leaves the log empty: a book may have many pages. */
  const clearGaps = () => {
    const tails = overflowEndsOf(all(overflowEndsSql))
    let next = 1
    for (let read = slicePages; read === slicePages;) {
      const rows = all(pagesSql, [next, slicePages])
      read = rows.length
      next += read
      const cleared = rows.flatMap(({ pgno, data }): Cleared =>
        data instanceof Uint8Array && clearGap(data, Number(pgno), tails) ? [[Number(pgno), data]] : [],
      )
      if (cleared.length === 0) continue
      try {
        write(cleared)
      } catch (error) {
        if (!isDaybookError(error, 'storage-full')) throw error
        for (let at = 0; at < cleared.length; at += fewPages) write(cleared.slice(at, at + fewPages))
      }
    }
  }

  return (what) => {
    vacuum()
    emptyLog()
    if (what !== 'space') clearGaps()
  }
}
