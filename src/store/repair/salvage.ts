// Copies the readable rows of a damaged database into a new one, around the broken pages. Then adds missing records
// from unlinked pages and from the checkpoint.
// Invariant: every copied row is whole. Nothing is written to the damaged database.
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'
import { walkTable } from './broken-walk.ts'
import { type Pages, scanRows } from './page-scan.ts'
import { columnsOf, latestStamp } from './record-copy.ts'
import {
  conflictsOfRecord,
  eraseAnswers,
  eraseClearVersions,
  eraseTaskInputsNaming,
  eraseTraces,
  eraseRows,
  eraseInBatch,
  modelParts,
  vectorOfRecord,
} from '../record/erase-rows.ts'
import { isOrWasSealed, isPurged, isIntactBody, type RecordRow } from '../schema/record-row.ts'
import { isSealedText } from '../../core/sealed.ts'
import { OpLog } from '../record/op-log.ts'
import { rewriteConflicts, scrubDue } from '../record/cover-text.ts'
import { salvagedTables } from './salvaged-tables.ts'
import { Settings } from '../schema/settings.ts'

/** The tables that are not copied: unfinished uploads, rows of a mirror's host, and logs of short-lived data. */
export const skippedTables: readonly string[] = [
  'staged',
  'meeting',
  'rate_buckets',
  'due_jobs',
  'agent_nonces',
  'agent_buckets',
  'pool_presence',
  'activity',
  'activity_hits',
  'schema_version',
]

/** Settings that are rebuilt from the records, or apply to the damaged database only. */
const skippedSettings = /^(?:derived|posting|mended|checkpoint$|agreed$|open$)/
const rowsPerTransaction = 1000

export interface SalvageResult {
  /** Live records in the new database. */
  readonly records: number
  /** Ops that no mirror has acknowledged. */
  readonly unsent: number
  /** Live records that came from the checkpoint. */
  readonly restored: number
  /** Live records that came from pages that the table no longer links. */
  readonly scanned: number
  /** Tables that could not be read whole. */
  readonly broken: readonly string[]
}

export interface SalvageSources {
  /** The copy of the records in a second file. */
  readonly checkpoint?: SqlDatabase | undefined
  /** The pages of the damaged file. */
  readonly pages?: Pages | undefined
  /** True when the damaged file lacks changes of the checkpoint. */
  readonly isBehind?: boolean
}

/**
 * The outbox of the damaged file. `older`: the restored records are later than it. `broken`: some ops are missing.
 */
type OutboxState = 'whole' | 'older' | 'broken'

/**
 * Fills `to`, a new database of the present schema, from the damaged `from` (undefined: it can't be opened).
 * Unreadable records come from unlinked pages, or else from the checkpoint.
 */
export function salvage(
  from: SqlDatabase | undefined,
  to: SqlDatabase,
  { checkpoint, pages, isBehind = false }: SalvageSources = {},
): SalvageResult {
  const broken = from
    ? Object.entries(salvagedTables).flatMap(([table, keys]) =>
        copyTable(from, to, table, keys) ? [] : [table],
      )
    : // Then the records come from the pages, and the device gets a new name.
      ['book', 'records']
  const scanned = pages && broken.includes('records') ? copyScanned(pages, to) : 0
  // If all records were read, only records that are later than the file are restored.
  const isOlder = isBehind || !broken.includes('records')
  const outbox = isOlder ? 'older' : from && !broken.includes('ops') ? 'whole' : 'broken'
  const restored = checkpoint ? restoreFromCheckpoint(checkpoint, to, outbox) : 0
  completeDatabase(to, broken.includes('book'))
  return { ...countRows(to), scanned, restored, broken }
}

function countRows(db: SqlDatabase): Pick<SalvageResult, 'records' | 'unsent'> {
  const countOf = (sql: string) => db.get<{ n: number }>(sql)?.n ?? 0
  return {
    records: countOf('SELECT count(*) AS n FROM records WHERE deleted = 0'),
    unsent: countOf('SELECT count(*) AS n FROM ops'),
  }
}

/**
 * Completes the new database: an op needs its record, and an unsent record its op. The number of a lost op may belong
 * to another record by now, so its record gets a new op.
 */
function completeDatabase(to: SqlDatabase, mayLackDeviceName: boolean): void {
  to.transaction(() => {
    to.exec(`
      DELETE FROM ops WHERE seq NOT IN (SELECT seq FROM records);
      DELETE FROM history WHERE seq NOT IN (SELECT seq FROM records);
      INSERT INTO ops (n, seq, base)
        SELECT (SELECT ifnull(max(n), 0) FROM ops) + row_number() OVER (ORDER BY r.op), r.seq, r.ver FROM records r
        LEFT JOIN (SELECT seq, max(n) AS last, max(mid IS NULL) AS unsent FROM ops GROUP BY seq) o ON o.seq = r.seq
        WHERE r.op IS NOT NULL AND (o.seq IS NULL OR (o.last < r.op AND o.unsent = 0));
      UPDATE records SET op = o.n FROM (SELECT seq, max(n) AS n FROM ops GROUP BY seq) o
        WHERE o.seq = records.seq AND records.op IS NOT o.n;
    `)
    // The device name may be lost, so the copy becomes a new device and reads everything again. `former_epoch` still
    // names its mirror, or tells that it had one: records that were erased there must not come back.
    if (mayLackDeviceName) {
      to.exec(`
        UPDATE OR REPLACE book SET key = 'former_epoch' WHERE key = 'epoch';
        INSERT OR IGNORE INTO book (key, value)
          SELECT 'former_epoch', 'e_unknown' WHERE EXISTS (SELECT 1 FROM records WHERE ver > 0);
        DELETE FROM book WHERE key IN ('device', 'epoch', 'cursor', 'last_mid', 'acked_mid', 'resyncing', 'retry', 'mark');
        UPDATE ops SET mid = NULL, wire = NULL;
      `)
    }
  })
}

/** Copies the whole rows of a table; true when all could be read. `keys`: the columns that order the rows. */
function copyTable(from: SqlDatabase, to: SqlDatabase, table: string, keys: readonly string[]): boolean {
  const targetColumns = columnsOf(to, table)
  const rows: SqlRow[] = []
  const flush = () => {
    const [first] = rows
    if (!first) return
    const columns = targetColumns.filter((name) => name in first)
    const sql = insertSql(table, columns)
    to.transaction(() => {
      for (const row of rows) to.run(sql, valuesOf(row, columns))
    })
    rows.length = 0
  }
  let hasBrokenRow = false
  const addRow = (row: SqlRow) => {
    if (isCopyable(table, row)) rows.push(row)
    // A setting that is skipped is not broken.
    else if (table !== 'book') hasBrokenRow = true
    if (rows.length >= rowsPerTransaction) flush()
  }
  const isComplete = walkTable(from, table, keys, addRow)
  flush()
  return isComplete && !hasBrokenRow
}

/** Copies records that `to` lacks from unlinked pages. Returns how many of them are live. */
function copyScanned(pages: Pages, to: SqlDatabase): number {
  const columns = columnsOf(to, 'records')
  let copied = 0
  to.transaction(() => {
    for (const row of recordsIn(pages, columns)) {
      const seqAndId = valuesOf(row, ['seq', 'id'])
      if (to.get('SELECT 1 AS one FROM records WHERE seq = ? OR id = ?', seqAndId)) continue
      const names = columns.filter((name) => name in row)
      to.run(insertSql('records', names, 'INSERT'), valuesOf(row, names))
      if (row['deleted'] === 0) copied += 1
    }
  })
  return copied
}

function* recordsIn(pages: Pages, columns: readonly string[], isOfAnyPage = false): Generator<SqlRow> {
  for (const row of scanRows(pages, columns, isOfAnyPage)) if (isRecord(row)) yield row
}

function insertSql(table: string, columns: readonly string[], insert = 'INSERT OR IGNORE'): string {
  return `${insert} INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
}

const valuesOf = (row: SqlRow, columns: readonly string[]): SqlValue[] =>
  columns.map((name) => row[name] ?? null)

/**
 * Copies records that `to` lacks, or has in an older state, from the checkpoint. Returns how many of them are live.
 * The later state wins, so a forgotten record stays forgotten, and no text stays that its later state removed.
 * The version of a restored record is above those in its history. `completeDatabase` completes its op.
 */
function restoreFromCheckpoint(checkpoint: SqlDatabase, to: SqlDatabase, outbox: OutboxState): number {
  const checkpointColumns = columnsOf(checkpoint)
  const columns = columnsOf(to).filter((name) => checkpointColumns.includes(name))
  const insert = insertSql('records', columns)
  const lastVersionOf = (seq: number) =>
    to.get<{ n: number | null }>('SELECT max(version) AS n FROM history WHERE seq = ?', [seq])?.n ?? 0
  const seqFor = (row: SqlRow): number => {
    const isTaken = to.get('SELECT 1 AS one FROM records WHERE seq = ?', [row['seq'] ?? null])
    const last = to.get<{ n: number }>('SELECT max(seq) AS n FROM records')?.n ?? 0
    return isTaken ? last + 1 : Number(row['seq'])
  }
  let restored = 0
  let rows: SqlRow[] = []
  const restoreRow = (row: SqlRow) => {
    const found = findState(to, row)
    if (found && !isLaterState(row, found)) return
    const seq = found?.seq ?? seqFor(row)
    // A checkpoint of an earlier schema has no sealed records, and no column `kid`.
    const state = { kid: null, ...row, seq } as unknown as RecordRow
    removeOlderState(to, state, found)
    const rev = Math.max(state.rev, 1 + Math.max(lastVersionOf(seq), found?.rev ?? 0))
    const op = outbox === 'older' ? logLaterState(to, state, found?.op) : outbox === 'whole' ? null : state.op
    to.run(insert, valuesOf({ ...state, rev, op }, columns))
    if (row['deleted'] === 0) restored += 1
  }
  const flush = () => {
    to.transaction(() => eraseInBatch(to, () => rows.forEach(restoreRow)))
    rows = []
  }
  walkTable(checkpoint, 'records', ['rowid'], (row) => {
    if (!isIntactBody(row['body'])) return
    rows.push(row)
    if (rows.length >= rowsPerTransaction) flush()
  })
  flush()
  return restored
}

type RecordState = Pick<RecordRow, 'seq' | 'stamp' | 'rev' | 'op' | 'deleted' | 'kid' | 'sensitivity'>

/** The state in `db` of the record of `row`; undefined when it has none. */
const findState = (db: SqlDatabase, { id = null }: SqlRow): RecordState | undefined =>
  db.get<RecordState & SqlRow>(
    'SELECT seq, stamp, rev, op, deleted, kid, sensitivity FROM records WHERE id = ?',
    [id],
  )

/**
 * True when `row` of the checkpoint is later than `found`. A change of another copy may have an earlier stamp than the
 * state that it replaces, so versions decide. A record that was made again after its tombstone was removed has
 * another number, and its versions begin again.
 */
function isLaterState({ seq, rev, stamp }: SqlRow, found: RecordState): boolean {
  const versions = seq === found.seq ? Number(rev) - found.rev : 0
  return versions === 0 ? String(stamp) > found.stamp : versions > 0
}

/** True when `checkpoint` has a record in a later state than `db`, or one that was made after the last change in `db`. */
export function isAhead(checkpoint: SqlDatabase, db: SqlDatabase): boolean {
  const last = latestStamp(db)
  let hasLater = false
  walkTable(checkpoint, 'records', ['rowid'], (row) => {
    if (hasLater) return
    const found = findState(db, row)
    const isLater = found ? isLaterState(row, found) : String(row['stamp']) > last
    hasLater = isLater && isIntactBody(row['body'])
  })
  return hasLater
}

/**
 * Changes the outbox of an older file to that of the later state `row`: its unsent op, if the mirror lacks it. Returns
 * the number of that op; null for none. The number of the op in `row` may belong to another record here.
 */
function logLaterState(
  to: SqlDatabase,
  { seq, op, ver }: RecordRow,
  olderOp: number | null = null,
): number | null {
  const unsent = to.get<{ n: number }>('SELECT n FROM ops WHERE n IN (?, ?) AND seq = ? AND mid IS NULL', [
    olderOp,
    op,
    seq,
  ])
  if (op === null) {
    if (unsent) to.run('DELETE FROM ops WHERE n = ?', [unsent.n])
    return null
  }
  if (unsent) {
    const sql = `UPDATE ops SET base = ?, base_rev = CASE base WHEN ? THEN base_rev END, refused = NULL, reseal = 0 WHERE n = ?`
    to.run(sql, [ver, ver, unsent.n])
    return unsent.n
  }
  const n = 1 + (to.get<{ n: number | null }>('SELECT max(n) AS n FROM ops')?.n ?? 0)
  to.run('INSERT INTO ops (n, seq, base) VALUES (?, ?, ?)', [n, seq, ver])
  return n
}

/** Removes the state `older` of the record in `row`, and its texts elsewhere that must not stay beside `row`. */
function removeOlderState(to: SqlDatabase, row: RecordRow, older: RecordState | undefined): void {
  const { seq, id } = row
  to.run('DELETE FROM records WHERE seq = ?', [seq])
  const becameSealed = isOrWasSealed(row) && !(older && isOrWasSealed(older))
  if (row.deleted === 0 && !becameSealed) return
  const settings = new Settings(to)
  new OpLog(to, settings).withdraw(row)
  if (row.deleted === 1) eraseTraces(to, seq)
  if (becameSealed) {
    // There is no key here to seal them.
    eraseClearVersions(to, seq)
    rewriteConflicts(to, id, (text) => (isSealedText(text) ? text : null))
    eraseRows(to, vectorOfRecord, [seq])
  }
  if (isPurged(row)) {
    eraseRows(to, conflictsOfRecord, [id])
    // Names are not derived yet, so pass the id as the name.
    eraseTaskInputsNaming(to, id, id)
  }
  if (!becameSealed && !isPurged(row)) return
  eraseAnswers(to, id)
  eraseRows(to, modelParts)
  settings.remove('model')
  settings.set(scrubDue, 1)
}

/** True when `pages` have records of a book, which may be in free pages. */
export function hasRecords(pages: Pages, columns: readonly string[]): boolean {
  return recordsIn(pages, columns, true).next().done !== true
}

/** True when a record in `pages` is also in `copy`. */
export function sharesRecord(pages: Pages, copy: SqlDatabase): boolean {
  for (const { id } of recordsIn(pages, columnsOf(copy)))
    if (copy.get('SELECT 1 AS one FROM records WHERE id = ?', [id ?? null])) return true
  return false
}

const textColumns = ['id', 'kind', 'agent', 'created_at', 'updated_at', 'stamp'] as const
const integerColumns = ['seq', 'ver', 'place', 'rev'] as const

function isRecord(row: SqlRow): boolean {
  return (
    textColumns.every((name) => typeof row[name] === 'string' && row[name] !== '') &&
    integerColumns.every((name) => Number.isSafeInteger(row[name])) &&
    (row['deleted'] === 0 || row['deleted'] === 1) &&
    isIntactBody(row['body'])
  )
}

function isCopyable(table: string, row: SqlRow): boolean {
  if (table === 'book') return typeof row['key'] === 'string' && !skippedSettings.test(row['key'])
  return (table !== 'records' && table !== 'history') || isIntactBody(row['body'])
}
