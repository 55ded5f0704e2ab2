// Reads what can still be read of a damaged database into a new one: the outbox and the records first, row by row, around
// the pages that are broken. Invariant: what is taken over is whole; nothing is written to the damaged database.
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { walkTable } from './broken-walk.ts'
import { type Pages, scanRows } from './page-scan.ts'
import { columnsOf } from './record-copy.ts'
import { isWholeBody } from '../schema/record-row.ts'
import { restore } from './restore.ts'
import { tablesOf } from './open-mark.ts'
import { readVersion } from '../schema/newer-book.ts'
import { schemaVersion } from '../schema/schema.ts'

/** Tables that nothing else can bring back, most precious first, and by what their rows are ordered. */
export const salvagedTables: Readonly<Record<string, readonly string[]>> = {
  book: ['key'],
  ops: ['rowid'],
  records: ['rowid'],
  tasks: ['rowid'],
  conflicts: ['rowid'],
  audit: ['rowid'],
  history: ['seq', 'version'],
  applied_requests: ['request'],
  devices: ['device'],
  results: ['device', 'mid'],
  uses: ['rowid'],
  pool_outbox: ['rowid'],
  pool_positions: ['carrier'],
  pool_keys: ['rowid'],
  pool_waiting: ['rowid'],
  pool_own: ['claw'],
  pool_audit: ['rowid'],
  vector_spaces: ['rowid'],
  vectors: ['rowid'],
  model_parts: ['rowid'],
}
/** Uploads that were not whole, what a mirror's object keeps for itself, and what is kept for a week alone. */
export const leftTables: readonly string[] = [
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

/** Settings that are found anew from the records, or are true of the damaged database alone. */
const staleKeys = /^(?:derived|posting|mended|checkpoint$|agreed$|open$)/
const transactionRows = 1000

export interface Salvaged {
  /** Live records there are now. */
  readonly records: number
  /** Changes among them that no mirror has acknowledged. */
  readonly unsent: number
  /** Live records that came from the checkpoint. */
  readonly restored: number
  /** Live records that were read from pages to which the table leads no more. */
  readonly scanned: number
  /** Tables of which something could not be read. */
  readonly broken: readonly string[]
}

export interface SalvageSources {
  readonly checkpoint?: SqlDatabase | undefined
  /** The pages of the damaged file. */
  readonly pages?: Pages | undefined
}

/**
 * Fills `to`, which is new and of the present schema, from `from`, if that can be opened at all; and with records that
 * can't be read there from its bare pages, or else as they were in the checkpoint.
 */
export function salvage(
  from: SqlDatabase | undefined,
  to: SqlDatabase,
  { checkpoint, pages }: SalvageSources = {},
): Salvaged {
  const broken = from
    ? Object.entries(salvagedTables).flatMap(([table, keys]) =>
        copyTable(from, to, table, keys) ? [] : [table],
      )
    : ['book', 'records']
  const scanned = pages && broken.includes('records') ? takeScanned(pages, to) : 0
  const restored = checkpoint ? restore(checkpoint, to, from !== undefined && !broken.includes('ops')) : 0
  settle(to, broken.includes('book'))
  return { ...count(to), scanned, restored, broken }
}

function count(db: SqlDatabase): Pick<Salvaged, 'records' | 'unsent'> {
  const one = (sql: string) => db.get<{ n: number }>(sql)?.n ?? 0
  return {
    records: one('SELECT count(*) AS n FROM records WHERE deleted = 0'),
    unsent: one('SELECT count(*) AS n FROM ops'),
  }
}

/** Makes one whole of what was read: an op needs its record, and a record that was not sent its op. */
function settle(to: SqlDatabase, isAnonymous: boolean): void {
  to.transaction(() => {
    to.exec(`
      DELETE FROM ops WHERE seq NOT IN (SELECT seq FROM records);
      DELETE FROM history WHERE seq NOT IN (SELECT seq FROM records);
      INSERT OR IGNORE INTO ops (n, seq, base)
        SELECT op, seq, ver FROM records WHERE op IS NOT NULL AND op NOT IN (SELECT n FROM ops);
    `)
    // Who this copy was for the mirror is not known for sure: it comes back as another device, and reads everything.
    // It goes on naming the mirror that it knew, or that it knew one: what was erased there meanwhile must not come back.
    if (isAnonymous) {
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

/** True when all of it could be read. */
function copyTable(from: SqlDatabase, to: SqlDatabase, table: string, keys: readonly string[]): boolean {
  const known = columnsOf(to, table)
  const rows: SqlRow[] = []
  const flush = () => {
    const [first] = rows
    if (!first) return
    const columns = known.filter((name) => name in first)
    const sql = `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
    to.transaction(() => {
      for (const row of rows)
        to.run(
          sql,
          columns.map((name) => row[name] ?? null),
        )
    })
    rows.length = 0
  }
  let isGarbled = false
  const take = (row: SqlRow) => {
    if (isWhole(table, row)) rows.push(row)
    else if (table !== 'book') isGarbled = true
    if (rows.length >= transactionRows) flush()
  }
  const whole = walkTable(from, table, keys, take)
  flush()
  return whole && !isGarbled
}

/** Takes in the records that stand in bare pages and were not read already; the number of live ones. */
function takeScanned(pages: Pages, to: SqlDatabase): number {
  const columns = columnsOf(to, 'records')
  let taken = 0
  to.transaction(() => {
    for (const row of recordsIn(pages, columns)) {
      if (
        to.get('SELECT 1 AS one FROM records WHERE seq = ? OR id = ?', [
          row['seq'] ?? null,
          row['id'] ?? null,
        ])
      )
        continue
      const names = columns.filter((name) => name in row)
      to.run(
        `INSERT INTO records (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
        names.map((name) => row[name] ?? null),
      )
      if (row['deleted'] === 0) taken += 1
    }
  })
  return taken
}

function* recordsIn(pages: Pages, columns: readonly string[]): Generator<SqlRow> {
  for (const row of scanRows(pages, columns)) if (isRecord(row)) yield row
}

/** Whether a Daybook has written records into these pages. */
export function hasRecords(pages: Pages, columns: readonly string[]): boolean {
  return recordsIn(pages, columns).next().done !== true
}

/** Whether one of the records in these pages is also in `copy`. */
export function sharesRecord(pages: Pages, copy: SqlDatabase): boolean {
  for (const { id } of recordsIn(pages, columnsOf(copy)))
    if (copy.get('SELECT 1 AS one FROM records WHERE id = ?', [id ?? null])) return true
  return false
}

/** What is wrong with the names of the tables; undefined where all that are salvaged are there. */
export function schemaFault(db: SqlDatabase): string | undefined {
  const there = tablesOf(db)
  const missing = Object.keys(salvagedTables).filter((table) => !there.includes(table))
  return readVersion(db) === schemaVersion && missing.length > 0
    ? `the file has no table ${missing.join(', ')}`
    : undefined
}

const texts = ['id', 'kind', 'agent', 'created_at', 'updated_at', 'stamp'] as const
const counts = ['seq', 'ver', 'place', 'rev'] as const

function isRecord(row: SqlRow): boolean {
  return (
    texts.every((name) => typeof row[name] === 'string' && row[name] !== '') &&
    counts.every((name) => Number.isSafeInteger(row[name])) &&
    (row['deleted'] === 0 || row['deleted'] === 1) &&
    isWholeBody(row['body'])
  )
}

function isWhole(table: string, row: SqlRow): boolean {
  if (table === 'book') return typeof row['key'] === 'string' && !staleKeys.test(row['key'])
  return (table !== 'records' && table !== 'history') || isWholeBody(row['body'])
}
