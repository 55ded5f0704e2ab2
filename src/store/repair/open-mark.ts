// Whether the last engine of a book closed it, or ended in the middle. A note of it stands in the book while one is open.
// Invariant: a book that was found damaged keeps that note until it was mended, whoever opens it.
import type { SqlDatabase } from '../../core/ports.ts'
import type { Settings } from '../schema/settings.ts'

const key = 'open'
const blamed = 'damaged'

export interface OpenMark {
  /** The last engine did not close the book: its files are worth a look. */
  readonly wasLeft: boolean
  /** Inside the first transaction. */
  enter(now: string): void
  /** The book is being closed. */
  leave(): void
  /** Something in it could not be read: whoever opens it next mends it first. */
  blame(): void
}

export function createOpenMark(db: SqlDatabase, settings: Settings): OpenMark {
  let isBlamed = false
  /** A storage that fails now has failed before, and the note stands as it was. */
  const tryTo = (work: () => void) => {
    try {
      db.transaction(work)
    } catch {}
  }
  return {
    wasLeft: settings.get(key) !== undefined,
    enter: (now) => settings.set(key, now),
    leave() {
      if (!isBlamed) tryTo(() => settings.remove(key))
    },
    blame() {
      isBlamed = true
      tryTo(() => settings.set(key, blamed))
    },
  }
}

/** Whether the last engine of the book in `db` found something in it that it could not read. */
export function isBlamed(db: SqlDatabase): boolean {
  const known = db.get("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'book'")
  return (
    known !== undefined &&
    db.get('SELECT 1 AS one FROM book WHERE key = ? AND value = ?', [key, blamed]) !== undefined
  )
}

/** The tables that take pages of a database, by their names. */
export function tablesOf(db: SqlDatabase): string[] {
  return db
    .all<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY name",
    )
    .map(({ name }) => name)
}
