// A book's database on OPFS: its file in the pool, and how SQLite is set up for it.
// Invariant: a commit is in the file when it returns, and what the file had before a crash is whole after it.
import type { SAHPoolUtil, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { isDaybookError } from '../../../core/errors.ts'
import type { CheckpointFile, SqlDatabase } from '../../../core/ports.ts'
import type { Durability } from '../../../core/record.ts'
import { bodyFault, checkTable, faultText, firstFault, isBroken } from '../../../store/repair/damage.ts'
import { isBlamed } from '../../../store/repair/open-mark.ts'
import { isBook } from '../../../store/schema/version.ts'
import { schemaFault } from '../../../store/repair/salvage.ts'
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
import { createFileSpace } from './file-space.ts'
import { bookFile } from './kept-tail.ts'
import { openPool } from './opfs-pool.ts'
import { checkpointPages, createSizeLimit, pageSize } from './size-limit.ts'
import { createWasmDatabase, openImage } from './wasm-database.ts'
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
  /** Whether there was little space when it was last taken. */
  isScarce?(): boolean
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

/** Why a book is opened again: its file is damaged, or what failed may come of that, so it is looked through. */
export type Suspicion = { readonly damaged: string } | { readonly isDoubted: true }

/**
 * Opens the file of book `name`, making it when there is none, and mends it first where it is damaged, as `suspicion` may
 * say. Rejects as `openPool` does. `combiner` is the one that the handles of this worker go through.
 */
export async function openOpfsDatabase(
  sqlite3: Sqlite3Static,
  name: string,
  combiner: Omit<WriteCombiner, 'wrap'>,
  suspicion?: Suspicion,
): Promise<BookStorage> {
  const pool = await openPool(sqlite3, name)
  try {
    const open = (file: string, given = pragmas) => openFile(file, given, { sqlite3, pool, combiner })
    const toMend = {
      book: name,
      pool,
      open: (file: string) => open(file),
      sizeOf: combiner.sizeOf,
      openImage: (bytes: Uint8Array) => openImage(sqlite3, bytes),
      showAll: () => combiner.showAll(bookFile),
    }
    const whole = await openWhole(toMend, suspicion)
    let isOpen = true
    const db: SqlDatabase = {
      ...whole,
      scrub(what) {
        whole.scrub(what)
        if (what !== 'space') combiner.wipe(bookFile)
      },
      close() {
        isOpen = false
        whole.close()
      },
    }
    const { refit, useReserve, spaceBytes } = createSizeLimit(
      db,
      () => isOpen,
      () => combiner.spare(bookFile) + combiner.spare(`${bookFile}-wal`),
    )
    await refit()
    const used = Math.ceil(db.sizeBytes() / pageSize)
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
          // The log can't grow either: what it has is copied, for which there is space, and it begins anew. Afterwards too,
          // so that a write finds room in it where room was made.
          db.run('PRAGMA wal_checkpoint(RESTART)')
        } catch {
          // Within a transaction, or where there is none after all. Then what the reserve has may still do.
        }
      },
      isScarce: space.isScarce,
      check: (table) => checkTable(db, table),
      checkpointFile: {
        exists: () => hasFile(pool, checkpointPath),
        open: () => open(checkpointPath, checkpointPragmas),
        remove: () => drop(pool, checkpointPath),
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
    // Or nobody else could try, in this tab or another.
    combiner.unguard()
    pool.pauseVfs()
    throw error
  }
}

/** Opens the book's file once nothing in it is known to be broken. */
async function openWhole(pool: PoolToMend, suspicion?: Suspicion): Promise<SqlDatabase> {
  await finishMending(pool)
  const isDoubted = suspicion !== undefined && 'isDoubted' in suspicion
  let reason = suspicion && 'damaged' in suspicion ? suspicion.damaged : lossOf(pool)
  if (isDoubted && isHeaderDamaged(pool.pool)) reason ??= 'the header of the file is damaged'
  if (reason === undefined) {
    let db: SqlDatabase | undefined
    try {
      db = pool.open(bookFile)
      if (!isBook(db) && hasCopy(pool)) reason = 'the file holds no book'
      else if (!isBlamed(db) && !isDoubted) return db
      reason ??= firstFault(db) ?? (isDoubted ? schemaFault(db) : undefined) ?? bodyFault(db)
      if (reason === undefined) return db
    } catch (error) {
      // A byte of its header may say that it is not to be written: nothing else does so here.
      if (!isBroken(error) && !isReadOnly(error)) {
        db?.close()
        throw error
      }
      reason = faultText(error)
    }
    db?.close()
  }
  await mendPool(pool, reason)
  return pool.open(bookFile)
}

/** SQLite's code of a file that may not be written, which a byte of its header says too. */
export const isReadOnly = (error: unknown): boolean =>
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
    return createWasmDatabase(sqlite3, handle, { pragmas, combiner, keepsLog: file === bookFile })
  } catch (error) {
    handle.close()
    throw error
  }
}
