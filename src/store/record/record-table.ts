// Reads and writes the rows of `records` and their earlier versions. Writes run inside a transaction.
// Invariant: a changed row leaves its earlier version in `history`; a forgotten row leaves nothing.
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import {
  insertedValues,
  insertRecordSql,
  recordColumns,
  type RecordRow,
  updatedValues,
  updateRecordSql,
} from '../schema/record-row.ts'
import { eraseTraces, type TextRows, overwriteText } from './erase-rows.ts'

export interface VersionRow extends SqlRow {
  /** The `rev` of the record in this version. */
  readonly version: number
  /** Canonical time of the change that made it. */
  readonly at: string
  readonly agent: string
  readonly session: string | null
  readonly resource: string | null
  readonly trust: string | null
  /** `put` or `forget`. */
  readonly op: string
  readonly body: string
}

const findSql = `SELECT ${recordColumns} FROM records r WHERE r.id = ?`

const bodyRow: TextRows = { table: 'records', columns: ['body'], where: 'seq = ?' }
const emptyBody = '{}'
const minVersions = 10
const maxVersions = 100
const maxHistoryChars = 4_000_000
/** Most ids that are known to be free. */
const maxFreeIds = 2000

/**
 * How many earlier versions a record keeps when its body has `length` UTF-16 units: as many as make 4 million units,
 * at least 10 and at most 100.
 */
export function maxHistoryVersions(length: number): number {
  return Math.max(minVersions, Math.min(maxVersions, Math.floor(maxHistoryChars / Math.max(1, length))))
}

/** How much of the row before a change stays in `history`. */
interface VersionBeforeOptions {
  /** True when its content must not stay. Default false. */
  readonly removesContent?: boolean
  /** A body that stays in place of the row's. */
  readonly remainingBody?: string | undefined
  /**
   * True when the change is in counts only: then the version before stays only while a pending op needs it.
   * Undefined: the version before stays, as for a kind without counts.
   */
  readonly changesOnlyCounts?: boolean | undefined
}

export class RecordTable {
  readonly #db: SqlDatabase
  /** The highest record number so far. */
  #lastSeq: number
  /** Ids without a record that `findRule` has looked for. */
  readonly #freeIds = new Set<string>()

  constructor(db: SqlDatabase) {
    this.#db = db
    this.#lastSeq = this.#highestSeq()
  }

  find(id: string): RecordRow | undefined {
    return this.#db.get<RecordRow>(findSql, [id])
  }

  /** `find` for an id that each write looks for, and that mostly no record has: the second look costs no statement. */
  findRule(id: string): RecordRow | undefined {
    if (this.#freeIds.has(id)) return undefined
    const row = this.find(id)
    if (row) return row
    if (this.#freeIds.size >= maxFreeIds) this.#freeIds.clear()
    this.#freeIds.add(id)
    return undefined
  }

  /** Takes the next number for a new record. A rollback leaves a gap in the numbers. */
  nextSeq(): number {
    this.#lastSeq += 1
    return this.#lastSeq
  }

  /** Call it after other code has inserted rows: `nextSeq` continues above them. */
  refreshLastSeq(): void {
    this.#lastSeq = Math.max(this.#lastSeq, this.#highestSeq())
    this.#freeIds.clear()
  }

  insert(row: RecordRow): void {
    this.#freeIds.delete(row.id)
    this.#db.run(insertRecordSql, insertedValues(row))
  }

  /** Writes `row` over `before`, which has the same number. */
  update(
    before: RecordRow,
    row: RecordRow,
    { removesContent = false, remainingBody, changesOnlyCounts }: VersionBeforeOptions = {},
  ): void {
    if (row.deleted) eraseTraces(this.#db, row.seq)
    else {
      const neededVersions = changesOnlyCounts === undefined ? undefined : this.#neededVersions(row)
      const isNeeded = changesOnlyCounts !== true || neededVersions?.includes(before.rev) === true
      if (remainingBody !== undefined) this.#storeVersion({ ...before, body: remainingBody }, false)
      else if (!removesContent && isNeeded) this.#storeVersion(before, changesOnlyCounts === true)
      if (neededVersions) this.#removeCountOnlyVersions(row.seq, neededVersions)
      if (row.rev > minVersions) this.#limitHistory(row)
    }
    if (row.deleted === 1 || removesContent || (row.kid !== null && before.kid === null))
      this.#overwriteBody(before)
    this.#db.run(updateRecordSql, updatedValues(row))
  }

  /** Every version of the record in `row`, the oldest first and the present one last. */
  versions(row: RecordRow): VersionRow[] {
    const versions = this.#db.all<VersionRow>(
      'SELECT version, at, agent, session, resource, trust, op, body FROM history WHERE seq = ? ORDER BY version',
      [row.seq],
    )
    versions.push({
      version: row.rev,
      at: row.updated_at,
      agent: row.agent,
      session: row.session,
      resource: row.resource,
      trust: row.trust,
      op: row.deleted ? 'forget' : 'put',
      body: row.body,
    })
    return versions
  }

  /** An earlier version with content; undefined when it is removed or is a tombstone. */
  earlierBody(seq: number, version: number): { id: string; kind: string; body: string } | undefined {
    return this.#db.get(
      `SELECT r.id, r.kind, h.body FROM history h JOIN records r ON r.seq = h.seq
       WHERE h.seq = ? AND h.version = ? AND h.op = 'put'`,
      [seq, version],
    )
  }

  /** An earlier version, also a tombstone; undefined when it is removed. */
  earlierVersion(
    seq: number,
    version: number,
  ): (VersionRow & { readonly sensitivity: string | null }) | undefined {
    return this.#db.get(
      `SELECT version, at, agent, session, resource, trust, op, body, sensitivity FROM history
       WHERE seq = ? AND version = ?`,
      [seq, version],
    )
  }

  /** The versions that pending ops of the record build on or have sent. */
  #neededVersions({ seq, op }: RecordRow): number[] {
    const rows = this.#db.all<Record<'base_rev' | 'rev' | 'erased_rev', number | null>>(
      `SELECT base_rev, rev, erased_rev FROM ops WHERE n = ?
       UNION ALL SELECT base_rev, rev, erased_rev FROM ops WHERE mid IS NOT NULL AND seq = ?`,
      [op, seq],
    )
    return rows.flatMap((row) => Object.values(row)).filter((one) => one !== null)
  }

  /** Removes versions that differ in counts only (`passing`), but for those that pending ops need. */
  #removeCountOnlyVersions(seq: number, neededVersions: readonly number[]): void {
    this.#db.run(
      `DELETE FROM history WHERE seq = ? AND passing = 1
         AND version NOT IN (SELECT value FROM json_each(?))`,
      [seq, JSON.stringify(neededVersions)],
    )
  }

  /** Removes all earlier versions but the newest `maxHistoryVersions`, and those that pending ops need. */
  #limitHistory(row: RecordRow): void {
    const oldest = this.#db.get<{ version: number }>(
      'SELECT version FROM history WHERE seq = ? ORDER BY version DESC LIMIT 1 OFFSET ?',
      [row.seq, maxHistoryVersions(row.body.length) - 1],
    )
    if (!oldest) return
    this.#db.run(
      'DELETE FROM history WHERE seq = ? AND version < ? AND version NOT IN (SELECT value FROM json_each(?))',
      [row.seq, oldest.version, JSON.stringify(this.#neededVersions(row))],
    )
  }

  /** `isPassing`: the version stays only while a pending op needs it. */
  #storeVersion(before: RecordRow, isPassing: boolean): void {
    this.#db.run(
      `INSERT INTO history (seq, version, at, agent, op, body, session, resource, sensitivity, trust, passing)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
        before.trust,
        Number(isPassing),
      ],
    )
  }

  /** Overwrites the body of a row, so that it does not stay in the page. */
  #overwriteBody({ seq, body }: RecordRow): void {
    if (body !== emptyBody) overwriteText(this.#db, bodyRow, [seq])
  }

  /**
   * Includes `derived_seq`: the last record may be removed with its tombstone, and no other record may get its
   * number.
   */
  #highestSeq(): number {
    const sql = `SELECT max(ifnull((SELECT max(seq) FROM records), 0),
      ifnull((SELECT CAST(value AS INTEGER) FROM book WHERE key = 'derived_seq'), 0)) AS n`
    return this.#db.get<{ n: number }>(sql)?.n ?? 0
  }
}
