// Makes a new database out of a damaged one.
// Invariant: the new one says what was done with it, committed last: without that it is not finished, and not a book.
import type { SqlDatabase } from '../core/ports.ts'
import { migrate } from './migrate.ts'
import { salvage } from './salvage.ts'
import { createSettings } from './settings.ts'

/** What a book remembers of having been mended. */
export interface Mended {
  readonly at: string
  /** Where the damaged file is kept. */
  readonly aside: string
  readonly reason: string
  /** Live records, and changes among them that no mirror has acknowledged. */
  readonly records: number
  readonly unsent: number
  /** Tables of which something could not be read. */
  readonly broken: readonly string[]
}

export interface MendParts {
  /** Undefined when it can't be opened at all. */
  readonly damaged: SqlDatabase | undefined
  /** Empty. */
  readonly fresh: SqlDatabase
  readonly now: string
  readonly aside: string
  readonly reason: string
}

const key = 'mended'

/** Fills `fresh` with all there is. */
export function mend({ damaged, fresh, now, aside, reason }: MendParts): Mended {
  migrate(fresh, now)
  const { records, unsent, broken } = damaged
    ? salvage(damaged, fresh)
    : { records: 0, unsent: 0, broken: ['book', 'records'] }
  const mended: Mended = { at: now, aside, reason, records, unsent, broken }
  fresh.transaction(() => createSettings(fresh).set(key, JSON.stringify(mended)))
  return mended
}

/** How the book in `db` was mended, if it was. */
export function mendedOf(db: SqlDatabase): Mended | undefined {
  const known = db.get("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'book'")
  const text = known && createSettings(db).get(key)
  return text === undefined ? undefined : (JSON.parse(text) as Mended)
}

/** What the user is told while the damaged file is still there. */
export function mendedText({ at, aside, reason, records, unsent, broken }: Mended): string {
  const lost = broken.length > 0 ? `not all of ${broken.join(', ')} could be read` : 'nothing was lost'
  return `mended: on ${at} the file was damaged (${reason}): ${lost}. ${records} records and ${unsent} unsent changes are here; the damaged file is ${aside}, delete it when you need it no more.`
}
