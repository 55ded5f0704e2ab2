// Small values that belong to a book as a whole: its device id, epoch, cursors. One row each, text.
import type { SqlDatabase } from '../core/ports.ts'

export interface Settings {
  get(key: string): string | undefined
  getNumber(key: string): number
  set(key: string, value: string | number): void
  remove(key: string): void
}

/** Settings kept in the table `book`. Reads and writes take part in the transaction around them. */
export function createSettings(db: SqlDatabase): Settings {
  const get = (key: string) => db.get<{ value: string }>('SELECT value FROM book WHERE key = ?', [key])?.value
  return {
    get,
    getNumber: (key) => Number(get(key) ?? 0),
    set(key, value) {
      db.run(
        'INSERT INTO book (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
        [key, String(value)],
      )
    },
    remove: (key) => db.run('DELETE FROM book WHERE key = ?', [key]),
  }
}
