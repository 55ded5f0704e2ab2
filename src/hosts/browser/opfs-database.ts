// A book's database on OPFS: its file in the pool, and how SQLite is set up for it.
// Invariant: a commit is in the file when it returns, and what the file had before a crash is whole after it.
import type { SAHPoolUtil, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import type { SqlDatabase } from '../../core/ports.ts'
import type { Durability } from '../../core/record.ts'
import { openPool } from './opfs-pool.ts'
import { createWasmDatabase } from './wasm-database.ts'
import type { WriteCombiner } from './write-combiner.ts'

export interface BookStorage {
  readonly db: SqlDatabase
  readonly durability: Durability
  /** From now on each commit waits for the flush. */
  makeStrict(): void
  /** Lets go of the files; call after the database is closed. */
  release(): void
}

/** Pages of the write-ahead log between checkpoints; each checkpoint costs two flushes. */
const checkpointPages = 4000
const pageSize = 4096
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

/**
 * Opens the file of book `name`, making it when there is none. Rejects as `openPool` does. `combiner` is the one that the
 * handles of this worker go through.
 */
export async function openOpfsDatabase(
  sqlite3: Sqlite3Static,
  name: string,
  combiner: Pick<WriteCombiner, 'settle' | 'failure'>,
): Promise<BookStorage> {
  const pool = await openPool(sqlite3, name)
  try {
    const db = await openDatabase(sqlite3, pool, combiner)
    return {
      db,
      durability: 'opfs',
      makeStrict: () => db.exec('PRAGMA synchronous = FULL'),
      release: () => void pool.pauseVfs(),
    }
  } catch (error) {
    // Or nobody else could try, in this tab or another.
    pool.pauseVfs()
    throw error
  }
}

async function openDatabase(
  sqlite3: Sqlite3Static,
  pool: SAHPoolUtil,
  combiner: Pick<WriteCombiner, 'settle' | 'failure'>,
): Promise<SqlDatabase> {
  const { quota = 0, usage = 0 } = await navigator.storage.estimate()
  const handle = new pool.OpfsSAHPoolDb('/book.sqlite3')
  try {
    const db = createWasmDatabase(sqlite3, handle, { pragmas, combiner })
    // SQLite then says "full" cleanly, before the browser cuts a write short. The log needs room as well.
    const roomBytes = Math.max(0, quota - usage) * 0.8 + db.sizeBytes()
    if (quota > 0) db.exec(`PRAGMA max_page_count = ${Math.max(1000, Math.floor(roomBytes / pageSize))}`)
    return db
  } catch (error) {
    handle.close()
    throw error
  }
}
