// Makes a new database from a damaged one.
// Invariant: the report of the repair is committed last. A new database without a report is unfinished and must not
// be used.
import { defined } from '../../core/defined.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { bookIdKey, mayBeBehind } from './checkpoint.ts'
import { ignoreDamage } from './damage.ts'
import type { Pages } from './page-scan.ts'
import { type CopyDescription, describeCopy } from './record-copy.ts'
import { migrate } from '../schema/version.ts'
import { salvage } from './salvage.ts'
import { type RepairReport, reportKey } from './repair-report.ts'
import { Settings } from '../schema/settings.ts'

export interface RepairInput {
  /** Undefined when the file is gone or can't be opened. */
  readonly damaged: SqlDatabase | undefined
  /** The checkpoint of the book. Undefined without one, or when it can't be opened. */
  readonly checkpoint?: SqlDatabase | undefined
  /** The pages of the damaged file, for records that no table links. */
  readonly pages?: Pages | undefined
  /** The new database: empty. */
  readonly target: SqlDatabase
  readonly now: string
  /** See `RepairReport`. */
  readonly aside: string | undefined
  readonly reason: string
}

/** Fills `target` with everything that can be read, and stores the report. */
export function repairBook({
  damaged,
  checkpoint,
  pages,
  target,
  now,
  aside,
  reason,
}: RepairInput): RepairReport {
  migrate(target, now)
  const about = checkpoint && describeCopy(checkpoint)
  const isBehind = damaged && about && lacksChanges(damaged, about)
  const sources = { checkpoint: about && checkpoint, pages, isBehind: isBehind === true }
  const { restored, scanned, ...salvaged } = salvage(damaged, target, sources)
  const restoredFrom = restored > 0 ? about?.completeAt : undefined
  const mended: RepairReport = {
    at: now,
    ...defined({ aside }),
    reason,
    ...salvaged,
    ...(scanned > 0 ? { scanned } : {}),
    ...(restored > 0 ? { restored } : {}),
    ...defined({ restoredFrom }),
  }
  target.transaction(() => {
    const settings = new Settings(target)
    if (about?.book !== undefined && settings.get(bookIdKey) === undefined)
      settings.set(bookIdKey, about.book)
    settings.set(reportKey, JSON.stringify(mended))
  })
  return mended
}

/** True when `damaged` may lack changes of its checkpoint; undefined when that can't be read. */
function lacksChanges(damaged: SqlDatabase, about: CopyDescription): boolean | undefined {
  try {
    return mayBeBehind(new Settings(damaged), about)
  } catch (error) {
    return ignoreDamage(error)
  }
}
