// The open mark: a setting that exists while a book is open, so that the next engine can tell whether the last one
// closed it.
// Invariant: the setting of a damaged book stays until it is mended.
import type { SqlDatabase } from '../../core/ports.ts'
import type { Settings } from '../schema/settings.ts'

const openKey = 'open'
const damagedValue = 'damaged'

export interface OpenMark {
  /** True when the last engine did not close the book: then its files need a check. */
  readonly wasOpen: boolean
  /** Marks the book as open. Call it inside a transaction. `now`: canonical time. */
  markOpen(now: string): void
  /** From now on `markClosed` leaves the mark, so that the next engine checks the files again. */
  keepOpen(): void
  /** Marks the book as closed, unless it is damaged or `keepOpen` was called. Never throws. */
  markClosed(): void
  /** Marks the book as damaged: the next opening mends it first. Never throws. */
  markDamaged(): void
}

export function createOpenMark(db: SqlDatabase, settings: Settings): OpenMark {
  /** True: the mark stays when the book is closed. */
  let stays = false
  /** Runs `work` in a transaction and ignores failures: then the mark stays as it is. */
  const tryTo = (work: () => void) => {
    try {
      db.transaction(work)
    } catch {}
  }
  return {
    wasOpen: settings.get(openKey) !== undefined,
    markOpen: (now) => settings.set(openKey, now),
    keepOpen() {
      stays = true
    },
    markClosed() {
      if (!stays) tryTo(() => settings.remove(openKey))
    },
    markDamaged() {
      stays = true
      tryTo(() => settings.set(openKey, damagedValue))
    },
  }
}

/** True when the book in `db` is marked as damaged. */
export function isMarkedDamaged(db: SqlDatabase): boolean {
  const table = db.get("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'book'")
  return (
    table !== undefined &&
    db.get('SELECT 1 AS one FROM book WHERE key = ? AND value = ?', [openKey, damagedValue]) !== undefined
  )
}
