// The report of a repair, which is stored in the new database of the book.
import type { SqlDatabase } from '../../core/ports.ts'
import { Settings } from '../schema/settings.ts'

/** The report of a repair, stored in the book. */
export interface RepairReport {
  /** Canonical time of the repair. */
  readonly at: string
  /**
   * The path to which the old file was moved: damaged, or older than its checkpoint. For a file that is gone,
   * the path of its log. Absent when neither existed.
   */
  readonly aside?: string
  /** Why the book was mended: the fault of its file, or one of the reasons below. */
  readonly reason: string
  /** Live records in the new database. */
  readonly records: number
  /** Ops that no mirror has acknowledged. */
  readonly unsent: number
  /** Live records from pages that no table links. */
  readonly scanned?: number
  /** Live records that came from the checkpoint. */
  readonly restored?: number
  /** Canonical time at which the checkpoint was last complete. */
  readonly restoredFrom?: string
  /** Tables that could not be read whole. */
  readonly broken: readonly string[]
}

/** The setting of the report. */
export const reportKey = 'mended'

/**
 * The reason to mend a whole file that lacks changes of its checkpoint: a backup replaced it, or a power cut lost
 * them.
 */
export const olderFileReason = 'the file is older than its checkpoint'

/** The report of the repair of the book in `db`; undefined when it was never mended. */
export function readRepairReport(db: SqlDatabase): RepairReport | undefined {
  const table = db.get("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'book'")
  const text = table && new Settings(db).get(reportKey)
  return text === undefined ? undefined : (JSON.parse(text) as RepairReport)
}

/** The reason to mend a book whose file is missing. */
export const missingFileReason = 'the file is gone'

/** How long the status shows a repair that left no damaged file, which the user could delete. */
const recentMs = 7 * 86_400_000
/** True when the repair is at most a week old. */
export const isRecentRepair = ({ at }: RepairReport, nowMs: number): boolean =>
  nowMs - Date.parse(at) < recentMs

/**
 * The text of a repair for the status, which shows it while the file `aside` exists; without such a file, for
 * a week.
 */
export function describeRepair(mended: RepairReport): string {
  const { at, aside, reason, records, unsent, broken, scanned = 0, restored = 0, restoredFrom } = mended
  const lost = broken.length > 0 ? `not all of ${broken.join(', ')} could be read` : 'nothing was lost'
  const checkpointTime = restoredFrom === undefined ? '' : ` of ${restoredFrom}`
  const fromPages = scanned > 0 ? `; ${scanned} records came from pages that no table linked` : ''
  const fromCheckpoint =
    restored > 0 ? `; ${restored} records came back from the checkpoint${checkpointTime}` : ''
  const contents = `${records} records and ${unsent} unsent changes are here`
  // With these reasons there is an old file, so `aside` is not undefined.
  if (reason === olderFileReason)
    return `mended: on ${at} the file was older than its checkpoint: later changes, also forgets, were taken from the checkpoint${fromCheckpoint}. ${contents}; the older file is ${aside}. To use it instead, move the checkpoint away and put the file in the place of the book; else delete it.`
  if (reason !== missingFileReason)
    return `mended: on ${at} the file was damaged (${reason}): ${lost}${fromPages}${fromCheckpoint}. ${contents}; the damaged file is ${aside}. Delete it when you no longer need it.`
  const log = aside === undefined ? '' : ` Its log is ${aside}. Delete it when you no longer need it.`
  return `mended: on ${at} the file was gone${fromPages}${fromCheckpoint}. ${contents}; everything else is lost.${log}`
}
