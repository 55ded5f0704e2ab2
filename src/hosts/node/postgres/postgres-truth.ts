// `Truth` (core/ports.ts) over PostgreSQL, with a copy in SQLite. A commit locks the row of its book, applies commits
// of other processes to this copy, runs the work on it and undoes it there, writes the changes to PostgreSQL, and
// applies them here after the commit.
// Invariant: the copy is the book as of commit `#txn`; otherwise it is dropped.
import { checkBookName } from '../../../core/book.ts'
import { bookErasedError } from '../../../edge/book-erasure.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { SqlRow, SqlValue, Truth } from '../../../core/ports.ts'
import type { BookStore } from '../../../store/book-store.ts'
import { applyChanges, createCapture } from '../../../store/mirror/capture.ts'
import type { Postgres, Sql } from './connect-postgres.ts'
import { withPostgresFaults } from './postgres-fault.ts'
import { mirrorRole } from './postgres-schema.ts'
import { type RelationChange, sharedRelations } from '../../../store/mirror/relation.ts'
import {
  deleteSql,
  fromRemote,
  fromRemoteText,
  deletedKeysSql,
  noteDeletedSql,
  selectSql,
  toRemote,
  upsertSql,
} from './relation-sql.ts'

/** Points of a commit, in this order, at which tests can interrupt it. */
export type Step = 'begin' | 'locked' | 'worked' | 'written' | 'committed' | 'taken-in'

export interface PostgresTruthOptions {
  readonly postgres: Postgres
  readonly book: string
  /** True: the database user bypasses row-level security, so each transaction takes a role that does not. */
  readonly bypasses: boolean
  /** Called at each step; an exception ends the commit there. */
  readonly onStep?: ((step: Step) => void | Promise<void>) | undefined
  /** Called when this copy committed a change that other processes must see. */
  readonly onCommitted?: (() => void) | undefined
}

interface BookRow {
  /** The book's device name; a book of the same name that replaces it has another. */
  readonly device: string
  /** Number of the last commit. */
  readonly txn: number
  /**
   * Deleted keys are stored only for commits after this one; a copy with an older state reads the whole book.
   */
  readonly gone_from: number
}

/** Rows in a page when a whole book is read. */
const pageRows = 1000
/** For how many commits deleted keys are stored; a copy further behind reads the whole book. */
const deletedKeyCommits = 1024

export class PostgresTruth implements Truth {
  readonly #options: PostgresTruthOptions
  #store: BookStore | undefined
  #capture: ReturnType<typeof createCapture> | undefined
  /** The last commit that this copy has; 0: it is empty. */
  #txn = 0
  /** Why this copy must be dropped; all later callers get the same error. */
  #fault: DaybookError | undefined
  /** The end of the queue of commits and follows, which run one after another. */
  #last: Promise<unknown> = Promise.resolve()
  /** A `follow` that has not begun; it answers all callers until then. */
  #pendingFollow: Promise<void> | undefined

  constructor(options: PostgresTruthOptions) {
    this.#options = options
  }

  /** Whether the copy must be dropped. */
  get isBroken(): boolean {
    return this.#fault !== undefined
  }

  /** Attaches the copy: a store with only the book's epoch and device. Then `follow` fills it. */
  attach(store: BookStore): void {
    this.#store = store
    this.#capture = createCapture(store.db)
  }

  commit<Result>(work: () => Result): Promise<Result> {
    return this.#inTurn(() => this.#commit(work))
  }

  follow(): Promise<void> {
    this.#pendingFollow ??= this.#inTurn(() => {
      this.#pendingFollow = undefined
      return this.#follow()
    })
    return this.#pendingFollow
  }

  /** Throws if the copy must be dropped. */
  #copy() {
    if (this.#fault) throw this.#fault
    if (!this.#store || !this.#capture) throw new DaybookError('engine-died')
    return { store: this.#store, capture: this.#capture }
  }

  #break(error = new DaybookError('engine-died')): DaybookError {
    return (this.#fault ??= error)
  }

  async #breakMissing(sql: Sql): Promise<DaybookError> {
    return this.#break(await missingBookError(sql, this.#options.book))
  }

  /** Runs `work` after all earlier work. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => withPostgresFaults(work))
    this.#last = result.catch(() => undefined)
    return result
  }

  async #commit<Result>(work: () => Result): Promise<Result> {
    const { postgres, book, bypasses, onStep, onCommitted } = this.#options
    this.#copy()
    await onStep?.('begin')
    let changes: readonly RelationChange[] = []
    let txn = 0
    const opening = `${enterSql(book, bypasses)}; ${findSql(book)} FOR UPDATE`
    // `[row]` is the result of the last statement of `opening`: the row of the book.
    const result = await postgres.begin<BookRow, Result>(opening, async (sql, [row]) => {
      if (!row) throw await this.#breakMissing(sql)
      await onStep?.('locked')
      await this.#applyNews(sql, row)
      // If the work changed a shared table, undoes it and returns all its changes, also those of unshared
      // tables; otherwise keeps it and returns none.
      const captured = this.#copy().capture.run(work)
      changes = captured.changes
      await onStep?.('worked')
      if (changes.length > 0) {
        txn = row.txn + 1
        await this.#write(sql, changes, txn)
      }
      await onStep?.('written')
      return captured.result
    })
    await onStep?.('committed')
    if (changes.length > 0) {
      this.#apply(changes)
      this.#txn = txn
      onCommitted?.()
    }
    await onStep?.('taken-in')
    return result
  }

  async #follow(): Promise<void> {
    const { postgres, book, bypasses } = this.#options
    this.#copy()
    const opening = `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; ${enterSql(book, bypasses)}; ${findSql(book)}`
    await postgres.begin<BookRow, void>(opening, async (sql, [row]) => {
      if (!row) throw await this.#breakMissing(sql)
      await this.#applyNews(sql, row)
    })
  }

  #apply(changes: readonly RelationChange[]): void {
    const { store, capture } = this.#copy()
    try {
      capture.runWithoutCapture(() => applyChanges(store, changes))
    } catch (error) {
      this.#break()
      throw error
    }
  }

  /** Applies the commits after `#txn`. Breaks the copy if it can't follow. */
  async #applyNews(sql: Sql, { device, txn, gone_from }: BookRow): Promise<void> {
    // The book was erased and started again: this copy belongs to the old one.
    if (device !== this.#copy().store.device) throw this.#break(outdated())
    if (txn === this.#txn) return
    // The database was set back to an earlier state, or this copy is too far behind.
    if (txn < this.#txn || (this.#txn > 0 && this.#txn < gone_from)) throw this.#break(outdated())
    if (this.#txn === 0) await this.#applyAll(sql)
    else this.#apply(await this.#readNews(sql))
    this.#txn = txn
  }

  async #applyAll(sql: Sql): Promise<void> {
    try {
      for (const relation of sharedRelations) {
        await sql.rows(`DECLARE book_rows NO SCROLL CURSOR FOR ${selectSql(relation)}`, [
          this.#options.book,
          0,
        ])
        for (;;) {
          const rows = await sql.rows<SqlRow>(`FETCH ${pageRows} FROM book_rows`)
          if (rows.length > 0)
            this.#apply([{ relation, upsertedRows: rows.map(fromRemote), removedKeys: [] }])
          if (rows.length < pageRows) break
        }
        await sql.rows('CLOSE book_rows')
      }
    } catch (error) {
      // This copy may have only a part of the book.
      this.#break()
      throw error
    }
  }

  async #readNews(sql: Sql): Promise<RelationChange[]> {
    const { book } = this.#options
    const deleted = await sql.rows<{ relation: string; key: string }>(deletedKeysSql, [book, this.#txn])
    // A key may be among both the removed ones and the rows: `applyChanges` removes first.
    const changes: RelationChange[] = []
    for (const relation of sharedRelations) {
      const rows = await sql.rows<SqlRow>(selectSql(relation), [book, this.#txn])
      const keys = deleted.filter((row) => row.relation === relation.name)
      if (rows.length === 0 && keys.length === 0) continue
      changes.push({
        relation,
        upsertedRows: rows.map(fromRemote),
        removedKeys: keys.map(({ key }) => JSON.parse(fromRemoteText(key)) as SqlValue[]),
      })
    }
    return changes
  }

  async #write(sql: Sql, changes: readonly RelationChange[], txn: number): Promise<void> {
    const { book } = this.#options
    for (const { relation, upsertedRows, removedKeys } of changes) {
      // Rows of other relations belong to this copy only.
      if (!relation.shared) continue
      if (removedKeys.length > 0) {
        await sql.rows(deleteSql(relation), [book, toRemote(removedKeys)])
        const keys = toRemote(removedKeys.map((key) => JSON.stringify(key)))
        await sql.rows(noteDeletedSql, [book, txn, relation.name, keys])
      }
      if (upsertedRows.length > 0) await sql.rows(upsertSql(relation), [book, txn, toRemote(upsertedRows)])
    }
    const isPruned = txn % deletedKeyCommits === 0
    const from = isPruned ? txn - deletedKeyCommits : 0
    if (isPruned) await sql.rows('DELETE FROM daybook.gone WHERE book = $1 AND txn <= $2', [book, from])
    await sql.rows(
      'UPDATE daybook.books SET txn = $2, gone_from = greatest(gone_from, $3::bigint) WHERE book = $1',
      [book, txn, from],
    )
  }
}

const outdatedCopy = 'outdated'
const outdated = () => new DaybookError('engine-died', undefined, { details: { copy: outdatedCopy } })

/**
 * Whether the error means: the copy is of a replaced book, is too far behind, or the database was set back;
 * the copy has written nothing.
 */
export const isOutdated = (error: unknown): boolean =>
  isDaybookError(error, 'engine-died') && error.details['copy'] === outdatedCopy

/** The error if the book is no longer in the database: it was erased, or deleted by hand. */
async function missingBookError(sql: Sql, book: string): Promise<DaybookError> {
  const [stone] = await sql.rows<{ erased_at: string }>(
    'SELECT erased_at FROM daybook.erased WHERE book = $1 AND NOT is_restarted',
    [book],
  )
  return stone ? bookErasedError(stone.erased_at) : new DaybookError('engine-died')
}

/** The statement that begins a transaction: after it, the transaction sees this book and no other. */
export function enterSql(book: string, bypasses: boolean): string {
  const settings = {
    'daybook.book': checkBookName(book),
    lock_timeout: '10s',
    idle_in_transaction_session_timeout: '60s',
    ...(bypasses ? { role: mirrorRole } : {}),
  }
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', true)`)
  return `SELECT ${calls.join(', ')}`
}

/** Book names have no characters to escape; see `checkBookName`. */
const findSql = (book: string) =>
  `SELECT device, txn, gone_from FROM daybook.books WHERE book = '${checkBookName(book)}'`
