// Loads SQLite in this worker as soon as this module runs, so that it compiles while other modules load.
// Invariant: every access handle that SQLite opens goes through the combiner.
import sqlite3InitModule, { type Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { DaybookError } from '../../../core/errors.ts'
import { combineHandles, WriteCombiner } from './write-combiner.ts'

/** The combiner of all file handles of this worker. */
export const combiner = new WriteCombiner()
let loading: Promise<Sqlite3Static> | undefined

combineHandles(combiner)

/** Resolves with SQLite, loaded once for all callers. Rejects with `part-unavailable`; the next call loads it again. */
export function loadSqlite(): Promise<Sqlite3Static> {
  // Daybook doesn't use these file systems; scripts/bundle-plugin.mjs removes their code.
  const disable = { vfs: { kvvfs: true, opfs: true, 'opfs-vfs': true, 'opfs-wl': true } }
  Object.assign(globalThis, { sqlite3ApiConfig: { disable, warn: () => undefined } })
  return (loading ??= sqlite3InitModule().catch((cause: unknown) => {
    loading = undefined
    throw new DaybookError('part-unavailable', undefined, { details: { part: 'sqlite3' }, cause })
  }))
}

// Callers of `loadSqlite` get the error: it is not unhandled here.
loadSqlite().catch(() => undefined)
