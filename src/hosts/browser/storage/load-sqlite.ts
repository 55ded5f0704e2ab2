// SQLite in this worker, loaded as soon as this module runs: it compiles while later modules load.
// Invariant: every access handle that SQLite opens goes through the combiner.
import sqlite3InitModule, { type Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { combineHandles, WriteCombiner } from './write-combiner.ts'

export const combiner = new WriteCombiner()
let loading: Promise<Sqlite3Static> | undefined

export function loadSqlite(): Promise<Sqlite3Static> {
  // File systems that Daybook doesn't use; scripts/bundle-plugin.mjs leaves them out.
  const disable = { vfs: { kvvfs: true, opfs: true, 'opfs-vfs': true, 'opfs-wl': true } }
  Object.assign(globalThis, { sqlite3ApiConfig: { disable, warn: () => undefined } })
  if (!loading) {
    combineHandles(combiner)
    loading = sqlite3InitModule()
  }
  return loading
}

// Callers of `loadSqlite` get the error.
loadSqlite().catch(() => undefined)
