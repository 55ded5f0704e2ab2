// Where a book is kept in this browser: opened under its Web Lock, in OPFS, or in memory if that was agreed to.
// Invariant: one worker of the origin has the book; a book never becomes an empty one in silence.
import sqlite3InitModule, { type Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import type { Durability } from '../../core/record.ts'
import { openPool } from './opfs-pool.ts'
import { createWasmDatabase } from './wasm-database.ts'
import { combineHandles, createWriteCombiner } from './write-combiner.ts'

export interface BookStorage {
  readonly db: SqlDatabase
  readonly durability: Durability
  /** Lets go of the files and the lock; call after the database is closed. */
  release(): void
}

export interface BookStorageOptions {
  readonly name: string
  readonly durability: 'relaxed' | 'strict'
  readonly onUnavailable: 'reject' | 'memory'
}

/** How long a second tab waits for the first before it says so: a reload overlaps with its predecessor. */
const lockWaitMs = 1500
/** Pages of the write-ahead log between checkpoints; each checkpoint costs two flushes. */
const checkpointPages = 4000
const pageSize = 4096

/** Opens the book's database, or rejects with `open-elsewhere` or `storage-unavailable`. */
export async function openBookStorage({
  name,
  durability,
  onUnavailable,
}: BookStorageOptions): Promise<BookStorage> {
  const unlock = await holdLock(`daybook:${name}:owner`)
  try {
    const sqlite3 = await loadSqlite()
    try {
      return await openFile(sqlite3, name, durability, unlock)
    } catch (error) {
      if (onUnavailable !== 'memory' || !isDaybookError(error, 'storage-unavailable')) throw error
      const db = createWasmDatabase(sqlite3, new sqlite3.oo1.DB(':memory:'), {
        pragmas: ['foreign_keys = OFF'],
      })
      return { db, durability: 'memory', release: unlock }
    }
  } catch (error) {
    unlock()
    throw error
  }
}

async function openFile(
  sqlite3: Sqlite3Static,
  name: string,
  durability: 'relaxed' | 'strict',
  unlock: () => void,
): Promise<BookStorage> {
  const pool = await openPool(sqlite3, name)
  const { quota = 0, usage = 0 } = await navigator.storage.estimate()
  const handle = new pool.OpfsSAHPoolDb('/book.sqlite3')
  const pragmas = [
    // First of all: write-ahead logging without shared memory needs exclusive locking.
    'locking_mode = EXCLUSIVE',
    `page_size = ${pageSize}`,
    'auto_vacuum = INCREMENTAL',
    'journal_mode = WAL',
    `synchronous = ${durability === 'strict' ? 'FULL' : 'NORMAL'}`,
    `wal_autocheckpoint = ${checkpointPages}`,
    'cache_size = -32768',
    'foreign_keys = OFF',
  ]
  const db = createWasmDatabase(sqlite3, handle, { pragmas, settle: combiner.settle })
  // SQLite then says "full" cleanly, before the browser cuts a write short. The log needs room as well.
  const roomBytes = Math.max(0, quota - usage) * 0.8 + db.sizeBytes()
  if (quota > 0) db.exec(`PRAGMA max_page_count = ${Math.max(1000, Math.floor(roomBytes / pageSize))}`)
  return {
    db,
    durability: 'opfs',
    release() {
      pool.pauseVfs()
      unlock()
    },
  }
}

const combiner = createWriteCombiner()
let loading: Promise<Sqlite3Static> | undefined

function loadSqlite(): Promise<Sqlite3Static> {
  // The two file systems that need a cross-origin isolated page would only log that they can't start.
  const quiet = { disable: { vfs: { opfs: true, 'opfs-vfs': true, 'opfs-wl': true } }, warn: () => undefined }
  Object.assign(globalThis, { sqlite3ApiConfig: quiet })
  if (!loading) {
    combineHandles(combiner)
    loading = sqlite3InitModule()
  }
  return loading
}

/** Takes a Web Lock and answers the function that frees it; `open-elsewhere` when it stays taken. */
async function holdLock(name: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(
        name,
        { signal: AbortSignal.timeout(lockWaitMs) },
        () => new Promise<void>((free) => resolve(() => free())),
      )
      .catch((cause: unknown) => reject(new DaybookError('open-elsewhere', undefined, { cause })))
  })
}
