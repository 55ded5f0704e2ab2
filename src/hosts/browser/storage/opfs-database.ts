// A book's database on OPFS: its file in the pool, and how SQLite is set up for it.
// Invariant: a commit is in the file when it returns, and what the file had before a crash is whole after it.
import type { SAHPoolUtil, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { isDaybookError } from '../../../core/errors.ts'
import type { CheckpointFile, SqlDatabase } from '../../../core/ports.ts'
import type { Durability } from '../../../core/record.ts'
import { isBroken } from '../../../store/repair/broken.ts'
import { mendedOf, mendedText } from '../../../store/repair/mend.ts'
import { isBlamed } from '../../../store/repair/open-mark.ts'
import { isBook } from '../../../store/schema/newer-book.ts'
import { bodyFault, checkTable, firstFault } from '../../../store/repair/table-check.ts'
import {
  bookFile,
  checkpointPath,
  drop,
  finishMending,
  hasCopy,
  hasFile,
  isAside,
  lossOf,
  mendPool,
  type PoolToMend,
} from './mend-pool.ts'
import { createFileSpace } from './file-space.ts'
import { openPool } from './opfs-pool.ts'
import { checkpointPages, createSizeLimit, pageSize } from './size-limit.ts'
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

/** A checkpoint is written little by little and read once in its life. */
const checkpointPragmas = [...pragmas, 'synchronous = FULL', 'wal_autocheckpoint = 256', 'cache_size = -2048']

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
    const whole = await openWhole(
      { book: name, pool, open: (file) => open(file), sizeOf: combiner.sizeOf },
      damaged,
    )
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
          // Within a transaction, or where there is none after all. Then what the reserve has may still do.
        }
      },
      check: (table) => checkTable(db, table),
      checkpointFile: {
        exists: () => hasFile(pool, checkpointPath),
        open: () => open(checkpointPath, checkpointPragmas),
        remove: () => drop(pool, checkpointPath),
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
  let reason = damaged ?? lossOf(pool)
  if (reason === undefined) {
    let db: SqlDatabase | undefined
    try {
      db = pool.open(bookFile)
      if (!isBook(db) && hasCopy(pool)) reason = 'the file holds no book'
      else if (!isBlamed(db)) return db
      reason ??= firstFault(db) ?? bodyFault(db)
      if (reason === undefined) return db
    } catch (error) {
      // A byte of its header may say that it is not to be written: nothing else does so here.
      if (!isBroken(error) && !isReadOnly(error)) {
        db?.close()
        throw error
      }
      reason = error instanceof Error ? error.message : String(error)
    }
    db?.close()
  }
  await mendPool(pool, reason)
  return pool.open(bookFile)
}

const isReadOnly = (error: unknown) =>
  isDaybookError(error, 'storage-failed') && error.details['result'] === 8

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
