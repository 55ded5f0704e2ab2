// The checkpoint: a copy of the records in a second file, in case pages of the book's file become unreadable. A step
// can be interrupted at any point; the next step continues there.
// Invariant: forgotten, purged or sealed content leaves the copy before the call is answered; after an interruption,
// at the next step.
import { isDaybookError, toDaybookError } from '../../core/errors.ts'
import { toHex } from '../../core/ids.ts'
import type { Clock, Log, Random, CheckpointFile, SqlDatabase, SqlRow } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import {
  type CopyDescription,
  columnsOf,
  CopyFault,
  type CopyMark,
  openRecordCopy,
  type RecordCopy,
} from './record-copy.ts'
import { isIntactBody } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'

export interface CheckpointDeps {
  readonly db: SqlDatabase
  readonly file: CheckpointFile
  /** False: an existing checkpoint is removed, and none is made. */
  readonly isWanted: boolean
  readonly settings: Settings
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** The setting with the mark of the copy: the id of this opening, a space, and how many batches it has copied. */
const markKey = 'checkpoint'
/** The setting with the id of the book, by which copies of different books differ. */
export const bookIdKey = 'book_id'
/**
 * The table of records that changed since they were copied. A new copy begins with an empty table: no migration
 * makes it.
 */
const createStaleTableSql = 'CREATE TABLE IF NOT EXISTS checkpoint_stale (seq INTEGER PRIMARY KEY)'
/** Records that `#removeContent` copies in one step. */
const removalBatch = 500
/** The setting with the time at which the copy was removed for its space. */
const removedForSpaceKey = 'checkpoint_full_at'
/** No copy is made for this long after that. */
const pauseAfterRemovalMs = 7 * 86_400_000

/** Undefined when no checkpoint is wanted, and when the disk is full. */
export function startCheckpoint(deps: CheckpointDeps): Checkpoint | undefined {
  if (deps.isWanted) return createStaleTable(deps) ? new Checkpoint(deps) : undefined
  removeCheckpoint(deps)
  return undefined
}

export class Checkpoint {
  readonly #deps: CheckpointDeps
  readonly #db: SqlDatabase
  readonly #columns: readonly string[]
  /** Undefined until it is opened. */
  #copy: RecordCopy | undefined
  /** True after `close` and after a failure: this engine makes no other copy. */
  #isOff = false
  /** True when a commit changed records whose earlier content must leave the copy. */
  #mustRemoveContent = false
  /** True once `#completeAt` is stored, until the next row is copied. */
  #isComplete = false
  /** See `completeAt()`. */
  #completeAt: string | undefined
  /** The mark that the book stored last; an empty id until the copy is opened. */
  #mark: CopyMark = { openingId: '', serial: 0 }

  constructor(deps: CheckpointDeps) {
    this.#deps = deps
    this.#db = deps.db
    this.#columns = columnsOf(deps.db)
  }

  /**
   * Call it for each change of an existing record, inside its transaction. `mustRemoveContent`: the content before
   * must not stay.
   */
  markChanged(seq: number, mustRemoveContent: boolean): void {
    if (this.#isOff) return
    this.#db.run('INSERT OR IGNORE INTO checkpoint_stale (seq) VALUES (?)', [seq])
    this.#mustRemoveContent ||= mustRemoveContent
  }

  /** Call it after each commit: removes content that must not stay. Never throws. */
  afterCommit(): void {
    if (!this.#mustRemoveContent) return
    try {
      this.#attempt(() => this.#removeContent())
    } catch {
      // The rows of `checkpoint_stale` stay, so the next step does the work. A fault of the book fails the next call
      // too.
      this.#deps.log.warn('The checkpoint still has what was forgotten, until its next step.')
    }
  }

  /** Copies up to `limit` records; true when more are pending. Call it in idle time. Throws faults of the book. */
  step(limit: number): boolean {
    const hasMore = this.#attempt(() => {
      const copy = this.#openCopy()
      if (!copy || this.#copyChanged(copy, limit) || this.#copyNew(copy, limit)) return copy !== undefined
      if (this.#isComplete) return false
      const now = formatTime(this.#deps.clock.now())
      copy.setCompleteAt(now)
      this.#completeAt = now
      this.#isComplete = true
      return false
    })
    return hasMore ?? false
  }

  /** Removes content that must not stay, and clears deleted bytes from the copy's file. */
  scrub(): void {
    this.#attempt(() => this.#removeContent()?.scrub())
  }

  /**
   * Removes the copy, so that a full disk has space for the book, and makes none for a week. False when no copy
   * existed.
   */
  removeForSpace(): boolean {
    const { file, settings, clock } = this.#deps
    const existed = !this.#isOff && (this.#copy !== undefined || file.exists())
    this.#attempt(() => this.#stop())
    if (existed)
      this.#attempt(() => this.#db.transaction(() => settings.set(removedForSpaceKey, clock.now())))
    return existed
  }

  /** Canonical time at which the copy was last complete; undefined without a copy, or before the first step. */
  completeAt(): string | undefined {
    return this.#completeAt
  }

  close(): void {
    this.#attempt(() => this.#close())
  }

  /**
   * Runs `work`. When the copy fails or the disk is full, it removes the copy and returns undefined: the book works
   * without, and the next opening makes another copy. Throws faults of the book.
   */
  #attempt<Result>(work: () => Result): Result | undefined {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof CopyFault) && !isDaybookError(error, 'storage-full')) throw error
      this.#deps.log.warn('The checkpoint failed. The next opening of the book makes a new one.', {
        code: error.code,
      })
      this.#stop()
      return undefined
    }
  }

  /** Closes the copy for the rest of this engine, and removes it. */
  #stop(): void {
    this.#completeAt = undefined
    try {
      this.#close()
    } finally {
      removeCheckpoint(this.#deps)
    }
  }

  #close(): void {
    this.#isOff = true
    this.#isComplete = this.#mustRemoveContent = false
    const copy = this.#copy
    this.#copy = undefined
    copy?.close()
  }

  /** The copy, opened at the first call; undefined after a failure and, for a week, after a full disk. */
  #openCopy(): RecordCopy | undefined {
    if (this.#copy || this.#isOff) return this.#copy
    const { file, settings, clock, random } = this.#deps
    const wasFull = clock.now() - settings.getNumber(removedForSpaceKey) < pauseAfterRemovalMs
    if (wasFull || !file.fits(this.#db.sizeBytes())) {
      this.#stop()
      return undefined
    }
    const mark = parseMark(settings.get(markKey))
    const copy = openRecordCopy(file, this.#columns, mark)
    this.#copy = copy
    this.#completeAt = copy.completeAt()
    // A new copy has no records yet, so `#copyNew` copies all.
    if (!copy.existed) this.#db.transaction(() => this.#db.run('DELETE FROM checkpoint_stale'))
    const openingId = toHex(random.bytes(16))
    copy.setIdentity(this.#bookId(), openingId, mark?.openingId)
    this.#setMark({ openingId, serial: 0 })
    copy.confirmIdentity()
    return copy
  }

  #bookId(): string {
    const { settings, random } = this.#deps
    const id = settings.get(bookIdKey) ?? `b_${toHex(random.bytes(16))}`
    this.#db.transaction(() => settings.set(bookIdKey, id))
    return id
  }

  #setMark(mark: CopyMark): void {
    this.#mark = mark
    this.#db.transaction(() => this.#deps.settings.set(markKey, `${mark.openingId} ${mark.serial}`))
  }

  /**
   * Replaces the records `removedSeqs` (empty for new records) by the rows of `read`. Stores the mark first,
   * so a book with this mark has all that was read. Returns how many rows it read.
   */
  #replaceRows(copy: RecordCopy, removedSeqs: readonly number[], read: () => readonly SqlRow[]): number {
    this.#setMark({ ...this.#mark, serial: this.#mark.serial + 1 })
    const rows = read()
    // Don't replace a whole body in the copy by a broken one.
    const broken = new Set(rows.flatMap(({ seq, body }) => (isIntactBody(body) ? [] : [seq])))
    this.#isComplete = false
    copy.replaceRows(
      removedSeqs.filter((seq) => !broken.has(seq)),
      // The copy has no whole body of a new record.
      rows.filter(({ seq }) => removedSeqs.length === 0 || !broken.has(seq ?? null)),
      this.#mark.serial,
    )
    return rows.length
  }

  /** Copies up to `limit` changed records; true when more may be pending. */
  #copyChanged(copy: RecordCopy, limit: number): boolean {
    const marked = this.#db
      .all<{ seq: number }>('SELECT seq FROM checkpoint_stale ORDER BY seq LIMIT ?', [limit])
      .map(({ seq }) => seq)
    if (marked.length === 0) return false
    // `#copyNew` copies the records after the last one.
    const last = copy.lastSeq()
    const stale = marked.filter((seq) => seq <= last)
    if (stale.length > 0)
      this.#replaceRows(copy, stale, () => staleRows(this.#db, stale[0] ?? 0, stale.at(-1) ?? 0))
    this.#db.transaction(() => {
      for (const seq of marked) this.#db.run('DELETE FROM checkpoint_stale WHERE seq = ?', [seq])
    })
    return marked.length === limit
  }

  /** Copies up to `limit` new records; true when more may be pending. */
  #copyNew(copy: RecordCopy, limit: number): boolean {
    const last = copy.lastSeq()
    const hasNew = this.#db.get('SELECT 1 AS one FROM records WHERE seq > ? LIMIT 1', [last]) !== undefined
    const sql = 'SELECT * FROM records WHERE seq > ? ORDER BY seq LIMIT ?'
    return hasNew && this.#replaceRows(copy, [], () => this.#db.all(sql, [last, limit])) === limit
  }

  /** Copies all changed records, so earlier content leaves the copy. Returns it; undefined without one. */
  #removeContent(): RecordCopy | undefined {
    this.#mustRemoveContent = false
    if (this.#isOff || (!this.#copy && !this.#deps.file.exists())) return undefined
    const copy = this.#openCopy()
    while (copy && this.#copyChanged(copy, removalBatch));
    return copy
  }
}

/** Makes the table of stale records; false when the disk is full. */
function createStaleTable(deps: CheckpointDeps): boolean {
  try {
    deps.db.exec(createStaleTableSql)
    return true
  } catch (error) {
    if (!isDaybookError(error, 'storage-full')) throw error
    removeCheckpoint(deps)
    return false
  }
}

/** True when the book may lack changes that the copy has: an older file replaced it, or a power cut lost them. */
export const mayBeBehind = (settings: Pick<Settings, 'get'>, about: CopyDescription): boolean => {
  const mark = parseMark(settings.get(markKey))
  return mark === undefined || !about.isContainedIn(mark)
}

function parseMark(text: string | undefined): CopyMark | undefined {
  const [openingId = '', serial = ''] = text?.split(' ') ?? []
  return openingId === '' ? undefined : { openingId, serial: Number(serial) }
}

/**
 * Removes the copy and its mark. Without a checkpoint, changes are not noted, so no later engine may use this copy.
 */
function removeCheckpoint({ db, file, settings, log }: CheckpointDeps): void {
  const removeFile = () => file.exists() && file.remove()
  const removeMark = () =>
    settings.get(markKey) !== undefined && db.transaction(() => settings.remove(markKey))
  for (const work of [removeFile, removeMark]) {
    try {
      work()
    } catch (error) {
      log.warn('A checkpoint could not be removed.', { code: toDaybookError(error).code })
    }
  }
}

/** The rows of the stale records with numbers from `first` to `last`. */
const staleRows = (db: SqlDatabase, first: number, last: number): SqlRow[] =>
  db.all(
    'SELECT * FROM records WHERE seq IN (SELECT seq FROM checkpoint_stale WHERE seq BETWEEN ? AND ?) ORDER BY seq',
    [first, last],
  )
