// The end of a book whose truth is in PostgreSQL: its rows go in the transaction that writes its tombstone.
// Invariant: whoever makes a book, erases it or begins it anew takes turns with the others, by one lock for each name.
import { checkBookName } from '../../../core/book.ts'
import type { Tombstone } from '../../../store/mirror/tombstone.ts'
import type { Sql } from './connect-postgres.ts'
import { guarded } from './postgres-fault.ts'
import { enterSql, type PostgresTruthOptions } from './postgres-truth.ts'

type Place = Pick<PostgresTruthOptions, 'postgres' | 'book' | 'bypasses'>

interface ErasedRow {
  readonly epoch: string | null
  readonly erased_at: string
  readonly is_begun_anew: boolean
}

/** Opens a transaction on the name of a book, whether there is such a book or not. */
export const nameSql = (book: string, bypasses: boolean) =>
  `${enterSql(book, bypasses)}; SELECT pg_advisory_xact_lock(hashtextextended('daybook.name ${checkBookName(book)}', 0))`

/** What is left of the book, also when one was begun anew since. */
export async function stoneOf(sql: Sql, book: string): Promise<Tombstone | undefined> {
  const [row] = await sql.rows<ErasedRow>(
    'SELECT epoch, erased_at, is_begun_anew FROM daybook.erased WHERE book = $1',
    [book],
  )
  return row && { at: row.erased_at, epoch: row.epoch ?? undefined, isReplaced: row.is_begun_anew }
}

export function createPostgresEnd({ postgres, book, bypasses }: Place) {
  const within = <Result>(work: (sql: Sql) => Promise<Result>) =>
    guarded(() => postgres.begin(nameSql(book, bypasses), work))
  return {
    async tombstone(): Promise<Tombstone | undefined> {
      const stone = await guarded(() => postgres.begin(enterSql(book, bypasses), (sql) => stoneOf(sql, book)))
      return stone?.isReplaced ? undefined : stone
    },
    erase: ({ at, epoch }: Tombstone) =>
      within(async (sql) => {
        await sql.rows(
          `INSERT INTO daybook.erased (book, epoch, erased_at) VALUES ($1, $2, $3)
           ON CONFLICT (book) DO UPDATE SET epoch = excluded.epoch, erased_at = excluded.erased_at, is_begun_anew = false`,
          [book, epoch ?? null, at],
        )
        // What belongs to it goes with it.
        await sql.rows('DELETE FROM daybook.books WHERE book = $1', [book])
      }),
    begin: () =>
      within(async (sql) => {
        await sql.rows('UPDATE daybook.erased SET is_begun_anew = true WHERE book = $1', [book])
      }),
  }
}
