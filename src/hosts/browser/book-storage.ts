// Where a book is kept in this browser: in OPFS, or in memory if that was agreed to.
// Invariant: only opened while the book's owner lock is held; a book never becomes an empty one in silence.
import sqlite3InitModule, { type Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { isDaybookError } from '../../core/errors.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import type { Durability } from '../../core/record.ts'
import { openPool } from './opfs-pool.ts'
import { createWasmDatabase } from './wasm-database.ts'
import { combineHandles, createWriteCombiner } from './write-combiner.ts'

export interface BookStorage {
  readonly db: SqlDatabase
  readonly durability: Durability
  /** From now on each commit waits for the flush. */
  makeStrict(): void
  /** Lets go of the files; call after the database is closed. */
  release(): void
}

export interface BookStorageOptions {
  readonly name: string
  readonly onUnavailable: 'reject' | 'memory'
}

/** Pages of the write-ahead log between checkpoints; each checkpoint costs two flushes. */
const checkpointPages = 4000
const pageSize = 4096

/** Opens the book's database, or rejects with `open-elsewhere` or `storage-unavailable`. */
export async function openBookStorage({ name, onUnavailable }: BookStorageOptions): Promise<BookStorage> {
  const sqlite3 = await loadSqlite()
  try {
    return await openFile(sqlite3, name)
  } catch (error) {
    if (onUnavailable !== 'memory' || !isDaybookError(error, 'storage-unavailable')) throw error
    const db = createWasmDatabase(sqlite3, new sqlite3.oo1.DB(':memory:'), {
      pragmas: ['foreign_keys = OFF'],
    })
    return { db, durability: 'memory', makeStrict: () => undefined, release: () => undefined }
  }
}

async function openFile(sqlite3: Sqlite3Static, name: string): Promise<BookStorage> {
  const pool = await openPool(sqlite3, name)
  const { quota = 0, usage = 0 } = await navigator.storage.estimate()
  const handle = new pool.OpfsSAHPoolDb('/book.sqlite3')
  const pragmas = [
    // First of all: write-ahead logging without shared memory needs exclusive locking.
    'locking_mode = EXCLUSIVE',
    `page_size = ${pageSize}`,
    'auto_vacuum = INCREMENTAL',
    'journal_mode = WAL',
    'synchronous = NORMAL',
    `wal_autocheckpoint = ${checkpointPages}`,
    'cache_size = -32768',
    'foreign_keys = OFF',
    'secure_delete = FAST',
  ]
  const db = createWasmDatabase(sqlite3, handle, { pragmas, settle: combiner.settle })
  // SQLite then says "full" cleanly, before the browser cuts a write short. The log needs room as well.
  const roomBytes = Math.max(0, quota - usage) * 0.8 + db.sizeBytes()
  if (quota > 0) db.exec(`PRAGMA max_page_count = ${Math.max(1000, Math.floor(roomBytes / pageSize))}`)
  return {
    db,
    durability: 'opfs',
    makeStrict: () => db.exec('PRAGMA synchronous = FULL'),
    release: () => void pool.pauseVfs(),
  }
}

const combiner = createWriteCombiner()
let loading: Promise<Sqlite3Static> | undefined

/** Has SQLite ready for a book that may have to be opened in a hurry. */
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
