// The checkpoint: a copy of the records in a second file, for when pages of the first can't be read any more.
// Invariants: a step may be cut anywhere, and the next one goes on from there. What was forgotten, purged or sealed is out
// of the copy before that is answered; after a cut in between, at the next step.
import { isDaybookError, toDaybookError } from '../../core/errors.ts'
import { toHex } from '../../core/ids.ts'
import type { Clock, Log, Random, CheckpointFile, SqlDatabase, SqlRow } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import {
  type AboutCopy,
  columnsOf,
  CopyFault,
  type CopyMark,
  openRecordCopy,
  type RecordCopy,
} from './record-copy.ts'
import { isWholeBody } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'

export interface Checkpoint {
  /** A record that was here before changed. Inside the transaction. `isCovered`: what it said must not stay. */
  changed(seq: number, isCovered: boolean): void
  /** After a commit: takes out what was covered. Throws nothing. */
  committed(): void
  /** Copies up to `limit` records; true when more are behind. For idle time. Throws what is wrong with the book. */
  step(limit: number): boolean
  /** Takes what was deleted out of its file for good. */
  scrub(): void
  /** Removes the copy, so that a full book gets its space, and makes none for a week. False when there was none. */
  giveUp(): boolean
  /** When the copy last had everything; undefined when there is none, or nobody has looked yet. */
  completeAt(): string | undefined
  close(): void
}

export interface CheckpointParts {
  readonly db: SqlDatabase
  readonly file: CheckpointFile
  /** False: there is to be none, and what there is of an earlier opening is removed. */
  readonly isWanted: boolean
  readonly settings: Settings
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** The setting that says which copy is the book's. */
const markKey = 'checkpoint'
/** The setting that says which book this is, for whoever finds a copy beside another one. */
export const bookIdKey = 'book_id'
/** Which records changed since they were copied. A copy that begins anew needs none, so no migration makes this table. */
const staleTable = 'CREATE TABLE IF NOT EXISTS checkpoint_stale (seq INTEGER PRIMARY KEY)'
/** Records that are covered at once. */
const batch = 500
/** When the storage was full, and no longer than this ago, there is no copy. */
const fullKey = 'checkpoint_full_at'
const fullMs = 7 * 86_400_000

/** Undefined when none is wanted. */
export function createCheckpoint(parts: CheckpointParts): Checkpoint | undefined {
  const { db, file, settings, clock, random, log } = parts
  if (!parts.isWanted) {
    forget(parts)
    return undefined
  }
  if (!prepare(parts)) return undefined
  const columns = columnsOf(db)
  let copy: RecordCopy | undefined
  let isOff = false
  let mustCover = false
  let isComplete = false
  let completeAt: string | undefined
  let mark: CopyMark = { word: '', serial: 0 }

  const setMark = (next: CopyMark) => {
    mark = next
    db.transaction(() => settings.set(markKey, `${next.word} ${next.serial}`))
  }
  const ownId = () => {
    const id = settings.get(bookIdKey) ?? `b_${toHex(random.bytes(16))}`
    db.transaction(() => settings.set(bookIdKey, id))
    return id
  }
  const close = () => {
    isOff = true
    isComplete = mustCover = false
    const closing = copy
    copy = undefined
    closing?.close()
  }
  const stop = () => {
    completeAt = undefined
    try {
      close()
    } finally {
      forget(parts)
    }
  }
  /**
   * Runs `work`. A copy that fails is taken away, or that stands in the way of a full book: without it all goes on, and the
   * next opening makes another. What else is wrong with the book is thrown.
   */
  const attempt = <Result>(work: () => Result): Result | undefined => {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof CopyFault) && !isDaybookError(error, 'storage-full')) throw error
      log.warn('The checkpoint failed. It is begun anew when the book is next opened.', { code: error.code })
      stop()
      return undefined
    }
  }

  const open = (): RecordCopy | undefined => {
    if (copy || isOff) return copy
    const wasFull = clock.now() - settings.getNumber(fullKey) < fullMs
    if (wasFull || !file.fits(db.sizeBytes())) {
      stop()
      return undefined
    }
    const known = markOf(settings.get(markKey))
    copy = openRecordCopy(file, columns, known)
    completeAt = copy.completeAt()
    if (!copy.wasThere) db.transaction(() => db.run('DELETE FROM checkpoint_stale'))
    const word = toHex(random.bytes(16))
    copy.name(ownId(), word, known?.word)
    setMark({ word, serial: 0 })
    copy.settleName()
    return copy
  }

  /** `read` comes after the note of it, so that a book which has the note has what was read. */
  const put = (to: RecordCopy, gone: readonly number[], read: () => readonly SqlRow[]): number => {
    setMark({ ...mark, serial: mark.serial + 1 })
    const rows = read()
    // Bytes that are no body any more take nobody's place.
    const broken = new Set(rows.flatMap(({ seq, body }) => (isWholeBody(body) ? [] : [seq])))
    isComplete = false
    to.put(
      gone.filter((seq) => !broken.has(seq)),
      rows.filter(({ seq }) => gone.length === 0 || !broken.has(seq ?? null)),
      mark.serial,
    )
    return rows.length
  }

  /** Brings over what changed; true when there may be more. */
  const renew = (to: RecordCopy, limit: number): boolean => {
    const marks = db
      .all<{ seq: number }>('SELECT seq FROM checkpoint_stale ORDER BY seq LIMIT ?', [limit])
      .map(({ seq }) => seq)
    if (marks.length === 0) return false
    // What lies ahead is copied when its turn comes.
    const last = to.last()
    const stale = marks.filter((seq) => seq <= last)
    if (stale.length > 0) put(to, stale, () => between(db, stale[0] ?? 0, stale.at(-1) ?? 0))
    db.transaction(() => {
      for (const seq of marks) db.run('DELETE FROM checkpoint_stale WHERE seq = ?', [seq])
    })
    return marks.length === limit
  }

  /** Brings over what is new; true when there may be more. */
  const extend = (to: RecordCopy, limit: number): boolean => {
    const last = to.last()
    const isThere = db.get('SELECT 1 AS one FROM records WHERE seq > ? LIMIT 1', [last])
    const next = () => db.all('SELECT * FROM records WHERE seq > ? ORDER BY seq LIMIT ?', [last, limit])
    return isThere !== undefined && put(to, [], next) === limit
  }

  const cover = () => {
    mustCover = false
    if (isOff || (!copy && !file.exists())) return undefined
    const to = open()
    while (to && renew(to, batch));
    return to
  }

  return {
    changed(seq, isCovered) {
      if (isOff) return
      db.run('INSERT OR IGNORE INTO checkpoint_stale (seq) VALUES (?)', [seq])
      mustCover ||= isCovered
    },
    committed() {
      if (!mustCover) return
      try {
        attempt(cover)
      } catch {
        // The marks stay, and with them the next step's work; a fault of the book is thrown to whoever meets it next.
        log.warn('The checkpoint still has what was forgotten, until its next step.')
      }
    },
    step(limit) {
      const more = attempt(() => {
        const to = open()
        if (!to || renew(to, limit) || extend(to, limit)) return to !== undefined
        if (isComplete) return false
        const now = formatTime(clock.now())
        to.complete(now)
        completeAt = now
        isComplete = true
        return false
      })
      return more ?? false
    },
    scrub: () => attempt(() => cover()?.scrub()),
    giveUp() {
      const wasThere = !isOff && (copy !== undefined || file.exists())
      attempt(stop)
      if (wasThere) attempt(() => db.transaction(() => settings.set(fullKey, clock.now())))
      return wasThere
    },
    completeAt: () => completeAt,
    close: () => attempt(close),
  }
}

/** False where there is no space to note what changed. */
function prepare(parts: CheckpointParts): boolean {
  try {
    parts.db.exec(staleTable)
    return true
  } catch (error) {
    if (!isDaybookError(error, 'storage-full')) throw error
    forget(parts)
    return false
  }
}

/** True where the book lacks changes that the copy of `about` has seen: its file was put back, or a power cut took them. */
export const mayBeBehind = (settings: Pick<Settings, 'get'>, about: AboutCopy): boolean => {
  const mark = markOf(settings.get(markKey))
  return mark === undefined || !about.knows(mark)
}

function markOf(text: string | undefined): CopyMark | undefined {
  const [word = '', serial = ''] = text?.split(' ') ?? []
  return word === '' ? undefined : { word, serial: Number(serial) }
}

/** What changes without a checkpoint is not marked, so the one there is must never be taken for the book's again. */
function forget({ db, file, settings, log }: CheckpointParts): void {
  const remove = () => file.exists() && file.remove()
  const disown = () => settings.get(markKey) !== undefined && db.transaction(() => settings.remove(markKey))
  for (const work of [remove, disown]) {
    try {
      work()
    } catch (error) {
      log.warn('A checkpoint could not be removed.', { code: toDaybookError(error).code })
    }
  }
}

/** The records that are marked between two marks, the ends included. */
const between = (db: SqlDatabase, first: number, last: number): SqlRow[] =>
  db.all(
    'SELECT * FROM records WHERE seq IN (SELECT seq FROM checkpoint_stale WHERE seq BETWEEN ? AND ?) ORDER BY seq',
    [first, last],
  )
