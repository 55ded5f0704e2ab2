// The rows of `records` and their earlier versions, as SQL: finds, adds and changes one. Everything here that writes runs
// inside a transaction. Invariant: a row that changes leaves what it said in `history`; one that is forgotten leaves nothing.
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import {
  insertedValues,
  insertRecordSql,
  recordColumns,
  type RecordRow,
  updatedValues,
  updateRecordSql,
} from '../schema/record-row.ts'
import { eraseRows, historyOf, type TextRows, vectorOf, writeOver } from './erase-rows.ts'

export interface VersionRow extends SqlRow {
  readonly version: number
  readonly at: string
  readonly agent: string
  readonly session: string | null
  readonly resource: string | null
  /** `put` or `forget`. */
  readonly op: string
  readonly body: string
}

const findSql = `SELECT ${recordColumns} FROM records r WHERE r.id = ?`

const textOf: TextRows = { table: 'records', columns: ['body'], where: 'seq = ?' }
const emptyBody = '{}'
const leastVersions = 10
const mostVersions = 100
const versionsLength = 4_000_000

/**
 * How many earlier versions a record keeps whose body has `length` characters now: the newest 100; of a large one as many
 * as make 4 million characters, and 10 at least.
 */
export function versionLimit(length: number): number {
  return Math.max(leastVersions, Math.min(mostVersions, Math.floor(versionsLength / Math.max(1, length))))
}

/** What becomes of what a record said before. */
interface BeforeChange {
  readonly isGone?: boolean
  readonly left?: string | undefined
  readonly passing?: boolean | undefined
}

export class RecordTable {
  readonly #db: SqlDatabase
  /** The greatest number that was given to a record. */
  #lastSeq: number

  constructor(db: SqlDatabase) {
    this.#db = db
    this.#lastSeq = this.#greatestSeq()
  }

  find(id: string): RecordRow | undefined {
    return this.#db.get<RecordRow>(findSql, [id])
  }

  /** A number for a new record. One that a transaction took which was undone is left out: numbers grow, with gaps. */
  takeSeq(): number {
    this.#lastSeq += 1
    return this.#lastSeq
  }

  /** Takes note of rows that came into the table by another way than this. */
  renumber(): void {
    this.#lastSeq = Math.max(this.#lastSeq, this.#greatestSeq())
  }

  insert(row: RecordRow): void {
    this.#db.run(insertRecordSql, insertedValues(row))
  }

  /**
   * Writes `row` over `before`, which has the same number. `isGone`: what `before` says must not stay, but for `left`. `passing`: it says
   * what `row` does but for counts, so that it is kept only while a change that waits rests on it; undefined where there are
   * no counts.
   */
  change(before: RecordRow, row: RecordRow, { isGone = false, left, passing }: BeforeChange = {}): void {
    if (row.deleted) this.#removeTraces(row.seq)
    else {
      const bases = passing === undefined ? undefined : this.#bases(row)
      const isKept = passing !== true || bases?.includes(before.rev) === true
      if (left !== undefined) this.#keepVersion({ ...before, body: left }, false)
      else if (!isGone && isKept) this.#keepVersion(before, passing === true)
      if (bases) this.#removePassing(row.seq, bases)
      if (row.rev > leastVersions) this.#bound(row)
    }
    if (row.deleted === 1 || isGone || (row.kid !== null && before.kid === null)) this.#erase(before)
    this.#db.run(updateRecordSql, updatedValues(row))
  }

  /** Every version of the record in `row`, the oldest first and the present one last. */
  versions(row: RecordRow): VersionRow[] {
    const versions = this.#db.all<VersionRow>(
      'SELECT version, at, agent, session, resource, op, body FROM history WHERE seq = ? ORDER BY version',
      [row.seq],
    )
    versions.push({
      version: row.rev,
      at: row.updated_at,
      agent: row.agent,
      session: row.session,
      resource: row.resource,
      op: row.deleted ? 'forget' : 'put',
      body: row.body,
    })
    return versions
  }

  /** An earlier version that says something; undefined when it is gone or was a tombstone. */
  earlier(seq: number, version: number): { id: string; kind: string; body: string } | undefined {
    return this.#db.get(
      `SELECT r.id, r.kind, h.body FROM history h JOIN records r ON r.seq = h.seq
       WHERE h.seq = ? AND h.version = ? AND h.op = 'put'`,
      [seq, version],
    )
  }

  /** One earlier version with all that it said; undefined when it is gone. */
  version(seq: number, version: number): (VersionRow & { readonly sensitivity: string | null }) | undefined {
    return this.#db.get(
      `SELECT version, at, agent, session, resource, op, body, sensitivity FROM history
       WHERE seq = ? AND version = ?`,
      [seq, version],
    )
  }

  /** The versions that changes which wait for their answer were made on, or sent. */
  #bases({ seq, op }: RecordRow): number[] {
    const rows = this.#db.all<Record<'base_rev' | 'rev' | 'erased_rev', number | null>>(
      `SELECT base_rev, rev, erased_rev FROM ops WHERE n = ?
       UNION ALL SELECT base_rev, rev, erased_rev FROM ops WHERE mid IS NOT NULL AND seq = ?`,
      [op, seq],
    )
    return rows.flatMap((row) => Object.values(row)).filter((one) => one !== null)
  }

  #removePassing(seq: number, bases: readonly number[]): void {
    this.#db.run(
      `DELETE FROM history WHERE seq = ? AND passing = 1
         AND version NOT IN (SELECT value FROM json_each(?))`,
      [seq, JSON.stringify(bases)],
    )
  }

  /** Of the versions of a record the newest stay, as many as `versionLimit` says for one of its size. */
  #bound(row: RecordRow): void {
    const oldest = this.#db.get<{ version: number }>(
      'SELECT version FROM history WHERE seq = ? ORDER BY version DESC LIMIT 1 OFFSET ?',
      [row.seq, versionLimit(row.body.length) - 1],
    )
    if (!oldest) return
    this.#db.run(
      'DELETE FROM history WHERE seq = ? AND version < ? AND version NOT IN (SELECT value FROM json_each(?))',
      [row.seq, oldest.version, JSON.stringify(this.#bases(row))],
    )
  }

  #keepVersion(before: RecordRow, passing: boolean): void {
    this.#db.run(
      `INSERT INTO history (seq, version, at, agent, op, body, session, resource, sensitivity, passing)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        before.seq,
        before.rev,
        before.updated_at,
        before.agent,
        before.deleted ? 'forget' : 'put',
        before.body,
        before.session,
        before.resource,
        before.sensitivity,
        Number(passing),
      ],
    )
  }

  /** What stands there is covered: it must not stay in the page. A tombstone says nothing. */
  #erase({ seq, body }: RecordRow): void {
    if (body !== emptyBody) writeOver(this.#db, textOf, [seq])
  }

  #removeTraces(seq: number): void {
    eraseRows(this.#db, historyOf, [seq])
    this.#db.run('DELETE FROM uses WHERE seq = ?', [seq])
    // A vector gives much of its text away.
    eraseRows(this.#db, vectorOf, [seq])
  }

  /** The last record may be gone, with its tombstone: its number counts as derived, and no other record gets it. */
  #greatestSeq(): number {
    const sql = `SELECT max(ifnull((SELECT max(seq) FROM records), 0),
      ifnull((SELECT CAST(value AS INTEGER) FROM book WHERE key = 'derived_seq'), 0)) AS n`
    return this.#db.get<{ n: number }>(sql)?.n ?? 0
  }
}
