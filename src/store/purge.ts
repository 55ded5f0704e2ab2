// Removes what is left of a forgotten record: lost edits in the conflict log, answers to calls, its vector, its words,
// and the book's own model of words, which may have learned from it and is learned anew.
// Invariant: its tombstone stays, without content, so that no mirror brings the record back.
import { isDaybookError } from '../core/errors.ts'
import type { SqlDatabase } from '../core/ports.ts'
import type { Checkpoint } from './repair/checkpoint.ts'
import { mostLevels, readLevels } from './posting/index-totals.ts'
import type { PostingArchive } from './posting/posting-archive.ts'
import type { Projection } from './record/projection.ts'
import type { Settings } from './schema/settings.ts'
import type { Sources } from './record/sources.ts'
import {
  conflictsOf,
  eraseAnswers,
  erasePending,
  eraseRows,
  erasingTogether,
  historyOf,
  modelParts,
  stagedOf,
  vectorOf,
} from './record/erase-rows.ts'
import { scrubDue } from './record/cover-clear-text.ts'

export interface Purge {
  /** The same for what was purged elsewhere, as this copy hears it: the files are scrubbed when there is time. */
  purgeHeard(id: string): void
  /** Deletes what still has the content of the forgotten record `id`. Inside a transaction. */
  purge(id: string, seq: number): void
  /** Runs `work`, inside a transaction, in which many records may go: what may quote them is looked through once, at its end. */
  together<Result>(work: () => Result): Result
  /** Takes what is deleted out of the text index and the files for good. Outside of a transaction. */
  scrub(): void
  /** True when something was deleted that the files must not keep, and no scrub came since. */
  isDue(): boolean
}

export interface PurgeParts {
  readonly db: SqlDatabase
  readonly projection: Projection
  readonly archive: PostingArchive
  readonly settings: Settings
  readonly checkpoint: Pick<Checkpoint, 'scrub'> | undefined
  readonly sources: Pick<Sources, 'purged'>
}

export function createPurge({ db, projection, archive, settings, checkpoint, sources }: PurgeParts): Purge {
  /** Empties the text index: its rows are derived again, with the next read or in idle time. */
  const renewIndex = () => {
    db.transaction(() => {
      db.run("INSERT INTO text_index (text_index) VALUES ('delete-all')")
      // No text has this key, so each counts as changed.
      db.run('UPDATE facets SET text_key = -1')
      for (const { seq } of db.all<{ seq: number }>('SELECT seq FROM facets')) projection.markStale(seq)
    })
  }
  const takeOut = () => {
    projection.catchUp()
    // The index only marks what is deleted; merging all of it into one piece leaves the words out.
    archive.drop()
    if (readLevels(db) < mostLevels)
      db.transaction(() => db.run("INSERT INTO text_index (text_index) VALUES ('optimize')"))
    else renewIndex()
    db.scrub()
    checkpoint?.scrub()
    // Only now: a scrub that was cut off is made again.
    if (settings.get(scrubDue) !== undefined) db.transaction(() => settings.remove(scrubDue))
  }
  const purgeAt = (id: string, seq: number) => {
    settings.set(scrubDue, 1)
    sources.purged(id)
    eraseRows(db, historyOf, [seq])
    eraseRows(db, conflictsOf, [id])
    eraseRows(db, stagedOf, [id])
    eraseRows(db, vectorOf, [seq])
    db.run('DELETE FROM uses WHERE seq = ?', [seq])
    eraseRows(db, modelParts)
    settings.remove('model')
    eraseAnswers(db, id)
    erasePending(db, { id, seq })
  }
  return {
    together: (work) => erasingTogether(db, work),
    purge: purgeAt,
    purgeHeard(id) {
      const row = db.get<{ seq: number }>('SELECT seq FROM records WHERE id = ?', [id])
      if (row) purgeAt(id, row.seq)
    },
    scrub() {
      try {
        takeOut()
      } catch (error) {
        if (!isDaybookError(error, 'storage-full')) throw error
        // It stays due: the rows go out of the files now, their words from the index when the disk has room for that.
        db.scrub()
      }
    },
    isDue: () => settings.get(scrubDue) !== undefined,
  }
}
