// Where a book is kept in this browser: in OPFS, or in memory if that was agreed to.
// Invariant: only opened while the book's owner lock is held; a book never becomes an empty one in silence.
import sqlite3InitModule, { type Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { isDaybookError } from '../../core/errors.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { type BookStorage, openOpfsDatabase } from './opfs-database.ts'
import { createWasmDatabase } from './wasm-database.ts'
import { combineHandles, createWriteCombiner } from './write-combiner.ts'

export interface BookStorageOptions {
  readonly name: string
  readonly onUnavailable: 'reject' | 'memory'
}

/** Opens the book's database, or rejects with `open-elsewhere` or `storage-unavailable`. */
export async function openBookStorage({ name, onUnavailable }: BookStorageOptions): Promise<BookStorage> {
  const sqlite3 = await loadSqlite()
  try {
    return await openOpfsDatabase(sqlite3, name, combiner)
  } catch (error) {
    if (onUnavailable !== 'memory' || !isDaybookError(error, 'storage-unavailable')) throw error
    const db = openMemoryDatabase(sqlite3)
    return { db, durability: 'memory', makeStrict: () => undefined, release: () => undefined }
  }
}

/** A database in memory, gone when it is closed. */
export function openMemoryDatabase(sqlite3: Sqlite3Static): SqlDatabase {
  return createWasmDatabase(sqlite3, new sqlite3.oo1.DB(':memory:'), { pragmas: ['foreign_keys = OFF'] })
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
