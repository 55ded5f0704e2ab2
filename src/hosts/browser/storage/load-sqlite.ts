// SQLite in this worker, begun as soon as this module is evaluated: it is compiled while the modules after it are read.
// Invariant: every access handle that SQLite opens goes through the combiner.
import sqlite3InitModule, { type Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { combineHandles, createWriteCombiner } from './write-combiner.ts'

export const combiner = createWriteCombiner()
let loading: Promise<Sqlite3Static> | undefined

export function loadSqlite(): Promise<Sqlite3Static> {
  // The two file systems that need a cross-origin isolated page would only log that they can't start.
  const quiet = { disable: { vfs: { opfs: true, 'opfs-vfs': true, 'opfs-wl': true } }, warn: () => undefined }
  Object.assign(globalThis, { sqlite3ApiConfig: quiet })
  if (!loading) {
    combineHandles(combiner)
    loading = sqlite3InitModule()
  }
  return loading
}

// Who needs it is told what went wrong.
loadSqlite().catch(() => undefined)
