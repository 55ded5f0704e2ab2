// The op log of a device: the changes that the mirror has not acknowledged, in order. It is the outbox.
// Invariant: an op that was sent keeps its number, and its bytes until its record is forgotten, purged or sealed: those bytes
// are erased in the same transaction. A record has at most one op that was not sent.
// What becomes of an op that the mirror will never take: refused-ops.ts; whose bytes are erased: withdrawn-ops.ts.
import type { OutboxEntry, OutboxQuery } from '../../core/capability/outbox-entry.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { createRefusedOps, refusalOf, type RefusedOps } from './refused-ops.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'
import type { PendingOp } from './pending-op.ts'
import { createWithdrawnOps, type WithdrawnOps } from './withdrawn-ops.ts'

export interface SentOp {
  readonly n: number
  readonly seq: number
  readonly mid: number
  readonly wire: string
  /** The version of the record here that it was made on; null when that was none the mirror knows. */
  readonly base_rev: number | null
  /** The version of the record here that its bytes say; null where there are none yet, and for a forget in place of others. */
  readonly rev: number | null
  /** The version that its erased bytes said; 0 where bytes were erased more than once; null where none were. */
  readonly erased_rev: number | null
  /** How often it was merged with a change of the mirror and sent again. */
  readonly rounds: number
}

export interface OpLog extends RefusedOps, WithdrawnOps {
  /** The number of the op that a change of `row` (undefined for a new record) belongs to. */
  log(row: RecordRow | undefined, seq: number): number
  /** Logs that the record of `row` was sealed under another key; a change that waits takes that along. */
  logResealed(row: RecordRow): void
  /** Sent and unanswered ops, in order. While there are any, nothing new is sent. */
  sent(): SentOp[]
  /** The unsent ops that were not refused, at most `limit`, of all kinds or of some: urgent ones first, then the oldest. */
  unsent(limit: number, kinds?: readonly string[]): PendingOp[]
  /** True when there is an unsent op that was not refused, of any kind or of some. */
  hasUnsent(kinds?: readonly string[]): boolean
  /** Everything the mirror has not taken over: sent, unsent and refused. */
  pendingCount(): number
  /** The unsent op of the record at `seq` goes ahead of all others. */
  hurry(seq: number): void
  /** Numbers an op for the wire and fixes its bytes: `encode` is given its `mid`. */
  freeze(op: PendingOp, encode: (mid: number) => string): SentOp
  /**
   * The mirror has answered: the op leaves the log. A later one of its record builds on `ver` and on `op.rev`,
   * or without `ver` on what this one was made on.
   */
  settle(op: SentOp, ver?: number): void
  /** The unsent op of the record at `seq` is the `rounds`th attempt to merge. */
  noteRounds(seq: number, rounds: number): void
  /** A part of the log, with the records that its ops are about. */
  list(query: OutboxQuery): OutboxEntry[]
  /** The number of the newest op there ever was. */
  last(): number
  /** The highest mid that was answered. */
  acknowledged(): number
  /** Logs the record at `seq` as it stands, as a change of the mirror's version `base`. */
  relog(seq: number, base: number): void
  /** The unsent op of the record at `seq` builds on the mirror's version `base`, whatever is here. */
  rebase(seq: number, base: number): void
  /** Takes back what was sent after number `lastMid`, which the mirror never took. Those numbers are free again. */
  unsend(lastMid: number): void
  /** Takes back the unsent op of the record at `seq`; undefined when there is none. `isReseal`: it only changed its key. */
  dropUnsent(seq: number): { readonly isReseal: boolean } | undefined
  /** Logs every record that the mirror has not named and that has no op, as unknown to the mirror. */
  relogWithoutPlace(): void
  /** Makes the ops unsent again and numbers anew from 1, for a device with a new name. `base`: what all build on now. */
  renumber(base?: number): void
}

type Joined = RecordRow & Omit<PendingOp, 'row'>

interface ListedRow extends SqlRow {
  readonly n: number
  readonly mid: number | null
  readonly refused: string | null
  readonly record: string
  readonly kind: string
  readonly at: string
  readonly deleted: number
}

const freezeSql = 'UPDATE ops SET mid = ?, wire = ?, rev = ?, erased_rev = NULL WHERE n = ?'
const listSql = `SELECT o.n, o.mid, o.refused, r.id AS record, r.kind, r.updated_at AS at, r.deleted
  FROM ops o JOIN records r ON r.seq = o.seq WHERE o.n > ? ORDER BY o.n LIMIT ?`

export function createOpLog(db: SqlDatabase, settings: Settings): OpLog {
  const count = (sql: string) => db.get<SqlRow & { n: number | null }>(sql)?.n ?? 0
  let lastN = count('SELECT max(n) AS n FROM ops')
  const append = (seq: number, base: number, baseRev: number | null) => {
    const n = ++lastN
    db.run('INSERT INTO ops (n, seq, base, base_rev) VALUES (?, ?, ?, ?)', [n, seq, base, baseRev])
    return n
  }
  const acknowledge = (mid: number) =>
    settings.set('acked_mid', Math.max(mid, settings.getNumber('acked_mid')))
  return {
    ...createRefusedOps(db, acknowledge),
    ...createWithdrawnOps(db),
    log(row, seq) {
      if (row?.op != null) {
        const found = db.get<{ refused: string | null }>(
          'SELECT refused FROM ops WHERE n = ? AND mid IS NULL',
          [row.op],
        )
        if (found) {
          db.run(
            'UPDATE ops SET refused = NULL, reseal = 0 WHERE n = ? AND (refused IS NOT NULL OR reseal = 1)',
            [row.op],
          )
          return row.op
        }
      }
      return append(seq, row?.ver ?? 0, row && row.ver > 0 ? row.rev : null)
    },
    logResealed(row) {
      const waits =
        row.op !== null && db.get('SELECT n FROM ops WHERE n = ? AND mid IS NULL', [row.op]) !== undefined
      if (waits) return
      const n = append(row.seq, row.ver, null)
      db.run('UPDATE ops SET reseal = ? WHERE n = ?', [row.op === null && row.ver > 0 ? 1 : 0, n])
      db.run('UPDATE records SET op = ? WHERE seq = ?', [n, row.seq])
    },
    sent: () =>
      db.all<SentOp & SqlRow>(
        'SELECT n, seq, mid, wire, base_rev, rev, erased_rev, rounds FROM ops WHERE mid IS NOT NULL ORDER BY mid',
      ),
    hasUnsent(kinds) {
      const waits = 'SELECT 1 AS one FROM ops o WHERE o.mid IS NULL AND o.refused IS NULL'
      if (!kinds) return db.get(`${waits} LIMIT 1`) !== undefined
      const ofKinds = 'SELECT seq FROM records WHERE kind IN (SELECT value FROM json_each(?))'
      return db.get(`${waits} AND o.seq IN (${ofKinds}) LIMIT 1`, [JSON.stringify(kinds)]) !== undefined
    },
    unsent(limit, kinds) {
      const isUrgent = db.get('SELECT 1 AS one FROM ops WHERE urgent = 1 LIMIT 1') !== undefined
      const ofKinds = kinds ? 'AND r.kind IN (SELECT value FROM json_each(?))' : ''
      const read = (urgent: 0 | 1, most: number) =>
        db.all<Joined>(
          `SELECT o.n, o.base, o.base_rev, o.rounds, o.reseal, ${recordColumns} FROM ops o JOIN records r ON r.seq = o.seq
           WHERE o.urgent = ${urgent} AND o.mid IS NULL AND o.refused IS NULL ${ofKinds} ORDER BY o.n LIMIT ?`,
          kinds ? [JSON.stringify(kinds), most] : [most],
        )
      const first = isUrgent ? read(1, limit) : []
      const rows = first.length < limit ? [...first, ...read(0, limit - first.length)] : first
      return rows.map(({ n, base, base_rev, rounds, reseal, ...row }) => {
        return { n, base, base_rev, rounds, reseal, row: row as RecordRow }
      })
    },
    hurry: (seq) =>
      db.run('UPDATE ops SET urgent = 1 WHERE n = (SELECT op FROM records WHERE seq = ?)', [seq]),
    pendingCount: () => count('SELECT count(*) AS n FROM ops'),
    freeze({ n, row, base_rev, rounds }, encode) {
      const mid = 1 + settings.getNumber('last_mid')
      const wire = encode(mid)
      settings.set('last_mid', mid)
      db.run(freezeSql, [mid, wire, row.rev, n])
      return { n, seq: row.seq, mid, wire, base_rev, rev: row.rev, erased_rev: null, rounds }
    },
    settle({ n, seq, mid, rev, base_rev }, ver) {
      db.run('DELETE FROM ops WHERE n = ?', [n])
      db.run('UPDATE records SET op = NULL WHERE seq = ? AND op = ?', [seq, n])
      const later = 'WHERE n = (SELECT op FROM records WHERE seq = ?) AND mid IS NULL'
      if (ver === undefined) db.run(`UPDATE ops SET base_rev = ? ${later}`, [base_rev, seq])
      else db.run(`UPDATE ops SET base = ?, base_rev = ? ${later}`, [ver, rev, seq])
      acknowledge(mid)
    },
    last: () => lastN,
    list: ({ limit, after = 0 }) =>
      db.all<ListedRow>(listSql, [after, limit]).map(({ n, record, kind, at, ...row }): OutboxEntry => {
        const op = row.deleted === 1 ? 'forget' : 'put'
        const head = { n, record, kind, op, at } as const
        if (row.refused !== null) {
          const { code, message } = refusalOf(row.refused)
          return { ...head, state: 'refused', error: { code, message } }
        }
        return { ...head, state: row.mid === null ? 'waiting' : 'sent' }
      }),
    acknowledged: () => settings.getNumber('acked_mid'),
    noteRounds: (seq, rounds) =>
      db.run('UPDATE ops SET rounds = ? WHERE n = (SELECT op FROM records WHERE seq = ?)', [rounds, seq]),
    relog(seq, base) {
      db.run('UPDATE records SET op = ? WHERE seq = ?', [append(seq, base, null), seq])
    },
    rebase(seq, base) {
      const own = 'WHERE n = (SELECT op FROM records WHERE seq = ?) AND mid IS NULL'
      db.run(`UPDATE ops SET base = ? ${own}`, [base, seq])
      // Whoever made it has not seen what came after that, and so no forget either.
      db.run('UPDATE records SET gone = 0 WHERE seq = ?', [seq])
    },
    unsend(lastMid) {
      const sent = db.all<{ n: number; seq: number; base_rev: number | null }>(
        'SELECT n, seq, base_rev FROM ops WHERE mid > ?',
        [lastMid],
      )
      for (const { n, seq, base_rev } of sent) {
        const later = db.get<{ n: number }>('SELECT n FROM ops WHERE seq = ? AND mid IS NULL', [seq])
        if (later) db.run('UPDATE ops SET base_rev = ? WHERE n = ?', [base_rev, later.n])
        db.run(later ? 'DELETE FROM ops WHERE n = ?' : 'UPDATE ops SET mid = NULL, wire = NULL WHERE n = ?', [
          n,
        ])
      }
      settings.set('last_mid', Math.min(lastMid, settings.getNumber('last_mid')))
    },
    dropUnsent(seq) {
      const found = db.get<{ n: number; reseal: number }>(
        'SELECT n, reseal FROM ops WHERE seq = ? AND mid IS NULL',
        [seq],
      )
      if (!found) return undefined
      db.run('DELETE FROM ops WHERE n = ?', [found.n])
      db.run('UPDATE records SET op = NULL WHERE seq = ? AND op = ?', [seq, found.n])
      return { isReseal: found.reseal === 1 }
    },
    relogWithoutPlace() {
      const last = count('SELECT max(n) AS n FROM ops')
      db.run(
        'INSERT INTO ops (n, seq, base) SELECT ? + seq, seq, 0 FROM records WHERE op IS NULL AND place = 0',
        [last],
      )
      db.run('UPDATE records SET op = ? + seq WHERE op IS NULL AND place = 0', [last])
      lastN = Math.max(lastN, count('SELECT max(n) AS n FROM ops'))
    },
    renumber(base) {
      db.run(
        'DELETE FROM ops WHERE mid IS NOT NULL AND n < (SELECT r.op FROM records r WHERE r.seq = ops.seq)',
      )
      db.run('UPDATE ops SET mid = NULL, wire = NULL WHERE mid IS NOT NULL')
      if (base !== undefined) db.run('UPDATE ops SET base = ?, base_rev = NULL', [base])
      settings.set('last_mid', 0)
      settings.set('acked_mid', 0)
    },
  }
}
