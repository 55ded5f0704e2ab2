// Records that are derived, read as the postings need them.
import type { Zone } from '../../core/calendar/zone.ts'
import type { Kinds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { parseTime } from '../../core/time.ts'
import type { Fragment } from '../schema/column.ts'
import { conditionOf } from '../condition/condition.ts'
import { plainSql } from '../condition/recall-scope.ts'
import { textOf } from '../word/text.ts'
import { tokenize } from '../word/tokenize.ts'
import type { Postings } from './postings.ts'

interface Source extends SqlRow {
  readonly seq: number
  readonly kind: string
  readonly happened_at: string
  readonly session: string | null
  readonly plain: number
  readonly light: number
  readonly body: string
}
const lightSql = `f.importance IS NULL AND f.confidence IS NULL AND f.pinned IS NOT 1
  AND NOT EXISTS (SELECT 1 FROM uses u WHERE u.seq = f.seq)`
const select = `SELECT f.seq, f.kind, f.happened_at, f.session, ${plainSql} AS plain, ${lightSql} AS light,
  CASE f.outdated WHEN 0 THEN r.body ELSE '{}' END AS body
  FROM facets f JOIN records r ON r.seq = f.seq`

/** What reading records for the postings takes. */
export interface ReaderParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly zone: Zone | undefined
  /** Only records for which all of these hold. */
  readonly bounds?: readonly Fragment[]
}

export interface DerivedReader {
  /** Takes these records into `postings`. */
  takeThese(postings: Postings, seqs: readonly number[]): void
  /** Takes up to `limit` records above `from`; answers up to which one they are taken in now. */
  takeAfter(
    postings: Postings,
    from: number,
    bounds: { readonly upTo: number; readonly limit: number },
  ): number
}

export function createDerivedReader({ db, kinds, zone, bounds = [] }: ReaderParts): DerivedReader {
  const within = bounds.length === 0 ? { sql: '', params: [] } : boundsOf(bounds)
  const take = (postings: Postings, row: Source) => {
    const kind = kinds.get(row.kind)
    const texts = kind ? textOf(kind, JSON.parse(row.body) as JsonObject, row.happened_at, zone) : []
    const terms = texts.flatMap((text) => tokenize(text))
    postings.set(row.seq, terms, {
      session: row.session ?? undefined,
      at: parseTime(row.happened_at) ?? 0,
      isPlain: row.plain === 1,
      isLight: row.light === 1,
    })
  }
  return {
    takeThese(postings, seqs) {
      const sql = `${select} WHERE f.seq IN (SELECT value FROM json_each(?)) ${within.sql}`
      for (const row of db.all<Source>(sql, [JSON.stringify(seqs), ...within.params])) take(postings, row)
    },
    takeAfter(postings, from, { upTo, limit }) {
      const sql = `${select} WHERE f.seq > ? AND f.seq <= ? ${within.sql} ORDER BY f.seq LIMIT ?`
      const rows = db.all<Source>(sql, [from, upTo, ...within.params, limit])
      for (const row of rows) take(postings, row)
      return rows.length < limit ? upTo : (rows.at(-1)?.seq ?? upTo)
    },
  }
}

function boundsOf(bounds: readonly Fragment[]) {
  const { condition, params } = conditionOf(bounds)
  return { sql: `AND ${condition}`, params }
}
