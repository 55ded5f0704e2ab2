// Settings: small texts of a book, each a row of the table `book`: its device id, its cursors, the epoch (the
// random name of the mirror's sequence). Reads and writes belong to the open transaction.
import type { SqlDatabase } from '../../core/ports.ts'

/** Values by key; undefined for a setting that is absent or removed. */
type Cache = Map<string, string | undefined>

/** A cache with this many entries is cleared. */
const maxCacheEntries = 1000

export class Settings {
  readonly #db: SqlDatabase
  readonly #cache: Cache | undefined
  /** Changes to write at the end of `batchWrites`. */
  #pending: Cache | undefined

  /** `cache`: see `cacheSettings`. Without it, every `get` queries the table. */
  constructor(db: SqlDatabase, cache?: Cache) {
    this.#db = db
    this.#cache = cache
  }

  get(key: string): string | undefined {
    if (this.#pending?.has(key)) return this.#pending.get(key)
    if (this.#cache?.has(key)) return this.#cache.get(key)
    const value = this.#db.get<{ value: string }>('SELECT value FROM book WHERE key = ?', [key])?.value
    this.#remember(key, value)
    return value
  }

  /** The setting as a number; 0 when it is absent. */
  getNumber(key: string): number {
    return Number(this.get(key) ?? 0)
  }

  set(key: string, value: string | number): void {
    this.#change(key, String(value))
  }

  remove(key: string): void {
    this.#change(key, undefined)
  }

  /**
   * Removes the settings with keys from `from` up to, not including, `until`. Don't call it within
   * `batchWrites`, because pending changes would survive it.
   */
  removeRange(from: string, until: string): void {
    this.#db.run('DELETE FROM book WHERE key >= ? AND key < ?', [from, until])
    this.clearCache()
  }

  /** Clears the cache. Call it after other code has written to the table `book`. */
  clearCache(): void {
    this.#cache?.clear()
  }

  /**
   * Runs `work`, and writes each setting that it changes once, at its end. Until then, queries of the table `book`
   * itself don't see the changes. Call it inside a transaction.
   */
  batchWrites<Result>(work: () => Result): Result {
    // A call within another one: the outer call writes the changes at its end.
    if (this.#pending) return work()
    const changes: Cache = new Map()
    this.#pending = changes
    try {
      const result = work()
      for (const [key, value] of changes) this.#write(key, value)
      return result
    } finally {
      // After an error nothing is written: the caller undoes the transaction.
      this.#pending = undefined
    }
  }

  #change(key: string, value: string | undefined): void {
    if (this.#pending) this.#pending.set(key, value)
    else this.#write(key, value)
  }

  #write(key: string, value: string | undefined): void {
    if (value === undefined) this.#db.run('DELETE FROM book WHERE key = ?', [key])
    else
      this.#db.run(
        'INSERT INTO book (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        [key, value],
      )
    this.#remember(key, value)
  }

  #remember(key: string, value: string | undefined): void {
    if (this.#cache && this.#cache.size >= maxCacheEntries) this.#cache.clear()
    this.#cache?.set(key, value)
  }
}

/**
 * Settings of `inner` with a cache, and the database to use in place of `inner`: its `transaction` clears the cache
 * after an error. Code that writes to the table `book` itself must call `clearCache`.
 */
export function cacheSettings(inner: SqlDatabase): { db: SqlDatabase; settings: Settings } {
  const cache: Cache = new Map()
  const db: SqlDatabase = {
    ...inner,
    transaction(work) {
      try {
        return inner.transaction(work)
      } catch (error) {
        cache.clear()
        throw error
      }
    },
  }
  return { db, settings: new Settings(db, cache) }
}
