// Settings: small texts of a book as a whole, such as its device id, epoch and cursors, one row each.
import type { SqlDatabase } from '../../core/ports.ts'

export interface Settings {
  get(key: string): string | undefined
  getNumber(key: string): number
  set(key: string, value: string | number): void
  remove(key: string): void
  /** Removes the settings with keys from `from` on and before `until`. Not within `holding`. */
  removeRange(from: string, until: string): void
  /** Clears the cache. Call it after other code wrote to the table. */
  forget(): void
  /**
   * Runs `work`, inside a transaction, and writes each setting that it changes once, at the end. Queries of the table itself do
   * not see the changes before.
   */
  holding<Result>(work: () => Result): Result
}

/** A larger cache is cleared. */
const cacheLimit = 1000

/** Settings in the table `book`, with an optional `cache`. Reads and writes belong to the transaction around them. */
export function createSettings(db: SqlDatabase, cache?: Map<string, string | undefined>): Settings {
  /** Changes to write at the end of `holding`. */
  let pending: Map<string, string | undefined> | undefined
  const remember = (key: string, value: string | undefined) => {
    if (cache && cache.size >= cacheLimit) cache.clear()
    cache?.set(key, value)
    return value
  }
  const read = (key: string) =>
    cache?.has(key)
      ? cache.get(key)
      : remember(key, db.get<{ value: string }>('SELECT value FROM book WHERE key = ?', [key])?.value)
  const write = (key: string, value: string | undefined) => {
    if (value === undefined) db.run('DELETE FROM book WHERE key = ?', [key])
    else
      db.run(
        'INSERT INTO book (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        [key, value],
      )
    remember(key, value)
  }
  const get = (key: string) => (pending?.has(key) ? pending.get(key) : read(key))
  const change = (key: string, value: string | undefined) => {
    if (pending) pending.set(key, value)
    else write(key, value)
  }
  return {
    get,
    getNumber: (key) => Number(get(key) ?? 0),
    set: (key, value) => change(key, String(value)),
    remove: (key) => change(key, undefined),
    removeRange(from, until) {
      db.run('DELETE FROM book WHERE key >= ? AND key < ?', [from, until])
      cache?.clear()
    },
    forget: () => cache?.clear(),
    holding(work) {
      if (pending) return work()
      const changes = new Map<string, string | undefined>()
      pending = changes
      try {
        const result = work()
        for (const [key, value] of changes) write(key, value)
        return result
      } finally {
        // After an error nothing is written, and the transaction is undone.
        pending = undefined
      }
    },
  }
}

/**
 * Settings of `inner` with a cache, and the database to use with them: an undone transaction clears the cache. Other code that
 * writes a setting calls `forget`.
 */
export function cacheSettings(inner: SqlDatabase): { db: SqlDatabase; settings: Settings } {
  const cache = new Map<string, string | undefined>()
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
  return { db, settings: createSettings(db, cache) }
}
