// Brings records that a mended book lacks back from its checkpoint, as they were when that was made.
// Invariant: what was read of the book itself is newer and stays; a record that comes back goes on above its own history.
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { walkTable } from './broken-walk.ts'
import { columnsOf } from './record-copy.ts'
import { isWholeBody } from '../schema/record-row.ts'

const transactionRows = 1000

/**
 * Fills `to`, into which all was read that could be; the number of live records that came back. `knowsOps`: its outbox is
 * complete, and has an op for each that was not sent.
 */
export function restore(checkpoint: SqlDatabase, to: SqlDatabase, knowsOps: boolean): number {
  const known = columnsOf(checkpoint)
  const columns = columnsOf(to).filter((name) => known.includes(name))
  const insert = `INSERT OR IGNORE INTO records (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
  const lastOp = (seq: number) =>
    to.get<{ n: number | null }>('SELECT max(n) AS n FROM ops WHERE seq = ?', [seq])?.n ?? null
  const lastVersion = (seq: number) =>
    to.get<{ n: number | null }>('SELECT max(version) AS n FROM history WHERE seq = ?', [seq])?.n ?? 0
  let restored = 0
  let rows: SqlRow[] = []
  const flush = () => {
    to.transaction(() => {
      for (const row of rows) {
        const seq = Number(row['seq'])
        if (to.get('SELECT 1 AS one FROM records WHERE seq = ? OR id = ?', [seq, row['id'] ?? null])) continue
        const rev = Math.max(Number(row['rev']), 1 + lastVersion(seq))
        const whole: SqlRow = { ...row, rev, ...(knowsOps ? { op: lastOp(seq) } : {}) }
        to.run(
          insert,
          columns.map((name) => whole[name] ?? null),
        )
        if (row['deleted'] === 0) restored += 1
      }
    })
    rows = []
  }
  walkTable(checkpoint, 'records', ['rowid'], (row) => {
    if (!isWholeBody(row['body'])) return
    rows.push(row)
    if (rows.length >= transactionRows) flush()
  })
  flush()
  return restored
}
