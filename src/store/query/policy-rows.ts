// The policies of a book, read from `records`, so that no caller waits for the projection.
// Invariant: `version` changes whenever the result of `liveRows` changes, also inside a transaction and by its
// rollback.
import type { SqlDatabase } from '../../core/ports.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'

export interface PolicyRows {
  /** A text that callers compare for equality only. */
  version(): string
  /** The policies that are not forgotten, in the order of storage. */
  liveRows(): RecordRow[]
}

interface VersionRow {
  readonly n: number
  readonly revs: number
  readonly last: string | null
}

export function createPolicyRows(db: SqlDatabase): PolicyRows {
  return {
    version() {
      // Each change of a record raises its `rev`, and each new record has a new stamp.
      const { n, revs, last } = db.get<VersionRow & { [name: string]: string | number | null }>(
        `SELECT count(*) AS n, total(rev) AS revs, max(stamp) AS last FROM records WHERE kind = 'policy'`,
      ) ?? { n: 0, revs: 0, last: null }
      return `${n} ${revs} ${last ?? ''}`
    },
    liveRows: () =>
      db.all<RecordRow>(
        `SELECT ${recordColumns} FROM records r WHERE r.kind = 'policy' AND r.deleted = 0 ORDER BY r.seq`,
      ),
  }
}
