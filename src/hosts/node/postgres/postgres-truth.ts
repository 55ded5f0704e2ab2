// `Truth` over PostgreSQL: a commit locks the row of its book, takes in what others committed, runs the work on this
// copy and undoes it there, writes what it changed, and takes that in once it is final.
// Invariant: the copy is the book as of commit `txn`; where that can't be said any more, it is thrown away.
import { checkBookName } from '../../../core/book.ts'
import { bookErased } from '../../../edge/book-end.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { SqlRow, SqlValue, Truth } from '../../../core/ports.ts'
import type { BookStore } from '../../../store/book-store.ts'
import { applyChanges, createCapture } from '../../../store/mirror/capture.ts'
import type { Postgres, Sql } from './connect-postgres.ts'
import { guarded } from './postgres-fault.ts'
import { mirrorRole } from './postgres-schema.ts'
import { type RelationChange, sharedRelations } from '../../../store/mirror/relation.ts'
import { deleteSql, fromThere, goneSql, noteGoneSql, selectSql, toThere, upsertSql } from './relation-sql.ts'

/** What a commit is about to do, or has just done. */
export type Step = 'begin' | 'locked' | 'worked' | 'written' | 'committed' | 'taken-in'

export interface PostgresTruthOptions {
  readonly postgres: Postgres
  readonly book: string
  /** The user that connects is not bound by row-level security: another role is. */
  readonly bypasses: boolean
  /** Called at each step; what it throws ends the commit there. */
  readonly onStep?: ((step: Step) => void | Promise<void>) | undefined
  /** Called when this copy has committed something that others must know of. */
  readonly onCommitted?: (() => void) | undefined
}

export interface PostgresTruth extends Truth {
  /** From now on this is the copy. It has nothing of the book yet but its names. */
  follows(store: BookStore): void
  /** True when the copy is to be thrown away. */
  readonly isBroken: boolean
}

interface BookRow {
  /** What this book calls itself: another one of the same name has another. */
  readonly device: string
  readonly txn: number
  readonly gone_from: number
}

/** Rows read at once of a book that is read as a whole. */
const pageRows = 1000
/** Followers that are behind by no more commits than this are given the keys that are gone; others read the whole book. */
const goneKept = 1024

export function createPostgresTruth(options: PostgresTruthOptions): PostgresTruth {
  const { postgres, book, bypasses, onStep, onCommitted } = options
  let store: BookStore | undefined
  let capture: ReturnType<typeof createCapture> | undefined
  let at = 0
  /** Why this copy is to be thrown away: whoever waits for it is told the same as who found it out. */
  let fault: DaybookError | undefined
  let last: Promise<unknown> = Promise.resolve()
  /** A look at the truth that has not begun: whoever asks now is answered by it. */
  let coming: Promise<void> | undefined

  const copy = () => {
    if (fault) throw fault
    if (!store || !capture) throw new DaybookError('engine-died')
    return { store, capture }
  }

  const spoil = (why = new DaybookError('engine-died')) => (fault ??= why)

  /** Runs `work` after everything that was asked before. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(() => guarded(work))
    last = result.catch(() => undefined)
    return result
  }

  const take = (changes: readonly RelationChange[]) => {
    const { store, capture } = copy()
    try {
      capture.silently(() => applyChanges(store, changes))
    } catch (error) {
      spoil()
      throw error
    }
  }

  const takeNews = async (sql: Sql, { device, txn, gone_from }: BookRow) => {
    // The book was erased and begun anew: what this copy has is of the one before.
    if (device !== copy().store.device) throw spoil(outdated())
    if (txn === at) return
    if (txn < at || (at > 0 && at < gone_from)) throw spoil(outdated())
    if (at === 0) await readWhole(sql)
    else take(await readNews(sql))
    at = txn
  }

  const readWhole = async (sql: Sql) => {
    try {
      for (const relation of sharedRelations) {
        await sql.rows(`DECLARE whole NO SCROLL CURSOR FOR ${selectSql(relation)}`, [book, 0])
        for (;;) {
          const rows = await sql.rows<SqlRow>(`FETCH ${pageRows} FROM whole`)
          if (rows.length > 0) take([{ relation, put: rows.map(fromThere), gone: [] }])
          if (rows.length < pageRows) break
        }
        await sql.rows('CLOSE whole')
      }
    } catch (error) {
      // Some of it is here, and nobody knows how much.
      spoil()
      throw error
    }
  }

  const readNews = async (sql: Sql): Promise<RelationChange[]> => {
    const gone = await sql.rows<{ relation: string; key: string }>(goneSql, [book, at])
    const changes: RelationChange[] = []
    for (const relation of sharedRelations) {
      const rows = await sql.rows<SqlRow>(selectSql(relation), [book, at])
      const keys = gone.filter((row) => row.relation === relation.name)
      if (rows.length === 0 && keys.length === 0) continue
      changes.push({
        relation,
        put: rows.map(fromThere),
        gone: keys.map(({ key }) => JSON.parse(key) as SqlValue[]),
      })
    }
    return changes
  }

  const write = async (sql: Sql, changes: readonly RelationChange[], txn: number) => {
    for (const { relation, put, gone } of changes) {
      if (!relation.shared) continue
      if (gone.length > 0) {
        await sql.rows(deleteSql(relation), [book, toThere(gone)])
        const keys = toThere(gone.map((key) => JSON.stringify(key)))
        await sql.rows(noteGoneSql, [book, txn, relation.name, keys])
      }
      if (put.length > 0) await sql.rows(upsertSql(relation), [book, txn, toThere(put)])
    }
    const isPruned = txn % goneKept === 0
    const from = isPruned ? txn - goneKept : 0
    if (isPruned) await sql.rows('DELETE FROM daybook.gone WHERE book = $1 AND txn <= $2', [book, from])
    await sql.rows(
      'UPDATE daybook.books SET txn = $2, gone_from = greatest(gone_from, $3::bigint) WHERE book = $1',
      [book, txn, from],
    )
  }

  const commit = async <Result>(work: () => Result): Promise<Result> => {
    copy()
    await onStep?.('begin')
    let changes: readonly RelationChange[] = []
    let txn = 0
    const opening = `${enterSql(book, bypasses)}; ${findSql(book)} FOR UPDATE`
    const result = await postgres.begin<BookRow, Result>(opening, async (sql, [row]) => {
      if (!row) throw await gone(sql)
      await onStep?.('locked')
      await takeNews(sql, row)
      const captured = copy().capture.run(work)
      changes = captured.changes
      await onStep?.('worked')
      if (changes.length > 0) {
        txn = row.txn + 1
        await write(sql, changes, txn)
      }
      await onStep?.('written')
      return captured.result
    })
    await onStep?.('committed')
    if (changes.length > 0) {
      take(changes)
      at = txn
      onCommitted?.()
    }
    await onStep?.('taken-in')
    return result
  }

  const gone = async (sql: Sql) => spoil(await whyGone(sql, book))

  const look = async () => {
    copy()
    const opening = `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; ${enterSql(book, bypasses)}; ${findSql(book)}`
    await postgres.begin<BookRow, void>(opening, async (sql, [row]) => {
      if (!row) throw await gone(sql)
      await takeNews(sql, row)
    })
  }

  return {
    get isBroken() {
      return fault !== undefined
    },
    follows(copyStore) {
      store = copyStore
      capture = createCapture(copyStore.db)
    },
    commit: (work) => inTurn(() => commit(work)),
    follow() {
      coming ??= inTurn(() => {
        coming = undefined
        return look()
      })
      return coming
    },
  }
}

const outdatedCopy = 'outdated'
const outdated = () => new DaybookError('engine-died', undefined, { details: { copy: outdatedCopy } })

/** True where the copy was found to be of another book, or too far behind, before this commit or look did anything. */
export const isOutdated = (error: unknown): boolean =>
  isDaybookError(error, 'engine-died') && error.details['copy'] === outdatedCopy

/** The book was taken out of the database under our feet: erased, or by hand. */
async function whyGone(sql: Sql, book: string): Promise<DaybookError> {
  const [stone] = await sql.rows<{ erased_at: string }>(
    'SELECT erased_at FROM daybook.erased WHERE book = $1 AND NOT is_begun_anew',
    [book],
  )
  return stone ? bookErased(stone.erased_at) : new DaybookError('engine-died')
}

/** From here on the transaction sees this book and no other. */
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

/** The name of a book has no character that would have to be escaped; see `checkBookName`. */
const findSql = (book: string) =>
  `SELECT device, txn, gone_from FROM daybook.books WHERE book = '${checkBookName(book)}'`
