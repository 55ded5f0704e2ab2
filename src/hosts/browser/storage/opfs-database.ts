// A book's database on OPFS: opens its file in the pool, configures SQLite, and manages space. Two things are called
// checkpoint: the checkpoint file (a copy of the book's records), and SQLite's WAL checkpoint.
// Invariants: a commit is in the file when it returns, and earlier commits survive a crash. A full book can
// always be emptied: commits leave space to copy the log into the file, and a quarter of the free space is
// reserved for forgetting and derived rows.
import type { SAHPoolUtil, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import type { CheckpointFile, SqlDatabase } from '../../../core/ports.ts'
import type { Durability } from '../../../core/record.ts'
import { checkTable } from '../../../store/repair/damage.ts'
import {
  checkpointPath,
  drop,
  finishMending,
  hasCopy,
  hasFile,
  lossOf,
  isHeaderDamaged,
  mendedTexts,
  mendPool,
  type PoolToMend,
} from './mend-pool.ts'
import {
  bookFile,
  aheadPages,
  reservePages,
  logBytes,
  pageBytes,
  poolHeaderBytes,
} from './reserved-handle.ts'
import { openWhole, type Suspicion } from './open-whole.ts'
import { openPool } from './opfs-pool.ts'
import { createWasmDatabase, openImage } from './wasm-database.ts'
import type { WriteCombiner } from './write-combiner.ts'

export interface BookStorage {
  readonly db: SqlDatabase
  readonly durability: Durability
  /** Texts for the status: why the book isn't in OPFS. */
  degraded?(): Promise<string[]>
  /**
   * Checks a table in the book's file, and returns its fault; undefined for a whole table. Absent in memory.
   */
  check?(table: string): string | undefined
  /** The checkpoint. Absent without a file. */
  readonly checkpointFile?: CheckpointFile
  /** Texts for the status about repairs of the book's file. */
  mended?(): Promise<string[]>
  /** Measures the space again. */
  refit?(): Promise<void>
  /** Releases or restores the reserved space. */
  useReserve?(isUsed: boolean): void
  /** Whether the last commit that needed space found little free space. */
  isScarce?(): boolean
  /** Makes each commit wait for the flush. */
  makeStrict(): void
  /**
   * Calls `hear` when memory differs from the stored state: the book must be reopened. Absent: memory is
   * never ahead.
   */
  watchFault?(hear: () => void): void
  /** Releases the files; close the database first. */
  release(): void | Promise<void>
}

/** Most and least pages of the write-ahead log between WAL checkpoints; each WAL checkpoint costs two flushes. */
const mostLogPages = 4000
const leastLogPages = 64

const pragmas = [
  // Must come first: write-ahead logging without shared memory needs exclusive locking.
  'locking_mode = EXCLUSIVE',
  `page_size = ${pageBytes}`,
  'auto_vacuum = INCREMENTAL',
  'journal_mode = WAL',
  'synchronous = NORMAL',
  `wal_autocheckpoint = ${mostLogPages}`,
  'cache_size = -32768',
  'foreign_keys = OFF',
  'secure_delete = FAST',
]

/** Pragmas of the checkpoint file, which is written in small steps and read once. */
const checkpointPragmas = [...pragmas, 'synchronous = FULL', 'wal_autocheckpoint = 256', 'cache_size = -2048']

/**
 * Opens or creates the file of book `name`, and repairs a damaged file first. Rejects with the errors of
 * `openPool`. `combiner`: the combiner of this worker's file handles.
 */
export async function openOpfsDatabase(
  sqlite3: Sqlite3Static,
  name: string,
  combiner: Omit<WriteCombiner, 'wrap'>,
  suspicion?: Suspicion,
): Promise<BookStorage> {
  const pool = await openPool(sqlite3, name)
  try {
    const open = (file: string, settings = pragmas) => openFile(file, settings, { sqlite3, pool, combiner })
    const toMend = {
      book: name,
      pool,
      open: (file: string) => open(file),
      sizeOf: (file: string) => combiner.sizeOf(file),
      openImage: (bytes: Uint8Array) => openImage(sqlite3, bytes),
      showAll: () => combiner.showAll(bookFile),
    }
    const bookDb = await openBookFile(toMend, suspicion)
    let isOpen = true
    const db: SqlDatabase = {
      ...bookDb,
      // `target`: `space` only frees space; undefined also removes deleted data.
      scrub(target) {
        bookDb.scrub(target)
        if (target !== 'space') combiner.wipe(bookFile)
      },
      close() {
        isOpen = false
        bookDb.close()
      },
    }
    const { refit, useReserve, spaceBytes } = createSizeLimit(
      db,
      () => isOpen,
      () => combiner.spare(bookFile) + combiner.spare(`${bookFile}-wal`),
    )
    await refit()
    const used = Math.ceil(db.sizeBytes() / pageBytes)
    const space = createFileSpace(
      used,
      (bytes) => combiner.reserve(bookFile, bytes),
      (bytes) => combiner.reserve(`${bookFile}-wal`, bytes),
    )
    combiner.guard(bookFile, space.admit)
    return {
      db,
      durability: 'opfs',
      refit,
      useReserve(isUsed) {
        useReserve(isUsed)
        space.useReserve(isUsed)
        try {
          // The log can't grow on a full disk: a checkpoint, for which there is space, lets the log restart.
          // Also run it when the reserve is restored, so that writes find space in the log.
          db.run('PRAGMA wal_checkpoint(RESTART)')
        } catch {
          // Inside a transaction, or the checkpoint found no space. The reserve may still suffice.
        }
      },
      isScarce: space.isScarce,
      check: (table) => checkTable(db, table),
      checkpointFile: {
        exists: () => hasFile(pool, checkpointPath),
        open: () => open(checkpointPath, checkpointPragmas),
        remove: () => drop(pool, checkpointPath),
        // As the option `checkpoint` promises.
        fits: (bookBytes) => spaceBytes() >= 2 * bookBytes,
      },
      mended: () => mendedTexts(db),
      makeStrict: () => db.exec('PRAGMA synchronous = FULL'),
      release() {
        combiner.unguard()
        pool.pauseVfs()
      },
    }
  } catch (error) {
    // Release the files, so that this tab or another can open the book.
    combiner.unguard()
    pool.pauseVfs()
    throw error
  }
}

/** Finishes an interrupted repair, and opens the book's file. */
async function openBookFile(pool: PoolToMend, suspicion?: Suspicion): Promise<SqlDatabase> {
  await finishMending(pool)
  const book = {
    open: () => ({ db: pool.open(bookFile) }),
    close: ({ db }: { readonly db: SqlDatabase }) => db.close(),
    mend: (reason: string) => mendPool(pool, reason),
    loss: (isSuspect: boolean) =>
      lossOf(pool) ??
      (isSuspect && isHeaderDamaged(pool.pool) ? 'the header of the file is damaged' : undefined),
    hasCopy: () => hasCopy(pool),
  }
  return (await openWhole(book, suspicion)).db
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
    return createWasmDatabase(sqlite3, handle, { pragmas, combiner, keepsLog: file === bookFile })
  } catch (error) {
    handle.close()
    throw error
  }
}

// Limits the size of the database, so that SQLite reports a full database before the browser shortens a
// write.

interface SizeLimit {
  /** Measures the space again. */
  refit(): Promise<void>
  /** Releases or restores the reserved space. */
  useReserve(isUsed: boolean): void
  /** Free bytes at the last measurement; infinite if the browser gives no quota. */
  spaceBytes(): number
}

/** `spareBytes`: the spare bytes in the book's files, which count as free space. */
function createSizeLimit(db: SqlDatabase, isOpen: () => boolean, spareBytes: () => number): SizeLimit {
  /** Most pages of the database, without and with the reserve; 0 before the first measurement. */
  let limit = 0
  let reserveLimit = 0
  let spaceBytes = Infinity
  const setLimit = (pages: number) => {
    if (pages > 0) db.exec(`PRAGMA max_page_count = ${pages}`)
  }
  return {
    useReserve: (isUsed) => setLimit(isUsed ? reserveLimit : limit),
    spaceBytes: () => spaceBytes,
    async refit() {
      const { quota = 0, usage = 0 } = await navigator.storage.estimate()
      // The database may have been closed during the estimate.
      if (quota === 0 || !isOpen()) return
      spaceBytes = Math.max(0, quota - usage) + spareBytes()
      const spacePages = Math.floor(spaceBytes / pageBytes)
      const logPages = Math.min(mostLogPages, Math.max(leastLogPages, Math.floor(spacePages / 8)))
      const usedPages = Math.ceil(db.sizeBytes() / pageBytes)
      // Leaves space for the log, and for its pages that a WAL checkpoint adds to the file.
      const freePages = Math.max(0, spacePages - 2 * logPages)
      // The reserve is a quarter of the free space; a twentieth stays free. The limits never become lower, even if a
      // later measurement finds less space.
      limit = Math.max(limit, usedPages + Math.floor(freePages * 0.7))
      reserveLimit = Math.max(reserveLimit, limit + Math.floor(freePages * 0.25))
      db.exec(`PRAGMA wal_autocheckpoint = ${logPages}`)
      setLimit(limit)
    },
  }
}

// Allocates file space before a commit needs it, because the browser doesn't report how much space the disk
// has left.

interface FileSpace {
  /** Whether the commit after which the database has `pages` may be made. */
  admit(pages: number): boolean
  /** Releases or restores the reserved space. */
  useReserve(isUsed: boolean): void
  /** Whether the last commit that needed space found little free space. */
  isScarce(): boolean
}

/** Allocates space so that the file has `bytes`. False if there is no space. */
type Reserve = (bytes: number) => boolean

/** `used`: the pages of the database now. */
function createFileSpace(used: number, reserve: Reserve, reserveLog: Reserve): FileSpace {
  /** Commits may use the reserve. */
  let isUsed = false
  let isScarce = false
  /** Pages for which the file has space. */
  let granted = 0
  const take = (pages: number): boolean => {
    if (pages > granted && reserve(poolHeaderBytes + pages * pageBytes)) granted = pages
    return pages <= granted
  }
  const hasSpace = (pages: number) => {
    const needed = isUsed ? pages : pages + reservePages(pages)
    if (needed <= granted) return true
    const ahead = aheadPages(pages)
    isScarce = !take(needed + ahead)
    // Little space: allocate a quarter of the advance, or none.
    if (isScarce) return take(needed + (ahead >> 2)) || take(needed)
    // The log can work with less, so allocate its space only if there is enough for the database.
    reserveLog(poolHeaderBytes + logBytes(pages))
    return true
  }
  // If there is no space for the whole reserve, reserve a smaller part: a half, a quarter and so on.
  for (let reserved = hasSpace(used) ? 0 : reservePages(used) >> 1; reserved > 0 && !take(used + reserved);)
    reserved >>= 1
  return {
    admit(pages) {
      // A commit that doesn't grow the database needs no space.
      if (pages > used && !hasSpace(pages)) return false
      // SQLite cuts the file to `pages`, so later growth needs a new allocation.
      if (pages < used) granted = 0
      used = pages
      return true
    },
    useReserve(isWanted) {
      isUsed = isWanted
    },
    isScarce: () => isScarce,
  }
}
