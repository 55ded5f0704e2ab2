// Small values that belong to a book as a whole: its device id, epoch, cursors. One row each, text.
import type { SqlDatabase } from '../../core/ports.ts'

export interface Settings {
  get(key: string): string | undefined
  getNumber(key: string): number
  set(key: string, value: string | number): void
  remove(key: string): void
  /** Removes every setting from `from` on and before `until`, in the order of their keys. Not within `holding`. */
  removeRange(from: string, until: string): void
  /**
   * Runs `work`, inside a transaction, in which each setting is read once and written once, at its end: for work that
   * counts with many small steps. Whoever reads the table itself meanwhile does not see them.
   */
  holding<Result>(work: () => Result): Result
}

interface Held {
  value: string | undefined
  isChanged: boolean
}

/** Settings kept in the table `book`. Reads and writes take part in the transaction around them. */
export function createSettings(db: SqlDatabase): Settings {
  let held: Map<string, Held> | undefined
  const read = (key: string) =>
    db.get<{ value: string }>('SELECT value FROM book WHERE key = ?', [key])?.value
  const write = (key: string, value: string | undefined) => {
    if (value === undefined) return db.run('DELETE FROM book WHERE key = ?', [key])
    db.run(
      'INSERT INTO book (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      [key, value],
    )
  }
  const get = (key: string) => {
    if (!held) return read(key)
    const known = held.get(key)
    if (known) return known.value
    const value = read(key)
    held.set(key, { value, isChanged: false })
    return value
  }
  const change = (key: string, value: string | undefined) => {
    if (held) held.set(key, { value, isChanged: true })
    else write(key, value)
  }
  return {
    get,
    getNumber: (key) => Number(get(key) ?? 0),
    set: (key, value) => change(key, String(value)),
    remove: (key) => change(key, undefined),
    removeRange: (from, until) => db.run('DELETE FROM book WHERE key >= ? AND key < ?', [from, until]),
    holding(work) {
      if (held) return work()
      const own = new Map<string, Held>()
      held = own
      try {
        const result = work()
        for (const [key, { value, isChanged }] of own) if (isChanged) write(key, value)
        return result
      } finally {
        // What was not written is undone with the transaction.
        held = undefined
      }
    },
  }
}
