// Clears the free pages of a Durable Object's database. The platform allows no pragma that clears or counts them, so
// rows of zeros take all free pages, and are dropped.
// Invariants: a row of zeros fills its pages to the last byte. The tables of the last rows are in new pages at the
// end, where no text was. Uses no Worker API, for its test.
import type { SqlRow, SqlValue } from '../src/core/ports.ts'

/** A database inside a transaction. */
export interface PagedDatabase {
  query<Row extends SqlRow>(text: string, params?: readonly SqlValue[]): Row[]
  /** The number of pages that are not free. */
  usedPages(): number
  /** Runs `work`, and undoes its changes if it returns false. Returns its result. */
  keepIf(work: () => boolean): boolean
}

// A long row has `localBytes` in the page of its table, and the rest in pages of its own, of which each begins with the
// number of the next (fileformat.html#b_tree_pages). `headBytes`: the header of the row.
const localBytes = 489
const ownPageBytes = 4092
const headBytes = 4
const zerosIn = (ownPages: number): number => localBytes + ownPages * ownPageBytes - headBytes
/** A row without own pages, a little longer than the local part of one with them. */
const shortBytes = localBytes + 16

/** Least and most own pages of a row. A row stays below the two million bytes that the platform allows. */
const leastPages = 4
const mostPages = 256

/** Clears all free pages. Call it inside a transaction. */
export function clearFreePages(db: PagedDatabase): void {
  const tables = new ZeroTables(db)
  const rows = takeFreePages(db, tables)
  // Pages of those tables may contain deleted text between their cells. No page is free now, so the next table is in
  // new pages, and its rows take the pages of all others.
  const last = tables.create().name
  db.query(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO ${last} SELECT zeroblob(?) FROM n`,
    [rows, shortBytes],
  )
  const used = db.usedPages()
  tables.dropAllBut(last)
  const free = used - db.usedPages()
  // This many rows take one page more.
  const longer = free % rows
  db.query(`UPDATE ${last} SET zeros = zeroblob(? + (rowid <= ?) * ?)`, [
    zerosIn(Math.floor(free / rows)),
    longer,
    ownPageBytes,
  ])
  tables.dropAllBut()
}

/**
 * Takes all free pages by rows in tables that it creates. Returns how many rows of at most `mostPages` can take them
 * again.
 */
function takeFreePages(db: PagedDatabase, tables: ZeroTables): number {
  // `cover`: rows that take the free pages. `single`: one short-lived row, for `isFull`.
  const cover = tables.create().name
  const single = tables.create().name
  const before = db.usedPages()
  // `passes`: rows in succession after which the list of free pages looked empty. It may look empty once
  // while it is not, but not again after the next row: see `isFull`.
  for (let passes = 0, next = leastPages; passes < 2;) {
    let full = false
    const stays = db.keepIf(() => {
      db.query(`INSERT INTO ${cover} VALUES (zeroblob(?))`, [zerosIn(next)])
      full = isFull(db, tables, single)
      // A row that is too long would leave more free pages than there were, each time.
      return !full || next === leastPages
    })
    if (stays) passes = full ? passes + 1 : 0
    next = full ? Math.max(next / 2, leastPages) : Math.min(next * 2, mostPages)
  }
  return Math.ceil((db.usedPages() - before + leastPages) / mostPages)
}

/**
 * True if the list of free pages is empty. From a list, SQLite gives a new table the lowest page of its first part,
 * and a long row the oldest page of that part; without one, both get the next pages at the end. So a first part with
 * two pages or more fails here. One with fewer passes, and its pages fit into the next row, unless a second part
 * follows, which is full and fails the next time.
 */
function isFull(db: PagedDatabase, tables: ZeroTables, single: string): boolean {
  const first = tables.create()
  const second = tables.create()
  tables.drop(second.name)
  tables.drop(first.name)
  if (!first.isLast || !second.isLast) return false
  db.query(`INSERT INTO ${single} VALUES (zeroblob(?))`, [zerosIn(1)])
  const third = tables.create()
  tables.drop(third.name)
  db.query(`DELETE FROM ${single}`)
  return third.isLast
}

interface NewTable {
  readonly name: string
  /** True if the number of its page is the number of used pages. */
  readonly isLast: boolean
}

/** The tables of one clearing. */
class ZeroTables {
  readonly #db: PagedDatabase
  readonly #names = new Set<string>()
  #count = 0

  constructor(db: PagedDatabase) {
    this.#db = db
  }

  /** Creates a table that takes one page. */
  create(): NewTable {
    for (;;) {
      const before = this.#db.usedPages()
      const name = `free_pages_${this.#count++}`
      this.#names.add(name)
      this.#db.query(`CREATE TABLE ${name} (zeros BLOB NOT NULL)`)
      const used = this.#db.usedPages()
      // The list of tables took a page too. This table stays, so that page stays, and has room for the next ones.
      if (used !== before + 1) continue
      const sql = 'SELECT rootpage AS page FROM sqlite_schema WHERE name = ?'
      return { name, isLast: this.#db.query<{ page: number }>(sql, [name])[0]?.page === used }
    }
  }

  /** Drops a table, unless its creation was undone. */
  drop(name: string): void {
    this.#db.query(`DROP TABLE IF EXISTS ${name}`)
    this.#names.delete(name)
  }

  dropAllBut(other?: string): void {
    for (const name of this.#names) if (name !== other) this.drop(name)
  }
}
