// Derives rows from records (facets, links, text index), after their writes and before the next read of these rows.
// Invariant: the derived rows of records up to `derived_seq` that are not in `stale` match their records exactly.
import { utcZone, type Zone } from '../../core/zone.ts'
import type { Kinds } from '../../core/kind.ts'
import { type DaybookError, isDaybookError } from '../../core/errors.ts'
import type { SqlDatabase, SqlValue } from '../../core/ports.ts'
import type { Settings } from '../schema/settings.ts'
import { DerivedRows, type SourceRow, sourceColumns } from './derived-rows.ts'

/**
 * Thrown by a read that must first derive more records than its patience allows. Call `step` until it returns 0,
 * then retry.
 */
export class FarBehind extends Error {
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
const batch = 2000
/** Most records in memory at once: bodies may be large. */
const pageRecords = 40
/** Bytes of bodies after which a step ends: at most a tenth of a second of work. Also the most bytes of one page. */
const sliceBytes = 500_000
/** `keepUp` derives this many records more than were written, while too many are behind. */
const keepUpExtra = 100

interface ProjectionOptions {
  /** The time zone of dates without a time. Default UTC. */
  readonly zone?: Zone | undefined
  /**
   * Makes the error of a read that finds stale rows in a book that can't be written. Default: rows can be written.
   */
  readonly frozen?: (() => DaybookError) | undefined
}

interface Page {
  readonly rows: readonly SourceRow[]
  readonly bytes: number
  readonly isLast: boolean
}

export class Projection {
  readonly #db: SqlDatabase
  readonly #settings: Settings
  readonly #frozen: (() => DaybookError) | undefined
  readonly #derived: DerivedRows
  readonly #watchers: ((seq: number) => void)[] = []
  // Both are true at first: after an unclean end some rows may be left to derive.
  #hasNew = true
  #hasStale = true
  /** Changes since the last `keepUp`. */
  #changes = 0
  /** Upper bound of the records that are behind. */
  #lagAtMost = Infinity
  #writes = 0
  #patience = Infinity
  /** True during `readWithin`, when everything is derived. */
  #isWithin = false
  /** Records derived since the book was opened. */
  #derivedCount = 0
  #generation = 0

  constructor(
    db: SqlDatabase,
    kinds: Kinds,
    settings: Settings,
    { zone = utcZone, frozen }: ProjectionOptions = {},
  ) {
    this.#db = db
    this.#settings = settings
    this.#frozen = frozen
    this.#derived = new DerivedRows({ db, kinds, zone, onChange: (seq) => this.touch(seq) })
  }

  /**
   * Derives everything that is behind, in transactions of its own. Throws `FarBehind` in a read that `startRead`
   * limits. An arrow function: callers pass it as a value.
   */
  readonly catchUp = (): void => {
    if (this.#isWithin) return
    if (this.#patience === Infinity) {
      while (this.#step(batch));
      return
    }
    const lag = this.#countLag()
    if (lag > this.#patience || this.#step(this.#patience, sliceBytes))
      throw new FarBehind(this.#countLag(), (limit) => this.#stepInRead(limit))
  }

  /**
   * Runs `read`; of an async `read`, the part up to its first `await`. Throws `FarBehind` when `read` must first
   * derive more than `patience` records, or more bytes than one step.
   */
  startRead<Result>(read: () => Result, patience: number): Result {
    const before = this.#patience
    this.#patience = patience
    try {
      return read()
    } finally {
      this.#patience = before
    }
  }

  /**
   * Call it after each commit. While more than `limit` records are behind, it derives slightly more than were
   * written since the last call, so many writes in a row leave about `limit` records to the first read.
   */
  keepUp(limit: number): void {
    const written = this.#changes
    this.#changes = 0
    this.#lagAtMost += written
    if (this.#lagAtMost <= limit) return
    this.#lagAtMost = this.#countLag()
    if (this.#lagAtMost > limit) this.#step(written + keepUpExtra)
  }

  /** Derives everything that is behind. Call it only inside the transaction of a write. */
  catchUpWithin(): void {
    // The flags stay true: a rollback undoes this work too.
    if (this.isBehind()) while (this.#derive(batch));
  }

  /**
   * Runs `read` over all writes, those of the open transaction too. Call it only inside the transaction of a write.
   */
  readWithin<Result>(read: () => Result): Result {
    const before = this.#isWithin
    this.catchUpWithin()
    this.#isWithin = true
    try {
      return read()
    } finally {
      this.#isWithin = before
    }
  }

  /** Derives up to `limit` records, fewer when they are large. True when more are behind. Call it in idle time. */
  step(limit: number): boolean {
    return this.#step(limit, sliceBytes)
  }

  /** A number that grows whenever derived rows may have changed. An arrow function: callers pass it as a value. */
  readonly generation = (): number => this.#generation

  /**
   * The number of the last record with derived rows. Reads the database at each call, because a rollback undoes it.
   * An arrow function: callers pass it as a value.
   */
  readonly derivedSeq = (): number => this.#settings.getNumber('derived_seq')

  /** How many records are behind, by an exact count. */
  behind(): number {
    return this.#count(
      'SELECT (SELECT count(*) FROM records WHERE seq > ?) + (SELECT count(*) FROM stale) AS n',
    )
  }

  /** Call it after each change of an existing record, inside its transaction. */
  markStale(seq: number): void {
    this.#hasStale = true
    this.#changes += 1
    this.#writes += 1
    if (seq <= this.derivedSeq()) this.#db.run('INSERT OR IGNORE INTO stale (seq) VALUES (?)', [seq])
    // Notify watchers now: the first derivation of a record doesn't.
    else this.touch(seq)
  }

  /** Call it after each new record, inside its transaction. */
  markNew(): void {
    this.#hasNew = true
    this.#changes += 1
    this.#writes += 1
  }

  /** False when everything is derived; true when records may be behind. */
  isBehind(): boolean {
    return this.#hasStale || this.#hasNew
  }

  /**
   * The number of the last record when only new records are behind, so that a read may use these records without
   * their derived rows; undefined when the read must derive.
   */
  newest(): number | undefined {
    if (this.#isWithin || this.#frozen || this.#db.get('SELECT 1 FROM stale LIMIT 1') !== undefined)
      return undefined
    return this.#db.get<{ n: number }>('SELECT ifnull(max(seq), 0) AS n FROM records')?.n
  }

  /** A number that grows with each written record, also when the write is undone. */
  writes(): number {
    return this.#writes
  }

  /** How many records the running read may derive; Infinity outside of `startRead`. */
  patience(): number {
    return this.#patience
  }

  /** Calls `watcher` for each record whose derived rows change, also when the change is undone later. */
  watch(watcher: (seq: number) => void): void {
    this.#watchers.push(watcher)
  }

  /** Notifies the watchers that data of the record at `seq` changed which caches keep with its derived rows. */
  touch(seq: number): void {
    for (const watcher of this.#watchers) watcher(seq)
  }

  #step(limit: number, bytes?: number): boolean {
    if (!this.isBehind()) return false
    if (this.#frozen && this.behind() > 0) throw this.#frozen()
    const more = !this.#frozen && this.#deriveInSpace(limit, bytes)
    if (!more) this.#hasStale = this.#hasNew = false
    return more
  }

  #stepInRead(limit: number): number {
    const before = this.#derivedCount
    this.#step(limit, sliceBytes)
    return this.#derivedCount - before
  }

  /** `#derive` in a transaction. On a full disk it retries with smaller steps, each after the log is emptied. */
  #deriveInSpace(limit: number, bytes?: number): boolean {
    for (let size = limit; ;) {
      try {
        return this.#db.transaction(() => this.#derive(size, bytes)) || size < limit
      } catch (error) {
        if (size === 1 || !isDaybookError(error, 'storage-full')) throw error
        this.#db.scrub('space')
        size = Math.ceil(size / 10)
      }
    }
  }

  /** Derives up to `limit` records, and stops after `bytes` bytes of bodies. True when more may be behind. */
  #derive(limit: number, bytes = Infinity): boolean {
    for (let records = limit, space = bytes; records > 0 && space > 0;) {
      const page = this.#derivePage(Math.min(pageRecords, records))
      if (page.isLast) return false
      records -= page.rows.length
      space -= page.bytes
    }
    return true
  }

  #derivePage(limit: number): Page {
    this.#generation += 1
    this.#derived.begin()
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

  /** The first records of `from`: at most `limit`, and `sliceBytes` of bodies, but at least one record. */
  #readPage(from: string, params: readonly SqlValue[], limit: number): Page {
    const first = `FROM ${from} ORDER BY seq LIMIT ?`
    const sizes = this.#db.all<{ bytes: number }>(`SELECT octet_length(body) AS bytes ${first}`, [
      ...params,
      limit,
    ])
    let [count, bytes] = [0, 0]
    for (const size of sizes) {
      if (count > 0 && bytes + size.bytes > sliceBytes) break
      count += 1
      bytes += size.bytes
    }
    const rows =
      count === 0 ? [] : this.#db.all<SourceRow>(`SELECT ${sourceColumns} ${first}`, [...params, count])
    this.#derivedCount += count
    return { rows, bytes, isLast: count < limit && count === sizes.length }
  }

  /** A quick estimate of `behind()`, never too low: record numbers have few gaps. */
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
