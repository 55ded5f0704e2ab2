// Looks through the pages of a database, for hosts whose SQLite takes pragmas.
import type { SqlDatabase } from '../../core/ports.ts'
import { isWholeBody } from '../schema/record-row.ts'
import { tablesOf } from './open-mark.ts'

/** What is wrong with a table or its indexes; undefined when nothing is. */
export function checkTable(db: SqlDatabase, table: string): string | undefined {
  // Names of our own tables: a pragma takes no parameters.
  const row = db.get(`PRAGMA quick_check(${table})`)
  const said = String(Object.values(row ?? {})[0] ?? 'ok')
  return said === 'ok' ? undefined : said.slice(0, 200)
}

/** Whether a record has bytes that are no body: pages may be whole, and what stands in them not. */
export function bodyFault(db: SqlDatabase): string | undefined {
  let at = 0
  for (;;) {
    const rows = db.all<{ seq: number; body: string }>(
      'SELECT seq, body FROM records WHERE seq > ? ORDER BY seq LIMIT 200',
      [at],
    )
    const broken = rows.find(({ body }) => !isWholeBody(body))
    if (broken) return `records: the body of record ${broken.seq} is not whole`
    const last = rows.at(-1)
    if (!last) return undefined
    at = last.seq
  }
}

/** The first thing that is wrong, with the table it was found in. */
export function firstFault(db: SqlDatabase): string | undefined {
  for (const table of tablesOf(db)) {
    const fault = checkTable(db, table)
    if (fault !== undefined) return `${table}: ${fault}`
  }
  return undefined
}
