// The op log of a device: the changes that the mirror has not acknowledged, in order. It is the outbox.
// Invariant: an op that was sent keeps its number and bytes; a record has at most one op that was not sent.
import type { SqlDatabase, SqlRow } from '../core/ports.ts'
import { type RecordRow, recordColumns } from './record-row.ts'
import type { Settings } from './settings.ts'

/** One op of the outbox with the record it is about, as that stands now. */
export interface PendingOp {
  readonly n: number
  /** The mirror's version that the change was made on; 0 for a record the mirror has never seen. */
  readonly base: number
  readonly row: RecordRow
}

export interface SentOp {
  readonly n: number
  readonly seq: number
  readonly mid: number
  readonly wire: string
}

export interface OpLog {
  /** The number of the op that a change of `row` (undefined for a new record) belongs to. */
  log(row: RecordRow | undefined, seq: number): number
  /** Sent and unanswered ops, in order. While there are any, nothing new is sent. */
  sent(): SentOp[]
  /** The oldest unsent ops, at most `limit`. */
  unsent(limit: number): PendingOp[]
  pendingCount(): number
  /** Numbers an op for the wire and fixes its bytes: `encode` is given its `mid`. */
  freeze(op: PendingOp, encode: (mid: number) => string): SentOp
  /** The mirror has answered: the op leaves the log, a later one of its record now builds on `ver`. */
  settle(op: SentOp, ver: number): void
  /** The highest mid that was answered. */
  acknowledged(): number
}

type Joined = RecordRow & { readonly n: number; readonly base: number }

export function createOpLog(db: SqlDatabase, settings: Settings): OpLog {
  const count = (sql: string) => db.get<SqlRow & { n: number | null }>(sql)?.n ?? 0
  const append = (seq: number, base: number) => {
    // max() of a rowid is one step to the end of the table, and survives a transaction that is undone.
    const n = 1 + count('SELECT max(n) AS n FROM ops')
    db.run('INSERT INTO ops (n, seq, base) VALUES (?, ?, ?)', [n, seq, base])
    return n
  }
  return {
    log(row, seq) {
      if (row?.op != null && db.get('SELECT n FROM ops WHERE n = ? AND mid IS NULL', [row.op])) return row.op
      return append(seq, row?.ver ?? 0)
    },
    sent: () => db.all<SentOp & SqlRow>('SELECT n, seq, mid, wire FROM ops WHERE mid IS NOT NULL ORDER BY mid'),
    unsent(limit) {
      const rows = db.all<Joined>(
        `SELECT o.n, o.base, ${recordColumns} FROM ops o JOIN records r ON r.seq = o.seq
         WHERE o.mid IS NULL ORDER BY o.n LIMIT ?`,
        [limit],
      )
      return rows.map(({ n, base, ...row }) => ({ n, base, row: row as RecordRow }))
    },
    pendingCount: () => count('SELECT count(*) AS n FROM ops'),
    freeze({ n, row }, encode) {
      const mid = 1 + settings.getNumber('last_mid')
      const wire = encode(mid)
      settings.set('last_mid', mid)
      db.run('UPDATE ops SET mid = ?, wire = ? WHERE n = ?', [mid, wire, n])
      return { n, seq: row.seq, mid, wire }
    },
    settle({ n, seq, mid }, ver) {
      db.run('DELETE FROM ops WHERE n = ?', [n])
      db.run('UPDATE records SET op = NULL WHERE seq = ? AND op = ?', [seq, n])
      db.run('UPDATE ops SET base = ? WHERE n = (SELECT op FROM records WHERE seq = ?) AND mid IS NULL', [ver, seq])
      settings.set('acked_mid', Math.max(mid, settings.getNumber('acked_mid')))
    },
    acknowledged: () => settings.getNumber('acked_mid'),
  }
}
