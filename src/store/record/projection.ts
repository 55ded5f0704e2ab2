// Derives rows from records (facets, links, text index), after their writes and before the next read of these rows.
// Invariant: the derived rows of records up to `derived_seq` that are not in `stale` match their records exactly.
import { utcZone, type Zone } from '../../core/zone.ts'
import type { Kinds } from '../../core/kind.ts'
import { type DaybookError, isDaybookError } from '../../core/errors.ts'
import type { SqlDatabase, SqlValue } from '../../core/ports.ts'
import type { Settings } from '../schema/settings.ts'
import { DerivedRows, type DerivationInput, derivationColumns } from './derived-rows.ts'
import { mergeInSteps, withoutMerges } from './text-merge.ts'

/**
 * Thrown by a read that must first derive more records than its patience allows. Call `step` until it returns 0,
 * then retry.
 */
export class ProjectionBehindError extends Error {
  readonly records: number
  /** Derives up to `limit` records, fewer when they are large. Returns how many; 0 when none is left. */
  readonly step: (limit: number) => number
  constructor(records: number, step: (limit: number) => number) {
    super(`${records} records are not derived yet.`)
    this.records = records
    this.step = step
  }
}

/** Most records of one transaction. */
const maxStepRecords = 2000
/** Most records in memory at once: bodies may be large. */
const maxPageRecords = 40
/** Bytes of bodies after which a step ends: at most a tenth of a second of work. Also the most bytes of one page. */
const maxStepBytes = 500_000
/** `keepUp` derives this many records more than were written, while too many are behind. */
const keepUpExtra = 100

interface ProjectionOptions {
  /** The time zone of dates without a time. Default UTC. */
  readonly zone?: Zone | undefined
  /**
   * Makes the error of a read that finds stale rows in a book that can't be written. Default: rows can be written.
   */
  readonly readOnlyError?: (() => DaybookError) | undefined
}

interface Page {
  readonly rows: readonly DerivationInput[]
  readonly bytes: number
  /** True when no more rows follow. */
  readonly isLast: boolean
}

export class Projection {
  readonly #db: SqlDatabase
  readonly #settings: Settings
  readonly #readOnlyError: (() => DaybookError) | undefined
  readonly #derived: DerivedRows
  readonly #watchers: ((seq: number) => void)[] = []
  // Both are true at first: after an unclean end some rows may be left to derive.
  #hasNew = true
  #hasStale = true
  /** Changes since the last `keepUp`. */
  #changesSinceKeepUp = 0
  /** Upper bound of the records that are behind. */
  #maxLag = Infinity
  /** See `writeCount()`. */
  #writeCount = 0
  /** See `patience()`. */
  #maxReadLag = Infinity
  /** True during `readInTransaction`, when everything is derived. */
  #isInTransaction = false
  /** Records derived since the book was opened. */
  #derivedCount = 0
  /** See `generation()`. */
  #generation = 0

  constructor(
    db: SqlDatabase,
    kinds: Kinds,
    settings: Settings,
    { zone = utcZone, readOnlyError }: ProjectionOptions = {},
  ) {
    this.#db = db
    this.#settings = settings
    this.#readOnlyError = readOnlyError
    this.#derived = new DerivedRows({ db, kinds, zone, onChange: (seq) => this.notifyChanged(seq) })
  }

  /**
   * Derives everything that is behind, in transactions of its own. Throws `ProjectionBehindError` in a read that
   * `startRead` limits. An arrow function: callers pass it as a value.
   */
  readonly catchUp = (): void => {
    if (this.#isInTransaction) return
    if (this.#maxReadLag === Infinity) {
      while (this.#deriveStep(maxStepRecords));
      return
    }
    const lag = this.#countLag()
    if (lag > this.#maxReadLag || this.#deriveStep(this.#maxReadLag, maxStepBytes))
      throw new ProjectionBehindError(this.#countLag(), (limit) => this.#stepInRead(limit))
  }

  /**
   * Runs `read`; of an async `read`, the part up to its first `await`. Throws `ProjectionBehindError` when `read`
   * must first derive more than `maxReadLag` records, or more bytes than one step.
   */
  startRead<Result>(read: () => Result, maxReadLag: number): Result {
    const maxLagBefore = this.#maxReadLag
    this.#maxReadLag = maxReadLag
    try {
      return read()
    } finally {
      this.#maxReadLag = maxLagBefore
    }
  }

  /**
   * Call it after each commit. While more than `limit` records are behind, it derives slightly more than were
   * written since the last call. So many writes in a row leave about `limit` records to the first read.
   */
  keepUp(limit: number): void {
    const written = this.#changesSinceKeepUp
    this.#changesSinceKeepUp = 0
    this.#maxLag += written
    if (this.#maxLag <= limit) return
    this.#maxLag = this.#countLag()
    if (this.#maxLag > limit) this.#deriveStep(written + keepUpExtra)
  }

  /** Derives everything that is behind. Call it only inside the transaction of a write. */
  catchUpInTransaction(): void {
    // The flags stay true: a rollback undoes this work too.
    if (this.isBehind()) while (this.#derive(maxStepRecords));
  }

  /**
   * Runs `read` over all writes, those of the open transaction too. Call it only inside the transaction of a write.
   */
  readInTransaction<Result>(read: () => Result): Result {
    const before = this.#isInTransaction
    this.catchUpInTransaction()
    this.#isInTransaction = true
    try {
      return read()
    } finally {
      this.#isInTransaction = before
    }
  }

  /** True during `readInTransaction`. */
  isInTransaction(): boolean {
    return this.#isInTransaction
  }

  /** Derives up to `limit` records, fewer when they are large. True when more are behind. Call it in idle time. */
  step(limit: number): boolean {
    return this.#deriveStep(limit, maxStepBytes)
  }

  /**
   * A number that grows whenever derived rows may have changed, so a cache with the same number is valid. An
   * arrow function: callers pass it as a value.
   */
  readonly generation = (): number => this.#generation

  /**
   * The number of the last record with derived rows. Reads the database at each call, because a rollback undoes it.
   * An arrow function: callers pass it as a value.
   */
  readonly derivedSeq = (): number => this.#settings.getNumber('derived_seq')

  /** How many records are behind, by an exact count. */
  lagCount(): number {
    return this.#count(
      'SELECT (SELECT count(*) FROM records WHERE seq > ?) + (SELECT count(*) FROM stale) AS n',
    )
  }

  /** Call it after each change of an existing record, inside its transaction. */
  markStale(seq: number): void {
    this.#hasStale = true
    this.#changesSinceKeepUp += 1
    this.#writeCount += 1
    if (seq <= this.derivedSeq()) this.#db.run('INSERT OR IGNORE INTO stale (seq) VALUES (?)', [seq])
    // Notify watchers now: the first derivation of a record doesn't.
    else this.notifyChanged(seq)
  }

  /** Call it after each new record, inside its transaction. */
  markNew(): void {
    this.#hasNew = true
    this.#changesSinceKeepUp += 1
    this.#writeCount += 1
  }

  /** False when everything is derived; true when records may be behind. */
  isBehind(): boolean {
    return this.#hasStale || this.#hasNew
  }

  /**
   * The number of the last record when only new records are behind, so that a read may use these records without
   * their derived rows; undefined when the read must derive.
   */
  newestIfOnlyNewLag(): number | undefined {
    if (
      this.#isInTransaction ||
      this.#readOnlyError ||
      this.#db.get('SELECT 1 FROM stale LIMIT 1') !== undefined
    )
      return undefined
    return this.#db.get<{ n: number }>('SELECT ifnull(max(seq), 0) AS n FROM records')?.n
  }

  /** A number that grows with each written record, also when the write is undone. */
  writeCount(): number {
    return this.#writeCount
  }

  /** How many records the running read may derive; Infinity outside of `startRead`. */
  patience(): number {
    return this.#maxReadLag
  }

  /** Calls `watcher` for each record whose derived rows change, also when the change is undone later. */
  watch(watcher: (seq: number) => void): void {
    this.#watchers.push(watcher)
  }

  /** Call it when data of the record changes that is in no derived row, but in the caches of the watchers. */
  notifyChanged(seq: number): void {
    for (const watcher of this.#watchers) watcher(seq)
  }

  /** True when more may be behind. Throws in a book that can't be written, when a record is behind. */
  #deriveStep(limit: number, bytes?: number): boolean {
    if (!this.isBehind()) return false
    if (this.#readOnlyError && this.lagCount() > 0) throw this.#readOnlyError()
    const hasMore = !this.#readOnlyError && this.#deriveInTransaction(limit, bytes)
    if (!hasMore) this.#hasStale = this.#hasNew = false
    return hasMore
  }

  /** See `ProjectionBehindError.step`. */
  #stepInRead(limit: number): number {
    const before = this.#derivedCount
    this.#deriveStep(limit, maxStepBytes)
    return this.#derivedCount - before
  }

  /**
   * `#derive` in a transaction. On a full disk it retries with smaller steps, each after the log is emptied, and last
   * with one record and no merge of the text index; after such a step more may be behind.
   */
  #deriveInTransaction(limit: number, bytes?: number): boolean {
    for (let size = limit; ; size = Math.ceil(size / 10)) {
      try {
        return this.#db.transaction(() => this.#derive(size, bytes)) || size < limit
      } catch (error) {
        if (!isDaybookError(error, 'storage-full')) throw error
        this.#emptyLog()
        if (size === 1) break
      }
    }
    this.#db.transaction(() => withoutMerges(this.#db, () => this.#derive(1)))
    mergeInSteps(this.#db)
    return true
  }

  /** Empties the log, if there is space for that. */
  #emptyLog(): void {
    try {
      this.#db.scrub('space')
    } catch (error) {
      if (!isDaybookError(error, 'storage-full')) throw error
    }
  }

  /** Derives up to `limit` records, and stops after `bytes` bytes of bodies. True when more may be behind. */
  #derive(limit: number, bytes = Infinity): boolean {
    for (let records = limit, space = bytes; records > 0 && space > 0;) {
      const page = this.#derivePage(Math.min(maxPageRecords, records))
      if (page.isLast) return false
      records -= page.rows.length
      space -= page.bytes
    }
    return true
  }

  #derivePage(limit: number): Page {
    this.#generation += 1
    this.#derived.clearCache()
    if (this.#hasStale) {
      const page = this.#readPage('stale CROSS JOIN records USING (seq)', [], limit)
      for (const row of page.rows) this.#derived.write(row, false)
      for (const row of page.rows) this.#db.run('DELETE FROM stale WHERE seq = ?', [row.seq])
      if (!page.isLast) return page
    }
    const page = this.#readPage('records WHERE seq > ?', [this.derivedSeq()], limit)
    for (const row of page.rows) this.#derived.write(row, true)
    const last = page.rows.at(-1)
    if (last) this.#settings.set('derived_seq', last.seq)
    return page
  }

  /** The first records of `from`: at most `limit`, and `maxStepBytes` of bodies, but at least one record. */
  #readPage(from: string, params: readonly SqlValue[], limit: number): Page {
    const fromFirst = `FROM ${from} ORDER BY seq LIMIT ?`
    const sizes = this.#db.all<{ bytes: number }>(`SELECT octet_length(body) AS bytes ${fromFirst}`, [
      ...params,
      limit,
    ])
    let [count, bytes] = [0, 0]
    for (const size of sizes) {
      if (count > 0 && bytes + size.bytes > maxStepBytes) break
      count += 1
      bytes += size.bytes
    }
    const rows =
      count === 0
        ? []
        : this.#db.all<DerivationInput>(`SELECT ${derivationColumns} ${fromFirst}`, [...params, count])
    this.#derivedCount += count
    return { rows, bytes, isLast: count < limit && count === sizes.length }
  }

  /** A quick estimate of `lagCount()`, never too low: record numbers have few gaps. */
  #countLag(): number {
    if (!this.isBehind()) return 0
    return this.#count(
      'SELECT (SELECT ifnull(max(seq), 0) FROM records) - ? + (SELECT count(*) FROM stale) AS n',
    )
  }

  #count(sql: string): number {
    return this.#db.get<{ n: number }>(sql, [this.derivedSeq()])?.n ?? 0
  }
}
