// Removes the remains of a forgotten record: lost edits in the conflict log, answers to calls, its vector, its words, and the
// book's own model of words, which may have learned from it and is trained again.
// Invariant: its tombstone stays, without content, so no mirror brings the record back.
import { isDaybookError } from '../core/errors.ts'
import type { SqlDatabase } from '../core/ports.ts'
import type { Checkpoint } from './repair/checkpoint.ts'
import { mostLevels, readLevels } from './posting/fts-index.ts'
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
import { scrubDue } from './record/cover-text.ts'

interface PurgeParts {
  readonly db: SqlDatabase
  readonly projection: Projection
  readonly archive: PostingArchive
  readonly settings: Settings
  readonly checkpoint: Pick<Checkpoint, 'scrub'> | undefined
  readonly sources: Pick<Sources, 'purged'>
}

export class Purge {
  readonly #parts: PurgeParts
  readonly #db: SqlDatabase

  constructor(parts: PurgeParts) {
    this.#parts = parts
    this.#db = parts.db
  }

  /** Deletes all remaining content of the forgotten record `id`. Inside a transaction. */
  purge(id: string, seq: number): void {
    const { settings, sources } = this.#parts
    const db = this.#db
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

  /** The same for a record that was purged elsewhere. */
  purgeRemote(id: string): void {
    const row = this.#db.get<{ seq: number }>('SELECT seq FROM records WHERE id = ?', [id])
    if (row) this.purge(id, row.seq)
  }

  /** Runs `work`, inside a transaction, and scans for texts that quote removed records once, at its end. */
  together<Result>(work: () => Result): Result {
    return erasingTogether(this.#db, work)
  }

  /** Clears deleted content from the text index and the files. Outside of a transaction. */
  scrub(): void {
    try {
      this.#clear()
    } catch (error) {
      if (!isDaybookError(error, 'storage-full')) throw error
      // Clear the rows from the files now. The scrub stays due: the index needs more disk space.
      this.#db.scrub()
    }
  }

  /** True when deleted content must still leave the files. */
  isDue(): boolean {
    return this.#parts.settings.get(scrubDue) !== undefined
  }

  #clear(): void {
    const { projection, archive, settings, checkpoint } = this.#parts
    const db = this.#db
    projection.catchUp()
    // The index only marks deleted rows; a merge of all its segments drops their words.
    archive.drop()
    if (readLevels(db) < mostLevels)
      db.transaction(() => db.run("INSERT INTO text_index (text_index) VALUES ('optimize')"))
    else this.#rebuildIndex()
    db.scrub()
    checkpoint?.scrub()
    // Last, so an interrupted scrub is repeated.
    if (this.isDue()) db.transaction(() => settings.remove(scrubDue))
  }

  /** Empties the text index: its rows are derived again with the next read or in idle time. */
  #rebuildIndex(): void {
    const db = this.#db
    db.transaction(() => {
      db.run("INSERT INTO text_index (text_index) VALUES ('delete-all')")
      // No text has this key, so every text counts as changed.
      db.run('UPDATE facets SET text_key = -1')
      for (const { seq } of db.all<{ seq: number }>('SELECT seq FROM facets'))
        this.#parts.projection.markStale(seq)
    })
  }
}
