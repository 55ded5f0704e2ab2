// Brings records that a mended book lacks, or has in an older state, back from its checkpoint.
// Invariant: of two states of a record the one with the later stamp stays, so what was forgotten stays forgotten and of what was
// purged nothing stays; a record that comes back goes on above its own history.
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import {
  conflictsOf,
  eraseAnswers,
  erasePendingNamed,
  eraseRows,
  erasingTogether,
  historyOf,
} from '../record/erase-rows.ts'
import { isPurged, isWholeBody, type RecordRow } from '../schema/record-row.ts'
import { walkTable } from './broken-walk.ts'
import { columnsOf } from './record-copy.ts'

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
  const numberOf = (row: SqlRow): number => {
    const isTaken = to.get('SELECT 1 AS one FROM records WHERE seq = ?', [row['seq'] ?? null])
    const last = to.get<{ n: number }>('SELECT max(seq) AS n FROM records')?.n ?? 0
    return isTaken ? last + 1 : Number(row['seq'])
  }
  let restored = 0
  let rows: SqlRow[] = []
  const bringBack = (row: SqlRow) => {
    const id = String(row['id'])
    const found = to.get<{ seq: number; stamp: string }>('SELECT seq, stamp FROM records WHERE id = ?', [id])
    if (found && found.stamp >= String(row['stamp'])) return
    const seq = found?.seq ?? numberOf(row)
    if (found) takeOut(to, found.seq, isPurged(row as unknown as RecordRow) ? id : undefined)
    const rev = Math.max(Number(row['rev']), 1 + lastVersion(seq))
    const whole: SqlRow = { ...row, seq, rev, ...(knowsOps ? { op: lastOp(seq) } : {}) }
    to.run(
      insert,
      columns.map((name) => whole[name] ?? null),
    )
    if (row['deleted'] === 0) restored += 1
  }
  const flush = () => {
    to.transaction(() => erasingTogether(to, () => rows.forEach(bringBack)))
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

/** Makes room for the newer state of a record; `purged`: its id, where nothing of it may stay. */
function takeOut(to: SqlDatabase, seq: number, purged: string | undefined): void {
  if (purged !== undefined) {
    eraseRows(to, historyOf, [seq])
    eraseRows(to, conflictsOf, [purged])
    eraseAnswers(to, purged)
    // What was derived is not there yet, and with it the name.
    erasePendingNamed(to, purged, purged)
  }
  to.run('DELETE FROM records WHERE seq = ?', [seq])
}
