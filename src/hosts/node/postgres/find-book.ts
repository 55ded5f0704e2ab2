// Which books there are in PostgreSQL, and what every copy of one calls itself.
import type { SqlDatabase } from '../../../core/ports.ts'
import { bookErased } from '../../../edge/book-end.ts'
import { Settings } from '../../../store/schema/settings.ts'
import { nameSql, stoneOf } from './postgres-end.ts'
import { guarded } from './postgres-fault.ts'
import type { PostgresTruthOptions } from './postgres-truth.ts'

/** What every copy of the book calls itself and its sequence by. */
export interface BookNames {
  readonly epoch: string
  readonly device: string
  /** When a book of this name was erased, where this one was begun anew after that. */
  readonly erasedAt?: string | undefined
}

/**
 * The names of a book; `fresh` ones when it is not there yet, or undefined when it is not to be made. Throws `book-erased`
 * when it was erased, and not begun anew since.
 */
export function findBook(
  { postgres, book, bypasses }: Pick<PostgresTruthOptions, 'postgres' | 'book' | 'bypasses'>,
  fresh: BookNames | undefined,
): Promise<BookNames | undefined> {
  return guarded(() =>
    postgres.begin(nameSql(book, bypasses), async (sql) => {
      const stone = await stoneOf(sql, book)
      if (stone && !stone.isReplaced) throw bookErased(stone.at)
      if (fresh) {
        const { epoch, device } = fresh
        await sql.rows(
          'INSERT INTO daybook.books (book, epoch, device) VALUES ($1, $2, $3) ON CONFLICT (book) DO NOTHING',
          [book, epoch, device],
        )
      }
      const rows = await sql.rows<BookNames>('SELECT epoch, device FROM daybook.books WHERE book = $1', [
        book,
      ])
      return rows[0] && { ...rows[0], erasedAt: stone?.at }
    }),
  )
}

/** Puts the names into an empty copy, before anything opens it. */
export function nameCopy(db: SqlDatabase, { epoch, device }: BookNames): void {
  const settings = new Settings(db)
  settings.set('epoch', epoch)
  settings.set('device', device)
}
