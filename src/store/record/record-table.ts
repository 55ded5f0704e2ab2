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

  /** Writes `row` over `before`, which has the same number. `isGone`: what that says must not stay. */
  change(before: RecordRow, row: RecordRow, isGone = false): void {
    if (row.deleted) this.#removeTraces(row.seq)
    else if (!isGone) this.#keepVersion(before)
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

  #keepVersion(before: RecordRow): void {
    this.#db.run(
      `INSERT INTO history (seq, version, at, agent, op, body, session, resource, sensitivity)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
      ],
    )
  }

  #removeTraces(seq: number): void {
    this.#db.run('DELETE FROM history WHERE seq = ?', [seq])
    this.#db.run('DELETE FROM uses WHERE seq = ?', [seq])
    // A vector gives much of its text away.
    this.#db.run('DELETE FROM vectors WHERE seq = ?', [seq])
  }

  #greatestSeq(): number {
    return this.#db.get<{ n: number | null }>('SELECT max(seq) AS n FROM records')?.n ?? 0
  }
}
