// Finds or creates a book in PostgreSQL, and erases it: its rows go in the transaction that writes its
// tombstone.
// Invariant: creating, erasing and restarting a book take turns, by one lock for each name.
import type { SqlDatabase } from '../../../core/ports.ts'
import { bookErasedError } from '../../../edge/book-erasure.ts'
import { Settings } from '../../../store/schema/settings.ts'
import { withPostgresFaults } from './postgres-fault.ts'
import { type PostgresTruthOptions, enterSql } from './postgres-truth.ts'
import { checkBookName } from '../../../core/book.ts'
import type { Tombstone } from '../../../store/mirror/tombstone.ts'
import type { Sql } from './connect-postgres.ts'

/**
 * The epoch and device name that every copy of the book uses. `epoch`: a random name of the mirror's sequence
 * of changes (sync/SPEC.md). `device`: the mirror's own name in stamps; a book that replaces an erased one
 * has another.
 */
export interface BookNames {
  readonly epoch: string
  readonly device: string
  /** Time of the last erasure, if the book was started again after it. */
  readonly erasedAt?: string | undefined
}

/**
 * Finds the names of a book. If it is missing, creates it with `fresh` names, or returns undefined without
 * them. Throws `book-erased` if it was erased and not started again.
 */
export function findBook(
  { postgres, book, bypasses }: Pick<PostgresTruthOptions, 'postgres' | 'book' | 'bypasses'>,
  fresh: BookNames | undefined,
): Promise<BookNames | undefined> {
  return withPostgresFaults(() =>
    postgres.begin(nameSql(book, bypasses), async (sql) => {
      const stone = await stoneOf(sql, book)
      if (stone && !stone.isReplaced) throw bookErasedError(stone.at)
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

/** Writes the names into an empty copy, before anything opens it. */
export function nameCopy(db: SqlDatabase, { epoch, device }: BookNames): void {
  const settings = new Settings(db)
  settings.set('epoch', epoch)
  settings.set('device', device)
}

type Place = Pick<PostgresTruthOptions, 'postgres' | 'book' | 'bypasses'>

/** A row of `daybook.erased`, as a `Tombstone`. `is_restarted`: another book was started under the name. */
interface ErasedRow {
  readonly epoch: string | null
  readonly erased_at: string
  readonly is_restarted: boolean
}

/** Opens a transaction that locks the name of a book, whether the book exists or not. */
const nameSql = (book: string, bypasses: boolean) =>
  `${enterSql(book, bypasses)}; SELECT pg_advisory_xact_lock(hashtextextended('daybook.name ${checkBookName(book)}', 0))`

/** The tombstone of a book, also if it was started again since. */
async function stoneOf(sql: Sql, book: string): Promise<Tombstone | undefined> {
  const [row] = await sql.rows<ErasedRow>(
    'SELECT epoch, erased_at, is_restarted FROM daybook.erased WHERE book = $1',
    [book],
  )
  return row && { at: row.erased_at, epoch: row.epoch ?? undefined, isReplaced: row.is_restarted }
}

/** The operations in PostgreSQL that end a book: the tombstone, the erasure, and the permission to begin it again. */
export function createPostgresEnd({ postgres, book, bypasses }: Place) {
  const within = <Result>(work: (sql: Sql) => Promise<Result>) =>
    withPostgresFaults(() => postgres.begin(nameSql(book, bypasses), work))
  return {
    /** Undefined also for a book that was started again. */
    async tombstone(): Promise<Tombstone | undefined> {
      const stone = await withPostgresFaults(() =>
        postgres.begin(enterSql(book, bypasses), (sql) => stoneOf(sql, book)),
      )
      return stone?.isReplaced ? undefined : stone
    },
    erase: ({ at, epoch }: Tombstone) =>
      within(async (sql) => {
        await sql.rows(
          `INSERT INTO daybook.erased (book, epoch, erased_at) VALUES ($1, $2, $3)
           ON CONFLICT (book) DO UPDATE SET epoch = excluded.epoch, erased_at = excluded.erased_at, is_restarted = false`,
          [book, epoch ?? null, at],
        )
        // Its rows in other tables go with it.
        await sql.rows('DELETE FROM daybook.books WHERE book = $1', [book])
      }),
    begin: () =>
      within(async (sql) => {
        await sql.rows('UPDATE daybook.erased SET is_restarted = true WHERE book = $1', [book])
      }),
  }
}
