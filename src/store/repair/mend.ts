// Makes a new database out of a damaged one.
// Invariant: the new one says what was done with it, committed last: without that it is not finished, and not a book.
import type { SqlDatabase } from '../../core/ports.ts'
import { bookIdKey } from './checkpoint.ts'
import type { Pages } from './page-scan.ts'
import { aboutCopy } from './record-copy.ts'
import { migrate } from '../schema/migrate.ts'
import { salvage } from './salvage.ts'
import { createSettings } from '../schema/settings.ts'

/** What a book remembers of having been mended. */
export interface Mended {
  readonly at: string
  /** Where the damaged file is kept; absent where there was none any more. */
  readonly aside?: string
  readonly reason: string
  /** Live records, and changes among them that no mirror has acknowledged. */
  readonly records: number
  readonly unsent: number
  /** Live records that were read from pages to which no table leads any more. */
  readonly scanned?: number
  /** Live records that could not be read and came from the checkpoint of `restoredFrom`. */
  readonly restored?: number
  readonly restoredFrom?: string
  /** Tables of which something could not be read. */
  readonly broken: readonly string[]
}

export interface MendParts {
  /** Undefined when it can't be opened at all. */
  readonly damaged: SqlDatabase | undefined
  /** The copy of its records, if there is one that can be opened. */
  readonly checkpoint?: SqlDatabase | undefined
  /** The pages of the damaged file, for what no table leads to any more. */
  readonly pages?: Pages | undefined
  /** Empty. */
  readonly fresh: SqlDatabase
  readonly now: string
  readonly aside: string | undefined
  readonly reason: string
}

const key = 'mended'

/** Why a file is mended that is whole: a backup was put in its place, or a power cut took what the checkpoint has. */
export const olderReason = 'the file is older than its checkpoint'

/** Fills `fresh` with all there is. */
export function mend({ damaged, checkpoint, pages, fresh, now, aside, reason }: MendParts): Mended {
  migrate(fresh, now)
  const about = checkpoint && aboutCopy(checkpoint)
  const sources = { checkpoint: about && checkpoint, pages }
  const { restored, scanned, ...salvaged } = salvage(damaged, fresh, sources)
  const restoredFrom = restored > 0 ? about?.completeAt : undefined
  const mended: Mended = {
    at: now,
    ...(aside === undefined ? {} : { aside }),
    reason,
    ...salvaged,
    ...(scanned > 0 ? { scanned } : {}),
    ...(restored > 0 ? { restored } : {}),
    ...(restoredFrom === undefined ? {} : { restoredFrom }),
  }
  fresh.transaction(() => {
    const settings = createSettings(fresh)
    if (about?.book !== undefined && settings.get(bookIdKey) === undefined)
      settings.set(bookIdKey, about.book)
    settings.set(key, JSON.stringify(mended))
  })
  return mended
}

/** How the book in `db` was mended, if it was. */
export function mendedOf(db: SqlDatabase): Mended | undefined {
  const known = db.get("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'book'")
  const text = known && createSettings(db).get(key)
  return text === undefined ? undefined : (JSON.parse(text) as Mended)
}

/** Why a book is mended whose file is not there. */
export const goneReason = 'the file is gone'

/** Of a book whose file was gone nothing lies there that could be deleted when it was read. */
const newsMs = 7 * 86_400_000
export const isNews = ({ at }: Mended, nowMs: number): boolean => nowMs - Date.parse(at) < newsMs

/** What the status says while the damaged file is still there, or else for a week. */
export function mendedText(mended: Mended): string {
  const { at, aside, reason, records, unsent, broken, scanned = 0, restored = 0, restoredFrom } = mended
  const lost = broken.length > 0 ? `not all of ${broken.join(', ')} could be read` : 'nothing was lost'
  const from = restoredFrom === undefined ? '' : ` of ${restoredFrom}`
  const bare = scanned > 0 ? `; ${scanned} records came from pages that no table led to` : ''
  const back = restored > 0 ? `; ${restored} records came back from the checkpoint${from}` : ''
  const here = `${records} records and ${unsent} unsent changes are here`
  if (reason === olderReason)
    return `mended: on ${at} the file was older than its checkpoint: what came later was taken from that, and what it had forgotten was forgotten${back}. ${here}; the older file is ${aside}. To go back to it, move the checkpoint away and put it in the place of the book; else delete it.`
  if (reason !== goneReason)
    return `mended: on ${at} the file was damaged (${reason}): ${lost}${bare}${back}. ${here}; the damaged file is ${aside}, delete it when you need it no more.`
  const log = aside === undefined ? '' : ` Its log is ${aside}, delete it when you need it no more.`
  return `mended: on ${at} the file was gone${bare}${back}. ${here}; what did not come back is lost.${log}`
}
