// Which records of a book are sealed, and under which keys.
import type { SqlDatabase } from '../../core/ports.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'

export interface SealedList {
  /** True when any record is sealed. */
  hasAny(): boolean
  /** How many live records lie under each key. */
  countByKey(): readonly { readonly kid: string; readonly count: number }[]
  /** Live sealed records after the id `after`, in the order of their ids. */
  page(after: string, limit: number): readonly RecordRow[]
}

export function createSealedList(db: Pick<SqlDatabase, 'get' | 'all'>): SealedList {
  return {
    hasAny: () => db.get('SELECT 1 AS one FROM records WHERE kid IS NOT NULL LIMIT 1') !== undefined,
    countByKey: () =>
      db.all<{ kid: string; count: number }>(
        'SELECT kid, count(*) AS count FROM records WHERE kid IS NOT NULL AND deleted = 0 GROUP BY kid',
      ),
    page: (after, limit) =>
      db.all<RecordRow>(
        `SELECT ${recordColumns} FROM records r WHERE r.kid IS NOT NULL AND r.deleted = 0 AND r.id > ?
         ORDER BY r.id LIMIT ?`,
        [after, limit],
      ),
  }
}
