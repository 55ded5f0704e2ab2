// How many live records there are, of which kinds, from when to when, and how much space they take.
// Invariant: who may see only some of the records gets numbers of these alone.
import type { Extent, RunQuery, RunSpan } from '../../core/capability/port/record-port.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { conditionOf, type Read } from '../condition/condition.ts'
import type { WordIndex } from './reach-index.ts'
import type { Projection } from '../record/projection.ts'
import type { Fragment } from '../schema/column.ts'
import type { ReachRank } from './reach-rank.ts'
import { readRunSpans } from './run-spans.ts'

export interface Tally {
  /** Live records of each kind. */
  counts(): Record<string, number>
  /** Bytes of the live records' bodies, and how many of them have changes that no mirror has. */
  usage(): { readonly bytes: number; readonly pending: number }
  /** Live records that are indexed. */
  size(): number
  /** The live records of each kind that are derived: how many, and when the first and the last happened. */
  extents(): Record<string, Extent>
  /** What is derived of the traces and messages of each session. */
  runs(query: RunQuery): RunSpan[]
}

export interface TallyParts {
  readonly db: SqlDatabase
  readonly projection: Projection
  readonly textIndex: WordIndex | undefined
  readonly read: Read
  readonly narrow: ReachRank | undefined
  /** Conditions that every record satisfies which may be seen. */
  readonly bounds: readonly Fragment[]
}

/** What is derived is counted on an index; only what is behind is read from the records themselves. */
const countsSql = `SELECT kind, sum(n) AS n FROM (
    SELECT kind, count(*) AS n FROM facets GROUP BY kind
    UNION ALL SELECT kind, -count(*) FROM facets WHERE seq IN (SELECT seq FROM stale) GROUP BY kind
    UNION ALL SELECT kind, count(*) FROM records
      WHERE (seq > ? OR seq IN (SELECT seq FROM stale)) AND deleted = 0 AND kid IS NULL GROUP BY kind)
  GROUP BY kind HAVING sum(n) > 0`

type KindCount = SqlRow & { readonly kind: string; readonly n: number }

export function createTally({ db, projection, textIndex, read, narrow, bounds }: TallyParts): Tally {
  const { condition, params, records } = conditionOf(bounds.length > 0 ? bounds : [{ sql: '1', params: [] }])
  let counted: { readonly n: number; readonly generation: number } | undefined

  const countKinds = (): KindCount[] => {
    if (bounds.length === 0) return db.all<KindCount>(countsSql, [projection.derivedSeq()])
    projection.catchUp()
    return read<KindCount>(
      `SELECT f.kind, count(*) AS n FROM facets f ${records} WHERE ${condition} GROUP BY f.kind`,
      params,
    )
  }

  return {
    counts: () => Object.fromEntries(countKinds().map(({ kind, n }) => [kind, n])),
    usage() {
      projection.catchUp()
      const [row] = read<{ bytes: number; pending: number }>(
        `SELECT total(octet_length(r.body)) AS bytes, count(r.op) AS pending
         FROM facets f JOIN records r ON r.seq = f.seq WHERE ${condition}`,
        params,
      )
      return row ?? { bytes: 0, pending: 0 }
    },
    size() {
      if (!textIndex?.covers()) projection.catchUp()
      if (narrow) return narrow.totals().rows
      const known = textIndex?.warm()?.records()
      if (known !== undefined) return known
      if (counted?.generation !== projection.generation()) {
        const n = db.get<{ n: number }>('SELECT count(*) AS n FROM facets')?.n ?? 0
        counted = { n, generation: projection.generation() }
      }
      return counted.n
    },
    extents() {
      projection.catchUp()
      const rows = read<Extent & SqlRow & { kind: string }>(
        `SELECT f.kind, count(*) AS count, min(f.happened_at) AS earliest, max(f.happened_at) AS latest
         FROM facets f ${records} WHERE ${condition} GROUP BY f.kind`,
        params,
      )
      return Object.fromEntries(rows.map(({ kind, ...extent }) => [kind, extent]))
    },
    runs(query) {
      projection.catchUp()
      return readRunSpans(read, bounds, query)
    },
  }
}
