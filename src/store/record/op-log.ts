// The op log of a device: the outbox of changes that the mirror has not acknowledged, in order. Writes run inside a
// transaction. A refused op has no `mid` and no bytes, so it blocks no other op.
// Invariant: a record has at most one unsent op. A sent op keeps its `mid`, and its bytes until the transaction that
// forgets, purges or seals its record erases them.
import type { OutboxEntry, OutboxQuery, RefusedOp } from '../../core/op.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'
import { isPurged, type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'

/** An op of the outbox, with the present row of its record. */
export interface PendingOp {
  /** Its number in the log. */
  readonly n: number
  /** The mirror's version that the change builds on; 0 for a record that the mirror has never seen. */
  readonly base: number
  /** See `SentOp`. */
  readonly base_rev: number | null
  /** See `SentOp`. */
  readonly rounds: number
  /** 1: the op only seals the record under another key. Otherwise 0. */
  readonly reseal: number
  readonly row: RecordRow
}

/**
 * A sent op whose bytes were erased, because its record was forgotten, purged or sealed before the mirror answered.
 */
export interface WithdrawnOp extends PendingOp {
  readonly mid: number
}

export interface SentOp {
  readonly n: number
  readonly seq: number
  /** Its number for the mirror: sent ops are numbered from 1, without gaps. */
  readonly mid: number
  /** Its bytes: JSON text; empty when they were erased. */
  readonly wire: string
  /** The local version (`rev`) that the change builds on; null when the mirror has no such version. */
  readonly base_rev: number | null
  /** The local version in its bytes; null when the bytes were erased or replaced by a forget. */
  readonly rev: number | null
  /** The version in its erased bytes; 0 when bytes were erased more than once; null when none were. */
  readonly erased_rev: number | null
  /** How often the change was merged with one of the mirror and sent again. */
  readonly rounds: number
}

/** Why an op was refused, from the error that refused it. */
export interface OpRefusal {
  readonly code: string
  readonly message: string
  /** Canonical time. */
  readonly at?: string | undefined
  /** The path of the wrong value in the change, if the error has one. */
  readonly path?: string | undefined
}

interface OutboxRow extends SqlRow {
  readonly n: number
  /** Null for an op that was not sent. */
  readonly mid: number | null
  /** The JSON of an `OpRefusal`; null for an op that was not refused. */
  readonly refused: string | null
  /** The id of the record. */
  readonly record: string
  readonly kind: string
  readonly at: string
  readonly deleted: number
}

type PendingRow = RecordRow & Omit<WithdrawnOp, 'row'>

const opColumns = 'o.n, o.mid, o.base, o.base_rev, o.rounds, o.reseal'
const joinRecordSql = 'FROM ops o JOIN records r ON r.seq = o.seq'
const isUnsentSql = 'o.mid IS NULL AND o.refused IS NULL'
/** SQL: selects the unsent op of the record whose number is the parameter. */
const whereUnsentOfRecordSql = 'WHERE n = (SELECT op FROM records WHERE seq = ?) AND mid IS NULL'
/** SQL: the unsent op of a record builds on the content that its earlier op `s` builds on. Add a condition of `s`. */
const takeBaseSql = `UPDATE ops SET base_rev = s.base_rev FROM ops s JOIN records r ON r.seq = s.seq
  WHERE ops.n = r.op AND ops.mid IS NULL`
const assignMidSql = 'UPDATE ops SET mid = ?, wire = ?, rev = ?, erased_rev = NULL WHERE n = ?'
const listSql = `SELECT o.n, o.mid, o.refused, r.id AS record, r.kind, r.updated_at AS at, r.deleted
  ${joinRecordSql} WHERE o.n > ? ORDER BY o.n LIMIT ?`

/** The settings are `last_mid`, the highest `mid` in use, and `acked_mid`, that of the last answered op. */
export class OpLog {
  readonly #db: SqlDatabase
  readonly #settings: Settings
  /** The highest number of an op so far. */
  #lastN: number
  /** See `takeWithdrawnFlag()`. */
  #hasWithdrawn = false

  constructor(db: SqlDatabase, settings: Settings) {
    this.#db = db
    this.#settings = settings
    this.#lastN = this.#highestN()
  }

  /**
   * Logs a change of `row`, the row before it (undefined: a new record), and returns the number of its op. An
   * unsent op is used again, because an op gets its content only when it is sent.
   */
  log(row: RecordRow | undefined, seq: number): number {
    if (row?.op != null) {
      const found = this.#db.get<{ refused: string | null }>(
        'SELECT refused FROM ops WHERE n = ? AND mid IS NULL',
        [row.op],
      )
      if (found) {
        this.#db.run(
          'UPDATE ops SET refused = NULL, reseal = 0 WHERE n = ? AND (refused IS NOT NULL OR reseal = 1)',
          [row.op],
        )
        return row.op
      }
    }
    return this.#append(seq, row?.ver ?? 0, row && row.ver > 0 ? row.rev : null)
  }

  /** Logs that the record of `row` was sealed under another key. An unsent op sends the new bytes anyway. */
  logResealed(row: RecordRow): void {
    const isPending =
      row.op !== null && this.#db.get('SELECT n FROM ops WHERE n = ? AND mid IS NULL', [row.op]) !== undefined
    if (isPending) return
    // With another pending op, or without a version, the mirror does not have this content yet: it is more than a reseal.
    const isReseal = row.op === null && row.ver > 0
    const n = this.#append(row.seq, row.ver, isReseal ? row.rev : null)
    this.#db.run('UPDATE ops SET reseal = ? WHERE n = ?', [Number(isReseal), n])
    this.#db.run('UPDATE records SET op = ? WHERE seq = ?', [n, row.seq])
  }

  /** Sent ops without an answer, in order. While there are any, the device sends no other op. */
  sentOps(): SentOp[] {
    return this.#db.all<SentOp & SqlRow>(
      'SELECT n, seq, mid, wire, base_rev, rev, erased_rev, rounds FROM ops WHERE mid IS NOT NULL ORDER BY mid',
    )
  }

  /** At most `limit` unsent, unrefused ops, urgent ones first, then the oldest. Without `kinds`: of all kinds. */
  unsentOps(limit: number, kinds?: readonly string[]): PendingOp[] {
    const hasUrgent = this.#db.get('SELECT 1 AS one FROM ops WHERE urgent = 1 LIMIT 1') !== undefined
    const ofKinds = kinds ? 'AND r.kind IN (SELECT value FROM json_each(?))' : ''
    const read = (urgent: 0 | 1, count: number) =>
      this.#readOps(
        `o.urgent = ${urgent} AND ${isUnsentSql} ${ofKinds} ORDER BY o.n LIMIT ?`,
        kinds ? [JSON.stringify(kinds), count] : [count],
      )
    const urgentOps = hasUrgent ? read(1, limit) : []
    const ops = urgentOps.length < limit ? [...urgentOps, ...read(0, limit - urgentOps.length)] : urgentOps
    return ops.map(({ mid: _mid, ...op }) => op)
  }

  /** True when there is an unsent, unrefused op. Without `kinds`: of any kind. */
  hasUnsent(kinds?: readonly string[]): boolean {
    const unsent = `SELECT 1 AS one FROM ops o WHERE ${isUnsentSql}`
    if (!kinds) return this.#db.get(`${unsent} LIMIT 1`) !== undefined
    const ofKinds = 'SELECT seq FROM records WHERE kind IN (SELECT value FROM json_each(?))'
    return this.#db.get(`${unsent} AND o.seq IN (${ofKinds}) LIMIT 1`, [JSON.stringify(kinds)]) !== undefined
  }

  /** How many ops the mirror has not acknowledged: sent, unsent and refused. */
  pendingCount(): number {
    return this.#count('SELECT count(*) AS n FROM ops')
  }

  /** Marks the op of the record at `seq` as urgent: it is sent before those that are not. */
  markUrgent(seq: number): void {
    this.#db.run('UPDATE ops SET urgent = 1 WHERE n = (SELECT op FROM records WHERE seq = ?)', [seq])
  }

  /** Gives an op its `mid` and its bytes, which `encode` makes. */
  assignMid({ n, row, base_rev, rounds }: PendingOp, encode: (mid: number) => string): SentOp {
    const mid = 1 + this.#settings.getNumber('last_mid')
    const wire = encode(mid)
    this.#settings.set('last_mid', mid)
    this.#db.run(assignMidSql, [mid, wire, row.rev, n])
    return { n, seq: row.seq, mid, wire, base_rev, rev: row.rev, erased_rev: null, rounds }
  }

  /**
   * Removes a sent op that the mirror has answered. An unsent op of its record then builds on the mirror's version
   * `ver` and on the sent op's `rev`; without `ver`, on the sent op's base.
   */
  removeAnswered({ n, seq, mid, rev, base_rev }: SentOp, ver?: number): void {
    this.#remove(n, seq)
    if (ver === undefined)
      this.#db.run(`UPDATE ops SET base_rev = ? ${whereUnsentOfRecordSql}`, [base_rev, seq])
    else this.#db.run(`UPDATE ops SET base = ?, base_rev = ? ${whereUnsentOfRecordSql}`, [ver, rev, seq])
    this.#acknowledge(mid)
  }

  /** Stores how often the change in the op of the record at `seq` was merged: see `SentOp.rounds`. */
  storeRounds(seq: number, rounds: number): void {
    this.#db.run('UPDATE ops SET rounds = ? WHERE n = (SELECT op FROM records WHERE seq = ?)', [rounds, seq])
  }

  /** At most `limit` ops with numbers above `after`, in order, each with its record. */
  list({ limit, after = 0 }: OutboxQuery): OutboxEntry[] {
    return this.#db.all<OutboxRow>(listSql, [after, limit]).map(({ n, record, kind, at, ...row }) => {
      const op = row.deleted === 1 ? 'forget' : 'put'
      const head = { n, record, kind, op, at } as const
      if (row.refused !== null) {
        const { code, message } = parseRefusal(row.refused)
        return { ...head, state: 'refused', error: { code, message } }
      }
      return { ...head, state: row.mid === null ? 'waiting' : 'sent' }
    })
  }

  /** The number of the newest op. It may have left the log. */
  lastNumber(): number {
    return this.#lastN
  }

  /** The `mid` of the last op that the mirror answered; 0 for none. */
  lastAcknowledgedMid(): number {
    return this.#settings.getNumber('acked_mid')
  }

  /** Logs the present record at `seq` as a change of the mirror's version `base`. */
  logAgain(seq: number, base: number): void {
    this.#db.run('UPDATE records SET op = ? WHERE seq = ?', [this.#append(seq, base, null), seq])
  }

  /** Makes the unsent op of the record at `seq` build on the mirror's version `base`. */
  rebase(seq: number, base: number): void {
    this.#db.run(`UPDATE ops SET base = ? ${whereUnsentOfRecordSql}`, [base, seq])
    // The author of the op has not seen changes after `base`, so no forget either.
    this.#db.run('UPDATE records SET gone = 0 WHERE seq = ?', [seq])
  }

  /**
   * Makes the ops with a `mid` above `lastMid` unsent, because the mirror has not taken them. Drops those that a later
   * op of their record replaces: the later op takes over their base content. Their `mid`s are free again.
   */
  makeUnsentAbove(lastMid: number): void {
    const above = [lastMid]
    this.#db.run(`${takeBaseSql} AND s.mid > ?`, above)
    this.#db.run(
      'DELETE FROM ops WHERE mid > ? AND n < (SELECT r.op FROM records r WHERE r.seq = ops.seq)',
      above,
    )
    this.#db.run('UPDATE ops SET mid = NULL, wire = NULL WHERE mid > ?', above)
    this.#settings.set('last_mid', Math.min(lastMid, this.#settings.getNumber('last_mid')))
  }

  /** Drops the unsent op of the record at `seq`; undefined without one. `isReseal`: the op only changed the key. */
  dropUnsent(seq: number): { readonly isReseal: boolean } | undefined {
    const found = this.#db.get<{ n: number; reseal: number }>(
      'SELECT n, reseal FROM ops WHERE seq = ? AND mid IS NULL',
      [seq],
    )
    if (!found) return undefined
    this.#remove(found.n, seq)
    return { isReseal: found.reseal === 1 }
  }

  /** Logs every record that has neither a place at the mirror nor an op, as new to the mirror. */
  relogWithoutPlace(): void {
    const last = this.#highestN()
    this.#db.run(
      'INSERT INTO ops (n, seq, base) SELECT ? + seq, seq, 0 FROM records WHERE op IS NULL AND place = 0',
      [last],
    )
    this.#db.run('UPDATE records SET op = ? + seq WHERE op IS NULL AND place = 0', [last])
    this.#lastN = Math.max(this.#lastN, this.#highestN())
  }

  /** For a device with a new name: all ops are unsent, and `mid`s begin at 1. `base`: the mirror's version for all ops. */
  resetMids(base?: number): void {
    this.makeUnsentAbove(0)
    if (base !== undefined) this.#db.run('UPDATE ops SET base = ?, base_rev = NULL', [base])
    this.#settings.set('acked_mid', 0)
  }

  /**
   * Marks an op that the mirror can't take as refused. If a later op of its record exists, that op takes over its base
   * content, and the refused op is deleted.
   * `mid`: only for an op that was sent.
   */
  refuse({ n, mid }: { readonly n: number; readonly mid?: number }, reason: OpRefusal): void {
    const replaced = this.#db.get(`SELECT o.n ${joinRecordSql} WHERE o.n = ? AND r.op <> o.n`, [n])
    if (replaced) {
      this.#db.run(`${takeBaseSql} AND s.n = ?`, [n])
      this.#db.run('DELETE FROM ops WHERE n = ?', [n])
    } else
      this.#db.run('UPDATE ops SET mid = NULL, wire = NULL, refused = ? WHERE n = ?', [
        JSON.stringify(reason),
        n,
      ])
    if (mid !== undefined) this.#acknowledge(mid)
  }

  /** Why the oldest refused op was refused; undefined without one. */
  oldestRefusal(): OpRefusal | undefined {
    const row = this.#db.get<{ refused: string }>(
      'SELECT refused FROM ops WHERE refused IS NOT NULL ORDER BY n LIMIT 1',
    )
    return row && parseRefusal(row.refused)
  }

  /** At most `limit` refused ops with numbers above `after`, in order. */
  refusedOps(limit: number, after = 0): RefusedOp[] {
    const rows = this.#db.all<{ n: number; id: string; kind: string; deleted: number; refused: string }>(
      `SELECT o.n, r.id, r.kind, r.deleted, o.refused ${joinRecordSql}
       WHERE o.refused IS NOT NULL AND o.n > ? ORDER BY o.n LIMIT ?`,
      [after, limit],
    )
    return rows.map(({ n, id: record, kind, deleted, refused }) => {
      return { n, record, kind, op: deleted ? 'forget' : 'put', ...parseRefusal(refused) }
    })
  }

  refusedCount(): number {
    return this.#count('SELECT count(*) AS n FROM ops WHERE refused IS NOT NULL')
  }

  /** Makes the refused ops of `records` unsent again; without `records`, all. Returns their records. */
  retry(records?: readonly string[]): { readonly id: string; readonly kind: string }[] {
    const found = this.#db.all<{ n: number; id: string; kind: string }>(
      `SELECT o.n, r.id, r.kind ${joinRecordSql}
       WHERE o.refused IS NOT NULL AND (? IS NULL OR r.id IN (SELECT value FROM json_each(?))) ORDER BY o.n`,
      [records ? 1 : null, JSON.stringify(records ?? [])],
    )
    for (const { n } of found) this.#db.run('UPDATE ops SET refused = NULL WHERE n = ?', [n])
    return found.map(({ id, kind }) => ({ id, kind }))
  }

  /**
   * Erases the bytes of the sent op of `row`, whose content must not leave the device again. Call it in the
   * transaction that forgets, purges or seals the record. For a forgotten record a forget takes the place of the
   * bytes at once, because the record may be made again.
   */
  withdraw(row: RecordRow): void {
    const whereSentOfRecord = 'WHERE mid IS NOT NULL AND seq = ?'
    const sent = this.#db.get<{ base: number; mid: number }>(
      `SELECT base, mid FROM ops ${whereSentOfRecord}`,
      [row.seq],
    )
    if (!sent) return
    const wire = row.deleted === 1 ? forgetWire(sent, row) : ''
    // If the mirror took the erased bytes, their version is the base of a merge.
    this.#db.run(
      `UPDATE ops SET wire = ?, rev = NULL,
         erased_rev = CASE WHEN erased_rev IS NULL THEN rev WHEN wire = '' THEN erased_rev ELSE 0 END ${whereSentOfRecord}`,
      [wire, row.seq],
    )
    this.#hasWithdrawn = true
  }

  /** True when an op was withdrawn since the last call. */
  takeWithdrawnFlag(): boolean {
    const before = this.#hasWithdrawn
    this.#hasWithdrawn = false
    return before
  }

  /** The withdrawn ops without bytes, in order. */
  withdrawnOps(): WithdrawnOp[] {
    return this.#readOps(`o.mid IS NOT NULL AND o.wire = '' ORDER BY o.mid`)
  }

  /** Gives a withdrawn op the bytes to send in place of the erased ones. */
  setWire({ n, row }: WithdrawnOp, wire: string): void {
    this.#db.run('UPDATE ops SET wire = ?, rev = ? WHERE n = ?', [wire, row.rev, n])
  }

  #readOps(condition: string, params: readonly SqlValue[] = []): WithdrawnOp[] {
    return this.#db
      .all<PendingRow>(`SELECT ${opColumns}, ${recordColumns} ${joinRecordSql} WHERE ${condition}`, params)
      .map(({ n, mid, base, base_rev, rounds, reseal, ...row }) => {
        return { n, mid, base, base_rev, rounds, reseal, row: row as RecordRow }
      })
  }

  #append(seq: number, base: number, baseRev: number | null): number {
    this.#lastN += 1
    this.#db.run('INSERT INTO ops (n, seq, base, base_rev) VALUES (?, ?, ?, ?)', [
      this.#lastN,
      seq,
      base,
      baseRev,
    ])
    return this.#lastN
  }

  /** Deletes an op. Its record then has no op, unless a newer one exists. */
  #remove(n: number, seq: number): void {
    this.#db.run('DELETE FROM ops WHERE n = ?', [n])
    this.#db.run('UPDATE records SET op = NULL WHERE seq = ? AND op = ?', [seq, n])
  }

  #acknowledge(mid: number): void {
    this.#settings.set('acked_mid', Math.max(mid, this.#settings.getNumber('acked_mid')))
  }

  #highestN(): number {
    return this.#count('SELECT max(n) AS n FROM ops')
  }

  #count(sql: string): number {
    return this.#db.get<SqlRow & { n: number | null }>(sql)?.n ?? 0
  }
}

const parseRefusal = (text: string): OpRefusal => JSON.parse(text) as OpRefusal

/** The bytes of a forget, to send in place of the bytes of a sent op. `instead`: see SPEC.md of sync. */
function forgetWire({ mid, base }: { mid: number; base: number }, row: RecordRow): string {
  const { kind, id, stamp, updated_at: at, agent } = row
  const purge = isPurged(row) ? { purge: true } : {}
  return JSON.stringify({ mid, kind, id, op: 'forget', base, stamp, at, agent, instead: true, ...purge })
}
