// A book's database on OPFS: its file in the pool, and how SQLite is set up for it.
// Invariant: a commit is in the file when it returns, and what the file had before a crash is whole after it.
import type { SAHPoolUtil, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import type { CheckpointFile, SqlDatabase } from '../../../core/ports.ts'
import type { Durability } from '../../../core/record.ts'
import { isBroken } from '../../../store/repair/broken.ts'
import { mendedOf, mendedText } from '../../../store/repair/mend.ts'
import { isBlamed } from '../../../store/repair/open-mark.ts'
import { checkTable, firstFault } from '../../../store/repair/table-check.ts'
import {
  bookFile,
  copyFile,
  drop,
  finishMending,
  hasFile,
  isAside,
  mendPool,
  type PoolToMend,
} from './mend-pool.ts'
import { createFileSpace } from './file-space.ts'
import { openPool } from './opfs-pool.ts'
import { createWasmDatabase } from './wasm-database.ts'
import type { WriteCombiner } from './write-combiner.ts'

export interface BookStorage {
  readonly db: SqlDatabase
  readonly durability: Durability
  /** Why this is not the best that a browser can give, in words. */
  degraded?(): Promise<string[]>
  /** What is wrong with a table of its file. Absent where there is no file. */
  check?(table: string): string | undefined
  /** Where a copy of its records is kept. Absent where there is no file. */
  readonly checkpointFile?: CheckpointFile
  /** What is to be told of its file, each in words. */
  mended?(): Promise<string[]>
  /** Looks again how much space there is. */
  refit?(): Promise<void>
  /** Opens or closes the space that is kept back. */
  useReserve?(isUsed: boolean): void
  /** From now on each commit waits for the flush. */
  makeStrict(): void
  /** Calls `hear` when what is in memory is not what is kept any more: the book must be opened again. */
  watchFault?(hear: () => void): void
  /** Lets go of the files; call after the database is closed. */
  release(): void | Promise<void>
}

/** Pages of the write-ahead log between checkpoints; each checkpoint costs two flushes. */
const checkpointPages = 4000
const leastLogPages = 64
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

/** A copy is written little by little and read once in its life. */
const copyPragmas = [...pragmas, 'synchronous = FULL', 'wal_autocheckpoint = 256', 'cache_size = -2048']

/**
 * Opens the file of book `name`, making it when there is none, and mends it first where it is damaged, as `damaged` may
 * say. Rejects as `openPool` does. `combiner` is the one that the handles of this worker go through.
 */
export async function openOpfsDatabase(
  sqlite3: Sqlite3Static,
  name: string,
  combiner: Omit<WriteCombiner, 'wrap'>,
  damaged?: string,
): Promise<BookStorage> {
  const pool = await openPool(sqlite3, name)
  try {
    const open = (file: string, given = pragmas) => openFile(file, given, { sqlite3, pool, combiner })
    const whole = await openWhole({ book: name, pool, open: (file) => open(file) }, damaged)
    let isOpen = true
    const db: SqlDatabase = {
      ...whole,
      close() {
        isOpen = false
        whole.close()
      },
    }
    const { refit, useReserve, spaceBytes } = createSizeLimit(db, () => isOpen)
    await refit()
    const used = Math.ceil(db.sizeBytes() / pageSize)
    const space = createFileSpace(used, (bytes) => combiner.reserve(bookFile, bytes))
    combiner.guard(bookFile, space.admit)
    return {
      db,
      durability: 'opfs',
      refit,
      useReserve(isUsed) {
        useReserve(isUsed)
        space.useReserve(isUsed)
        if (!isUsed) return
        try {
          // The log can't grow either: what it has is copied, for which there is space, and it begins anew.
          db.run('PRAGMA wal_checkpoint(RESTART)')
        } catch {
          // Within a transaction, or where there is none after all. Then what is lent may still do.
        }
      },
      check: (table) => checkTable(db, table),
      checkpointFile: {
        exists: () => hasFile(pool, copyFile),
        open: () => open(copyFile, copyPragmas),
        remove: () => drop(pool, copyFile),
        fits: (bookBytes) => spaceBytes() >= 2 * bookBytes,
      },
      async mended() {
        const mended = mendedOf(db)
        return mended && (await isAside(mended.aside)) ? [mendedText(mended)] : []
      },
      makeStrict: () => db.exec('PRAGMA synchronous = FULL'),
      release() {
        combiner.unguard()
        pool.pauseVfs()
      },
    }
  } catch (error) {
    // Or nobody else could try, in this tab or another.
    combiner.unguard()
    pool.pauseVfs()
    throw error
  }
}

/** Opens the book's file once nothing in it is known to be broken. */
async function openWhole(pool: PoolToMend, damaged?: string): Promise<SqlDatabase> {
  await finishMending(pool)
  let reason = damaged
  if (reason === undefined) {
    let db: SqlDatabase | undefined
    try {
      db = pool.open(bookFile)
      if (!isBlamed(db)) return db
      reason = firstFault(db)
      if (reason === undefined) return db
    } catch (error) {
      if (!isBroken(error)) {
        db?.close()
        throw error
      }
      reason = error.message
    }
    db?.close()
  }
  await mendPool(pool, reason)
  return pool.open(bookFile)
}

interface FileParts {
  readonly sqlite3: Sqlite3Static
  readonly pool: SAHPoolUtil
  readonly combiner: Pick<WriteCombiner, 'settle' | 'failure'>
}

function openFile(
  file: string,
  pragmas: readonly string[],
  { sqlite3, pool, combiner }: FileParts,
): SqlDatabase {
  const handle = new pool.OpfsSAHPoolDb(file)
  try {
    return createWasmDatabase(sqlite3, handle, { pragmas, combiner })
  } catch (error) {
    handle.close()
    throw error
  }
}

/**
 * SQLite then says "full" cleanly, before the browser cuts a write short. The log has its own space, so that what is full
 * can still be emptied: a forget is written there first. A quarter is kept back for that, and for deriving what is read.
 */
function createSizeLimit(
  db: SqlDatabase,
  isOpen: () => boolean,
): Required<Pick<BookStorage, 'refit' | 'useReserve'>> & { spaceBytes(): number } {
  let limit = 0
  let whole = 0
  let spaceBytes = Infinity
  const setLimit = (pages: number) => {
    if (pages > 0) db.exec(`PRAGMA max_page_count = ${pages}`)
  }
  return {
    useReserve: (isUsed) => setLimit(isUsed ? whole : limit),
    /** At the last look; without end where the browser does not say. */
    spaceBytes: () => spaceBytes,
    async refit() {
      const { quota = 0, usage = 0 } = await navigator.storage.estimate()
      // Or let go of while the browser was asked.
      if (quota === 0 || !isOpen()) return
      spaceBytes = Math.max(0, quota - usage)
      const spacePages = Math.floor(spaceBytes / pageSize)
      const logPages = Math.min(checkpointPages, Math.max(leastLogPages, Math.floor(spacePages / 8)))
      const usedPages = Math.ceil(db.sizeBytes() / pageSize)
      const freePages = Math.max(0, spacePages - 2 * logPages)
      // What was given once is not taken back by a look at a book that is nearly full.
      limit = Math.max(limit, usedPages + Math.floor(freePages * 0.7))
      whole = Math.max(whole, limit + Math.floor(freePages * 0.25))
      db.exec(`PRAGMA wal_autocheckpoint = ${logPages}`)
      setLimit(limit)
    },
  }
}
