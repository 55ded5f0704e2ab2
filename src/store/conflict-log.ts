// The conflict log: every edit that lost, kept whole, with what it lost to. A sync adds to it and never removes;
// only purging a record takes the entries about it along.
import type { ConflictEntry, ConflictQuery, ConflictSide } from '../core/conflict.ts'
import type { ConflictPolicy } from '../core/kind.ts'
import type { JsonObject } from '../core/path.ts'
import type { SqlDatabase, SqlRow } from '../core/ports.ts'

export interface ConflictLog {
  add(entry: Omit<ConflictEntry, 'id'>): void
  get(id: number): ConflictEntry | undefined
  /** Newest first. */
  list(query: ConflictQuery): ConflictEntry[]
  /** Somebody has decided what the record says. */
  decide(id: number): void
  /** Takes away all entries about a record that is purged. */
  purge(record: string): void
  /** Entries that nobody has looked at and decided. */
  count(): number
}

interface Row extends SqlRow {
  readonly id: number
  readonly record: string
  readonly kind: string
  readonly policy: string
  readonly at: string
  readonly state: string
  readonly lost_by: string
  readonly lost_op: string
  readonly lost_body: string | null
  readonly kept_by: string | null
  readonly kept_op: string | null
  readonly kept_body: string | null
  readonly base_body: string | null
  readonly paths: string | null
}

const columns =
  'id, record, kind, policy, at, state, lost_by, lost_op, lost_body, kept_by, kept_op, kept_body, base_body, paths'

export function createConflictLog(db: SqlDatabase): ConflictLog {
  const text = (body: unknown) => (body === undefined ? null : JSON.stringify(body))
  return {
    add({ record, kind, policy, at, state, lost, kept, base, paths }) {
      db.run(
        `INSERT INTO conflicts (record, kind, policy, at, state, lost_by, lost_op, lost_body, kept_by, kept_op,
           kept_body, base_body, paths) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          ...[record, kind, policy, at, state, lost.by, lost.op, text(lost.body)],
          ...[kept?.by ?? null, kept?.op ?? null, text(kept?.body), text(base), text(paths)],
        ],
      )
    },
    get(id) {
      const row = db.get<Row>(`SELECT ${columns} FROM conflicts WHERE id = ?`, [id])
      return row && toEntry(row)
    },
    list({ limit = 100, record, undecided = false, before }) {
      const rows = db.all<Row>(
        `SELECT ${columns} FROM conflicts WHERE id < ? AND record = coalesce(?, record)
           AND (? = 0 OR state <> 'decided') ORDER BY id DESC LIMIT ?`,
        [before ?? Number.MAX_SAFE_INTEGER, record ?? null, undecided ? 1 : 0, limit],
      )
      return rows.map(toEntry)
    },
    decide: (id) => db.run("UPDATE conflicts SET state = 'decided' WHERE id = ?", [id]),
    purge: (record) => db.run('DELETE FROM conflicts WHERE record = ?', [record]),
    count: () =>
      db.get<{ n: number }>("SELECT count(*) AS n FROM conflicts WHERE state <> 'decided'")?.n ?? 0,
  }
}

function toEntry(row: Row): ConflictEntry {
  const { id, record, kind, at } = row
  return {
    ...{
      id,
      record,
      kind,
      at,
      policy: row.policy as ConflictPolicy,
      state: row.state as ConflictEntry['state'],
    },
    lost: side(row.lost_by, row.lost_op, row.lost_body),
    ...(row.kept_by === null ? {} : { kept: side(row.kept_by, row.kept_op, row.kept_body) }),
    ...(row.base_body === null ? {} : { base: JSON.parse(row.base_body) as JsonObject }),
    ...(row.paths === null ? {} : { paths: JSON.parse(row.paths) as string[] }),
  }
}

function side(by: string, op: string | null, body: string | null): ConflictSide {
  return {
    by,
    op: op === 'put' ? 'put' : 'forget',
    ...(body === null ? {} : { body: JSON.parse(body) as JsonObject }),
  }
}
