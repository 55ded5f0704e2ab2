// SQLite in this worker, loaded as soon as this module runs: it compiles while later modules load.
// Invariant: every access handle that SQLite opens goes through the combiner.
import sqlite3InitModule, { type Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { combineHandles, WriteCombiner } from './write-combiner.ts'

export const combiner = new WriteCombiner()
let loading: Promise<Sqlite3Static> | undefined

export function loadSqlite(): Promise<Sqlite3Static> {
  // Two file systems need a cross-origin isolated page and would only log that they can't start.
  const quiet = { disable: { vfs: { opfs: true, 'opfs-vfs': true, 'opfs-wl': true } }, warn: () => undefined }
  Object.assign(globalThis, { sqlite3ApiConfig: quiet })
  if (!loading) {
    combineHandles(combiner)
    loading = sqlite3InitModule()
  }
  return loading
}

// Callers of `loadSqlite` get the error.
loadSqlite().catch(() => undefined)
