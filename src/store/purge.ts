// Removes what is left of a forgotten record: versions, lost edits in the conflict log, answers to calls, its
// vector, its words, and the book's own embedding model, which may have learned from it and is trained again.
// Invariant: the tombstone stays, without content, so no mirror brings the record back.
import { isDaybookError } from '../core/errors.ts'
import type { SqlDatabase } from '../core/ports.ts'
import type { Checkpoint } from './repair/checkpoint.ts'
import { maxLevels, readLevelCount } from './posting/fts-index.ts'
import type { PostingArchive } from './posting/posting-archive.ts'
import type { Projection } from './record/projection.ts'
import type { Settings } from './schema/settings.ts'
import type { Sources } from './record/sources.ts'
import {
  conflictsOfRecord,
  eraseAnswers,
  eraseTaskInputs,
  eraseRows,
  eraseInBatch,
  historyOfRecord,
  modelParts,
  stagedOfRecord,
  vectorOfRecord,
} from './record/erase-rows.ts'
import { scrubDue } from './record/cover-text.ts'

interface PurgeDeps {
  readonly db: SqlDatabase
  readonly projection: Projection
  readonly archive: PostingArchive
  readonly settings: Settings
  readonly checkpoint: Pick<Checkpoint, 'scrub'> | undefined
  readonly sources: Pick<Sources, 'markPurged'>
}

export class Purge {
  readonly #deps: PurgeDeps
  readonly #db: SqlDatabase

  constructor(deps: PurgeDeps) {
    this.#deps = deps
    this.#db = deps.db
  }

  /**
   * Deletes the remaining content of the forgotten record `id` with the number `seq`. Call it inside a transaction.
   */
  purge(id: string, seq: number): void {
    const { settings, sources } = this.#deps
    const db = this.#db
    // The texts are deleted below; a scrub clears their bytes from the files.
    settings.set(scrubDue, 1)
    sources.markPurged(id)
    eraseRows(db, historyOfRecord, [seq])
    eraseRows(db, conflictsOfRecord, [id])
    eraseRows(db, stagedOfRecord, [id])
    eraseRows(db, vectorOfRecord, [seq])
    db.run('DELETE FROM uses WHERE seq = ?', [seq])
    eraseRows(db, modelParts)
    // The head of the model, whose parts are erased.
    settings.remove('model')
    eraseAnswers(db, id)
    eraseTaskInputs(db, { id, seq })
  }

  /** Purges a record that another copy purged. Does nothing when the record is not here. */
  purgeRemote(id: string): void {
    const row = this.#db.get<{ seq: number }>('SELECT seq FROM records WHERE id = ?', [id])
    if (row) this.purge(id, row.seq)
  }

  /**
   * Runs `work` and then scans once for texts that quote the records that it purged. Call it inside a transaction.
   */
  purgeTogether<Result>(work: () => Result): Result {
    return eraseInBatch(this.#db, work)
  }

  /** Clears deleted content from the text index and the files. Call it outside of transactions. */
  scrub(): void {
    try {
      this.#scrubAll()
    } catch (error) {
      if (!isDaybookError(error, 'storage-full')) throw error
      // Clear the deleted rows from the files now. The index needs more disk space: the scrub stays due.
      this.#db.scrub()
    }
  }

  /** True when the files may contain deleted content: call `scrub`. */
  isDue(): boolean {
    return this.#deps.settings.get(scrubDue) !== undefined
  }

  #scrubAll(): void {
    const { projection, archive, settings, checkpoint } = this.#deps
    const db = this.#db
    projection.catchUp()
    // The index only marks deleted rows; a merge of all its segments drops their words.
    archive.drop()
    // On a full disk the merge may fail and leave a larger log: then earlier commits in the log had no space in the file.
    db.scrub('space')
    // Each merge adds a level; an index with too many is rebuilt.
    if (readLevelCount(db) < maxLevels)
      db.transaction(() => db.run("INSERT INTO text_index (text_index) VALUES ('optimize')"))
    else this.#rebuildIndex()
    db.scrub()
    checkpoint?.scrub()
    // Comes last, so an interrupted scrub runs again.
    if (this.isDue()) db.transaction(() => settings.remove(scrubDue))
  }

  /** Empties the text index. The next read, or idle time, derives its rows again. */
  #rebuildIndex(): void {
    const db = this.#db
    db.transaction(() => {
      db.run("INSERT INTO text_index (text_index) VALUES ('delete-all')")
      // No text has the key -1, so every text counts as changed.
      db.run('UPDATE facets SET text_key = -1')
      for (const { seq } of db.all<{ seq: number }>('SELECT seq FROM facets'))
        this.#deps.projection.markStale(seq)
    })
  }
}
