// Derives rows from records (facets, links, text index): after the writes and before the next read of them.
// Invariants: rows up to `derived_seq` that are not in `stale` match their records exactly. A page has few records and, except
// for a single large one, few bytes, so one step is short however large the records are.
import { utcZone, type Zone } from '../../core/zone.ts'
import type { Kinds } from '../../core/kind.ts'
import { type DaybookError, isDaybookError } from '../../core/errors.ts'
import type { SqlDatabase, SqlValue } from '../../core/ports.ts'
import type { Settings } from '../schema/settings.ts'
import { DerivedRows, type SourceRow, sourceColumns } from './derived-rows.ts'

/** Ends a read that would have to derive more than its patience before it can answer. */
export class FarBehind extends Error {
  readonly records: number
  /** Derives up to `limit` records, fewer when they are large; answers how many, 0 when none is behind. */
  readonly step: (limit: number) => number
  constructor(records: number, step: (limit: number) => number) {
    super(`${records} records are not derived yet.`)
    this.records = records
    this.step = step
  }
}

const batch = 2000
/** Bodies may be large: so many are in memory at once, however many share a transaction. */
const pageRecords = 40
/** Bytes of bodies in one step, twice as many at most: a tenth of a second for bodies full of short fields. */
const sliceBytes = 500_000
/** How many more than were written are derived while too many are behind. */
const keepUpExtra = 100

interface ProjectionOptions {
  /** The zone of days. Default UTC. */
  readonly zone?: Zone | undefined
  /** Nothing can be written: a read of stale rows ends with this error. */
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
  /** Changes since the last `keepUp`, and how many may be behind at most. */
  #changes = 0
  #lagAtMost = Infinity
  #writes = 0
  #patience = Infinity
  /** A read inside a transaction runs, and all is derived. */
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

  /** Derives everything that is behind, in transactions of its own. Bound: callers pass it on. */
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
   * Starts `read`, which runs at least to its first pause. If it must first derive more than `patience` records, or large ones,
   * `FarBehind` ends it.
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
   * Call after each commit. While more than `limit` records are behind, it derives slightly more than were written since the
   * last call, so a flood of writes leaves no more than `limit` to the first read.
   */
  keepUp(limit: number): void {
    const written = this.#changes
    this.#changes = 0
    this.#lagAtMost += written
    if (this.#lagAtMost <= limit) return
    this.#lagAtMost = this.#countLag()
    if (this.#lagAtMost > limit) this.#step(written + keepUpExtra)
  }

  /** `catchUp` inside the transaction of a write. */
  catchUpWithin(): void {
    // The flags stay: an undone transaction undoes this too.
    if (this.isBehind()) while (this.#derive(batch));
  }

  /** Runs `read` inside the transaction of a write, over everything written before and in it. */
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

  /** Derives up to `limit` records, fewer when they are large; true when more are behind. For idle time. */
  step(limit: number): boolean {
    return this.#step(limit, sliceBytes)
  }

  /** Grows whenever derived rows may have changed. Bound. */
  readonly generation = (): number => this.#generation

  /** Records above this number have no derived rows yet. Read each time, as an undone transaction undoes it. Bound. */
  readonly derivedSeq = (): number => this.#settings.getNumber('derived_seq')

  behind(): number {
    return this.#count(
      'SELECT (SELECT count(*) FROM records WHERE seq > ?) + (SELECT count(*) FROM stale) AS n',
    )
  }

  /** An existing record changed. */
  markStale(seq: number): void {
    this.#hasStale = true
    this.#changes += 1
    this.#writes += 1
    if (seq <= this.derivedSeq()) this.#db.run('INSERT OR IGNORE INTO stale (seq) VALUES (?)', [seq])
    // Notify watchers now; deriving a new row doesn't.
    else this.touch(seq)
  }

  /** New records exist above `derived_seq`. */
  markNew(): void {
    this.#hasNew = true
    this.#changes += 1
    this.#writes += 1
  }

  /** True when something may be left to derive. */
  isBehind(): boolean {
    return this.#hasStale || this.#hasNew
  }

  /**
   * The number of the last record, when only new records are left to derive and a read may look at the committed records
   * instead; undefined when the read has to derive.
   */
  newest(): number | undefined {
    if (this.#isWithin || this.#frozen || this.#db.get('SELECT 1 FROM stale LIMIT 1') !== undefined)
      return undefined
    return this.#db.get<{ n: number }>('SELECT ifnull(max(seq), 0) AS n FROM records')?.n
  }

  /** Grows with each written record, also when the write is undone. */
  writes(): number {
    return this.#writes
  }

  /** How many records the running read may derive at once. */
  patience(): number {
    return this.#patience
  }

  /** Calls `watcher` for each record whose existing derived rows change, also when that is undone. */
  watch(watcher: (seq: number) => void): void {
    this.#watchers.push(watcher)
  }

  /** Data that caches keep with the derived rows of `seq` has changed. */
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

  /** On a nearly full disk: in steps for which a small log is enough, with an empty log before each. */
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

  /** Derives up to `limit` records, and stops after so many bytes; true when more are behind. */
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

  /** The first records of `from`, as many as have `sliceBytes` together, and at least one. */
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

  /** Records have almost no gaps in their numbers, so this is quick, and never too low. */
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
