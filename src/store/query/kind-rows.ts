// All records of a kind that every call needs (policies, standing rules), read from `records`, so that no caller waits
// for the projection.
// Invariant: `version` changes whenever the result of `liveRows` changes, also inside a transaction and by its
// rollback.
import type { SqlDatabase } from '../../core/ports.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'

export interface KindRows {
  /** A text that callers compare for equality only. */
  version(): string
  /** The records that are not forgotten, in the order of storage. */
  liveRows(): RecordRow[]
}

interface VersionRow {
  readonly n: number
  readonly revs: number
  readonly last: string | null
}

/** `kind`: one with an index of its own, which SQLite uses only if the kind is a literal. */
export function createKindRows(db: SqlDatabase, kind: 'policy' | 'rule'): KindRows {
  return {
    version() {
      // Each change of a record raises its `rev`, and each new record has a new stamp.
      const { n, revs, last } = db.get<VersionRow & { [name: string]: string | number | null }>(
        `SELECT count(*) AS n, total(rev) AS revs, max(stamp) AS last FROM records WHERE kind = '${kind}'`,
      ) ?? { n: 0, revs: 0, last: null }
      return `${n} ${revs} ${last ?? ''}`
    },
    liveRows: () =>
      db.all<RecordRow>(
        `SELECT ${recordColumns} FROM records r WHERE r.kind = '${kind}' AND r.deleted = 0 ORDER BY r.seq`,
      ),
  }
}
