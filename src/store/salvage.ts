// Reads what can still be read of a damaged database into a new one: the outbox and the records first, row by row, around
// the pages that are broken. Invariant: what is taken over is whole; nothing is written to the damaged database.
import { isDaybookError } from '../core/errors.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../core/ports.ts'

/** What cannot be told from anything else, most precious first, and by what its rows are ordered. */
export const salvagedTables: Readonly<Record<string, readonly string[]>> = {
  book: ['key'],
  ops: ['rowid'],
  records: ['rowid'],
  tasks: ['rowid'],
  conflicts: ['rowid'],
  history: ['seq', 'version'],
  applied_requests: ['request'],
  devices: ['device'],
  results: ['device', 'mid'],
  uses: ['rowid'],
  vector_spaces: ['rowid'],
  vectors: ['rowid'],
  model_parts: ['rowid'],
}
/** Uploads that were not whole, and what a mirror's object keeps for itself. */
export const leftTables: readonly string[] = ['staged', 'rate_buckets', 'due_jobs', 'schema_version']

/** Told anew from the records, or true of the damaged database alone. */
const staleKeys = /^(?:derived|posting|mended|agreed$|open$)/
const pageRows = 200
const transactionRows = 1000
const farthest = 2 ** 40

export interface Salvaged {
  /** Live records there are now. */
  readonly records: number
  /** Changes among them that no mirror has acknowledged. */
  readonly unsent: number
  /** Tables of which something could not be read. */
  readonly broken: readonly string[]
}

type Keys = readonly SqlValue[]

/** Fills `to`, which is new and of the present schema, from `from`. */
export function salvage(from: SqlDatabase, to: SqlDatabase): Salvaged {
  const broken: string[] = []
  for (const [table, keys] of Object.entries(salvagedTables))
    if (!copyTable(from, to, table, keys)) broken.push(table)
  settle(to, broken.includes('book'))
  return { ...count(to), broken }
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
    if (isAnonymous) {
      to.exec(`
        DELETE FROM book WHERE key IN ('device', 'epoch', 'cursor', 'last_mid', 'acked_mid', 'resyncing', 'retry', 'mark');
        UPDATE ops SET mid = NULL, wire = NULL;
      `)
    }
  })
}

/** True when all of it could be read. */
function copyTable(from: SqlDatabase, to: SqlDatabase, table: string, keys: readonly string[]): boolean {
  const known = to
    .all<{ name: string }>('SELECT name FROM pragma_table_info(?)', [table])
    .map(({ name }) => name)
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
  const take = (row: SqlRow) => {
    if (isWhole(table, row)) rows.push(row)
    if (rows.length >= transactionRows) flush()
  }
  const whole = createWalk(from, table, keys)(take)
  flush()
  return whole
}

/** Broken pages show in what SQLite says; broken bytes inside a value only here. */
function isWhole(table: string, row: SqlRow): boolean {
  if (table === 'book') return typeof row['key'] === 'string' && !staleKeys.test(row['key'])
  if (table !== 'records' && table !== 'history') return true
  try {
    const body = row['body']
    // A forgotten record has none.
    return body === '' || typeof JSON.parse(String(body)) === 'object'
  } catch {
    return false
  }
}

function createWalk(from: SqlDatabase, table: string, keys: readonly string[]) {
  const list = keys.join(', ')
  const named = keys.map((key, i) => `${key} AS k${i}`).join(', ')
  const marks = keys.map(() => '?').join(', ')
  const sql = {
    first: `SELECT ${named}, * FROM ${table} ORDER BY ${list} LIMIT ?`,
    after: `SELECT ${named}, * FROM ${table} WHERE (${list}) > (${marks}) ORDER BY ${list} LIMIT ?`,
    last: `SELECT ${named}, * FROM ${table} ORDER BY ${keys.map((key) => `${key} DESC`).join(', ')} LIMIT ?`,
    before: `SELECT ${named}, * FROM ${table} WHERE (${list}) < (${marks}) ORDER BY ${keys.map((key) => `${key} DESC`).join(', ')} LIMIT ?`,
  }
  const keyOf = (row: SqlRow): Keys => keys.map((_, i) => row[`k${i}`] ?? null)
  /** Rows from `at` on, in one direction, until there are no more (true) or one can't be read (false). */
  const run = (
    direction: 'up' | 'down',
    at: Keys | undefined,
    take: (row: SqlRow) => boolean | void,
  ): { readonly end: boolean; readonly at: Keys | undefined } => {
    const [begin, go] = direction === 'up' ? [sql.first, sql.after] : [sql.last, sql.before]
    let limit = pageRows
    for (;;) {
      let rows: SqlRow[]
      try {
        rows = at === undefined ? from.all(begin, [limit]) : from.all(go, [...at, limit])
      } catch (error) {
        if (!isDaybookError(error, 'storage-failed')) throw error
        if (limit === 1) return { end: false, at }
        limit = 1
        continue
      }
      for (const row of rows) {
        const key = keyOf(row)
        // A broken page may answer what is out of order, and for ever.
        if (at !== undefined && !isBeyond(key, at, direction)) return { end: false, at }
        at = key
        if (take(row) === false) return { end: true, at }
      }
      if (rows.length < limit) return { end: true, at }
    }
  }

  return (take: (row: SqlRow) => void): boolean => {
    try {
      from.get(`SELECT 1 AS one FROM ${table} LIMIT 1`)
    } catch (error) {
      // Earlier schemas had fewer tables.
      if (!isDaybookError(error, 'storage-failed')) return true
    }
    const seen = run('up', undefined, take)
    if (seen.end) return true
    let last = seen.at
    const numbered = keys.length === 1 && keys[0] === 'rowid'
    while (numbered) {
      const beyond = probe(from, table, Number(last?.[0] ?? -farthest))
      if (beyond === undefined) break
      // What lies between the broken page and the row that was found behind it.
      const floor = last
      run('down', [beyond + 1], (row) => {
        const key = keyOf(row)
        if (floor !== undefined && !isBeyond(key, floor, 'up')) return false
        take(row)
        return true
      })
      const next = run('up', [beyond], take)
      if (next.end) return false
      last = next.at
    }
    run('down', undefined, (row) => {
      if (last !== undefined && !isBeyond(keyOf(row), last, 'up')) return false
      take(row)
      return true
    })
    return false
  }
}

/** The number of a row behind `at` that can be read, with as little as possible left out; undefined when there is none. */
function probe(from: SqlDatabase, table: string, at: number): number | undefined {
  for (let step = 1; step <= farthest * 2; step *= 2) {
    try {
      return from.get<{ n: number }>(
        `SELECT rowid AS n FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT 1`,
        [at + step],
      )?.n
    } catch (error) {
      if (!isDaybookError(error, 'storage-failed')) throw error
    }
  }
  return undefined
}

function isBeyond(key: Keys, other: Keys, direction: 'up' | 'down'): boolean {
  for (const [i, value] of key.entries()) {
    const against = other[i] ?? null
    if (value === against) continue
    if (value === null || against === null) return false
    return value > against === (direction === 'up')
  }
  return false
}
