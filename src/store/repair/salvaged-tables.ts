// The tables that a repair copies, and the check that none of them is missing.
import type { SqlDatabase } from '../../core/ports.ts'
import { readVersion } from '../schema/version.ts'
import { schemaVersion } from '../schema/schema.ts'
import { tablesOf } from './damage.ts'

/** The tables that can't be rebuilt, the most valuable first, with the key columns that order their rows. */
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

/** The fault of a book of the present schema that lacks tables; undefined for none. */
export function schemaFault(db: SqlDatabase): string | undefined {
  const present = tablesOf(db)
  const missing = Object.keys(salvagedTables).filter((table) => !present.includes(table))
  return readVersion(db) === schemaVersion && missing.length > 0
    ? `the file has no table ${missing.join(', ')}`
    : undefined
}
