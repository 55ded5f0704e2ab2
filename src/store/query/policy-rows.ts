// The policies of a book as the door reads them, without waiting for anything to be derived.
// Invariant: `version` is another one whenever what `live` answers is, also inside a transaction and when that is undone.
import type { SqlDatabase } from '../../core/ports.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'

export interface PolicyRows {
  version(): string
  live(): RecordRow[]
}

interface Counted {
  readonly n: number
  readonly revs: number
  readonly last: string | null
}

export function createPolicyRows(db: SqlDatabase): PolicyRows {
  return {
    version() {
      // A version of a record has a number one higher than the one before, and what comes into being a stamp of its own.
      const { n, revs, last } = db.get<Counted & { [name: string]: string | number | null }>(
        `SELECT count(*) AS n, total(rev) AS revs, max(stamp) AS last FROM records WHERE kind = 'policy'`,
      ) ?? { n: 0, revs: 0, last: null }
      return `${n} ${revs} ${last ?? ''}`
    },
    live: () =>
      db.all<RecordRow>(
        `SELECT ${recordColumns} FROM records r WHERE r.kind = 'policy' AND r.deleted = 0 ORDER BY r.seq`,
      ),
  }
}
