// Which records are out of a guest's reach because something that they were made from is. They are looked for once between two
// changes, in a question of their own, and bound to each other one as a list: some hosts take no question that is so large.
// Invariant: the list is of the state that the question sees, because it is bound when the question is put.
import { DaybookError } from '../../core/errors.ts'
import type { Reach } from '../../core/access/reach.ts'
import type { Kind, Kinds } from '../../core/kind.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'
import { madeSql } from '../condition/made-sql.ts'
import { reachSql } from '../condition/reach-sql.ts'
import type { Fragment } from '../schema/column.ts'
import { createOwnerlessSql } from '../schema/record-row.ts'

const parameterLimit = 100
/** Stands among the parameters of a question for the list. */
const listed = '\u0000closed'

export interface Bounds {
  /** The conditions that a record is in reach, and none of the closed ones; none where no reach bounds the question. */
  readonly bounds: readonly Fragment[]
  /** The same, with what closes a record in so many words: for who asks the database by itself. */
  readonly standing: readonly Fragment[]
  /** The same, for records of one kind. */
  boundsOf(kind: Kind | undefined): readonly Fragment[]
  /** Conditions with their parameters as they are bound. */
  bound(where: readonly Fragment[]): readonly Fragment[]
  /** The parameters as they are bound. The projection is caught up. */
  bind(params: readonly SqlValue[]): readonly SqlValue[]
}

export function createBounds(
  db: SqlDatabase,
  kinds: Kinds,
  reaches: readonly Reach[],
  generation: () => number,
): Bounds {
  const made = reaches.flatMap((reach) => madeSql(reach, kinds) ?? [])
  const names = [...kinds.values()].filter(({ madeFrom }) => madeFrom).map(({ name }) => name)
  let known: { readonly list: string; readonly at: number } | undefined
  const list = (): string => {
    if (known?.at === generation()) return known.list
    const seqs = made.flatMap(({ sql, params }) =>
      db.all<{ seq: number }>(
        `SELECT f.seq FROM facets f JOIN records r ON r.seq = f.seq
         WHERE f.kind IN (SELECT value FROM json_each(?)) AND NOT ${sql}`,
        [JSON.stringify(names), ...params],
      ),
    )
    known = { list: JSON.stringify([...new Set(seqs.map(({ seq }) => seq))]), at: generation() }
    return known.list
  }
  /** What is outdated may quote what is gone, so a guest reads it only once it is told anew, however it asks. */
  const current: Fragment = { sql: 'f.outdated = 0', params: [] }
  const open: Fragment = { sql: 'f.seq NOT IN (SELECT value FROM json_each(?))', params: [listed] }
  const bind = (params: readonly SqlValue[]) =>
    params.includes(listed) ? params.map((one) => (one === listed ? list() : one)) : params
  const reached = reaches.map((reach) => reachSql(reach, kinds))
  const narrow = reaches.length === 0 ? [] : [...reached, current]
  const bounds = [...narrow, ...(made.length === 0 ? [] : [open])]
  return {
    bounds,
    standing: [...narrow, ...made],
    boundsOf: (kind) =>
      kind && !kind.madeFrom ? reaches.map((reach) => reachSql(reach, kinds, kind)) : bounds,
    bind,
    bound: (where) => where.map(({ sql, params }) => ({ sql, params: bind(params) })),
  }
}

/** Asks the database. Each question of a guest comes through here: nothing that it selects, filters or orders by is the owner's alone. */
export function createRead(
  db: SqlDatabase,
  kinds: Kinds,
  { isBound, bind }: { readonly isBound: boolean; readonly bind: Bounds['bind'] },
) {
  const guardedSql = createOwnerlessSql(kinds)
  return <Row extends SqlRow>(sql: string, params: readonly SqlValue[]): Row[] => {
    if (params.length > parameterLimit) {
      throw new DaybookError('invalid-filter', 'The filters have too many conditions.', {
        details: { path: 'filters' },
      })
    }
    return db.all<Row>(isBound ? guardedSql(sql) : sql, bind(params))
  }
}
