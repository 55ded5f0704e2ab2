// Writes the text index of FTS5 on a full disk, where the log of the database can't grow.
// Invariant: `automerge` and `crisismerge` have FTS5's defaults between two transactions.
import { isDaybookError } from '../../core/errors.ts'
import type { SqlDatabase } from '../../core/ports.ts'

/** FTS5's defaults: segments of a level that are merged bit by bit, and those that are merged at once. */
const defaults = { automerge: 4, crisismerge: 16 }
/** No merge: FTS5 permits fewer than 2,000 segments. */
const none = { automerge: 0, crisismerge: 1999 }
/** Most pages that one step of a merge writes. */
const stepPages = 16

/**
 * Runs `write` without merges. FTS5 merges segments in the transaction of a write, and the pages of a merge are several
 * times those of a large record. Call it in a transaction, and `mergeInSteps` after that.
 */
export function withoutMerges<Result>(db: SqlDatabase, write: () => Result): Result {
  setMerges(db, none)
  const result = write()
  // FTS5 writes the new words to the index before it reads the option.
  setMerges(db, defaults)
  return result
}

/** Does the merges that `withoutMerges` left, and empties the log before each step. On a full disk the rest stays for later. */
export function mergeInSteps(db: SqlDatabase): void {
  try {
    for (let before = -1, after = 0; after - before >= leastChanges;) {
      db.scrub('space')
      before = changeCount(db)
      db.run("INSERT INTO text_index (text_index, rank) VALUES ('merge', ?)", [stepPages])
      after = changeCount(db)
    }
  } catch (error) {
    if (!isDaybookError(error, 'storage-full')) throw error
  }
}

/** A step with fewer changes merged nothing (https://sqlite.org/fts5.html#the_merge_command). */
const leastChanges = 2

const changeCount = (db: SqlDatabase) => db.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0

function setMerges(db: SqlDatabase, options: typeof defaults): void {
  for (const [name, value] of Object.entries(options))
    // FTS5 takes integers only, and Node's SQLite binds numbers as floating point.
    db.run('INSERT INTO text_index (text_index, rank) VALUES (?, CAST(? AS INTEGER))', [name, value])
}
