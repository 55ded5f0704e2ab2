// Small values that belong to a book as a whole: its device id, epoch, cursors. One row each, text.
import type { SqlDatabase } from '../../core/ports.ts'

export interface Settings {
  get(key: string): string | undefined
  getNumber(key: string): number
  set(key: string, value: string | number): void
  remove(key: string): void
  /** Removes every setting from `from` on and before `until`, in the order of their keys. Not within `holding`. */
  removeRange(from: string, until: string): void
  /** Reads each setting anew from now on. Call it after the table was written by anything else. */
  forget(): void
  /**
   * Runs `work`, inside a transaction, and writes each setting that it changes once, at the end: for work that counts in
   * many small steps. A reader of the table itself does not see the changes before.
   */
  holding<Result>(work: () => Result): Result
}

/** Settings in memory are read from the table anew when there are more than these. */
const mostRemembered = 1000

/** Settings in the table `book`, and in `memory` where they are given. Reads and writes take part in the transaction around them. */
export function createSettings(db: SqlDatabase, memory?: Map<string, string | undefined>): Settings {
  /** Changes to be written at the end of `holding`. */
  let held: Map<string, string | undefined> | undefined
  const remember = (key: string, value: string | undefined) => {
    if (memory && memory.size >= mostRemembered) memory.clear()
    memory?.set(key, value)
    return value
  }
  const read = (key: string) =>
    memory?.has(key)
      ? memory.get(key)
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
  const get = (key: string) => (held?.has(key) ? held.get(key) : read(key))
  const change = (key: string, value: string | undefined) => {
    if (held) held.set(key, value)
    else write(key, value)
  }
  return {
    get,
    getNumber: (key) => Number(get(key) ?? 0),
    set: (key, value) => change(key, String(value)),
    remove: (key) => change(key, undefined),
    removeRange(from, until) {
      db.run('DELETE FROM book WHERE key >= ? AND key < ?', [from, until])
      memory?.clear()
    },
    forget: () => memory?.clear(),
    holding(work) {
      if (held) return work()
      const own = new Map<string, string | undefined>()
      held = own
      try {
        const result = work()
        for (const [key, value] of own) write(key, value)
        return result
      } finally {
        // After an error the transaction undoes what is not written.
        held = undefined
      }
    },
  }
}

/**
 * Settings of `given` that are read from it once, and the database to use with them: a transaction that it undoes takes
 * the settings back too. Anything else that writes a setting calls `forget`.
 */
export function rememberSettings(given: SqlDatabase): { db: SqlDatabase; settings: Settings } {
  const memory = new Map<string, string | undefined>()
  const db: SqlDatabase = {
    ...given,
    transaction(work) {
      try {
        return given.transaction(work)
      } catch (error) {
        memory.clear()
        throw error
      }
    },
  }
  return { db, settings: createSettings(db, memory) }
}
