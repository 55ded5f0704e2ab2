// Which records of a book are sealed, and under which keys.
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'

export interface SealedList {
  /** True when any record is sealed. */
  hasAny(): boolean
  /** The keys that anything is sealed under. */
  keys(): readonly string[]
  /** How many live records lie under each key. */
  countByKey(): readonly { readonly kid: string; readonly count: number }[]
  /** What lies under these keys: of all records, or of these. */
  under(
    kids: readonly string[],
    seqs?: readonly number[],
  ): readonly { readonly seq: number; readonly body: string }[]
  /** Live sealed records after the id `after`, in the order of their ids. */
  page(after: string, limit: number): readonly RecordRow[]
}

type UnderRow = SqlRow & { readonly seq: number; readonly body: string }

export function createSealedList(db: Pick<SqlDatabase, 'get' | 'all'>): SealedList {
  return {
    hasAny: () => db.get('SELECT 1 AS one FROM records WHERE kid IS NOT NULL LIMIT 1') !== undefined,
    // From each key to the next one of the index: there are few keys, and may be many records.
    keys: () =>
      db
        .all<{ kid: string }>(
          `WITH RECURSIVE under (kid) AS (
             SELECT min(kid) FROM records WHERE kid IS NOT NULL
             UNION ALL
             SELECT (SELECT min(kid) FROM records WHERE kid > under.kid) FROM under WHERE under.kid IS NOT NULL
           ) SELECT kid FROM under WHERE kid IS NOT NULL`,
        )
        .map(({ kid }) => kid),
    countByKey: () =>
      db.all<{ kid: string; count: number }>(
        'SELECT kid, count(*) AS count FROM records WHERE kid IS NOT NULL AND deleted = 0 GROUP BY kid',
      ),
    under(kids, seqs) {
      const select =
        'SELECT seq, body FROM records WHERE kid IN (SELECT value FROM json_each(?)) AND deleted = 0'
      if (!seqs) return db.all<UnderRow>(select, [JSON.stringify(kids)])
      const some = `${select} AND seq IN (SELECT value FROM json_each(?))`
      return db.all<UnderRow>(some, [JSON.stringify(kids), JSON.stringify(seqs)])
    },
    page: (after, limit) =>
      db.all<RecordRow>(
        `SELECT ${recordColumns} FROM records r WHERE r.kid IS NOT NULL AND r.deleted = 0 AND r.id > ?
         ORDER BY r.id LIMIT ?`,
        [after, limit],
      ),
  }
}
