// A setting that is in the book while it is open, so the next engine knows whether the last one closed it.
// Invariant: a book found damaged keeps a note of that until it is mended.
import type { SqlDatabase } from '../../core/ports.ts'
import type { Settings } from '../schema/settings.ts'

const key = 'open'
const blamed = 'damaged'

export interface OpenMark {
  /** The last engine did not close the book: its files need a check. */
  readonly wasOpen: boolean
  /** Notes that the book is open. Inside the first transaction. */
  enter(now: string): void
  /** Notes that the book is closed. */
  leave(): void
  /** Notes that the book is damaged: the next opening mends it first. */
  blame(): void
}

export function createOpenMark(db: SqlDatabase, settings: Settings): OpenMark {
  let isBlamed = false
  /** Ignores failures: a storage that fails now has failed before, and the note stays as it was. */
  const tryTo = (work: () => void) => {
    try {
      db.transaction(work)
    } catch {}
  }
  return {
    wasOpen: settings.get(key) !== undefined,
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

/** True when the last engine of the book in `db` found damage. */
export function isBlamed(db: SqlDatabase): boolean {
  const table = db.get("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'book'")
  return (
    table !== undefined &&
    db.get('SELECT 1 AS one FROM book WHERE key = ? AND value = ?', [key, blamed]) !== undefined
  )
}
