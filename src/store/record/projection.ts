// Fills what is derived from records (facets, links, text index) behind the writes and before the next read of it.
// Invariant: rows up to `derived_seq` that are not in `stale` are exactly what their records say.
import { utcZone, type Zone } from '../../core/calendar/zone.ts'
import type { Kinds } from '../../core/kind.ts'
import { type DaybookError, isDaybookError } from '../../core/errors.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import type { Settings } from '../schema/settings.ts'
import { DerivedPages, sliceBytes } from './derived-pages.ts'
import { DerivedRows } from './derived-rows.ts'

/** Thrown to a read that would have to do more, before it can answer, than it has the patience for. */
export class FarBehind extends Error {
  /** How many records are behind. */
  readonly records: number
  /** Derives up to `limit` records, fewer where they are large; answers how many, 0 when none is behind. */
  readonly step: (limit: number) => number
  constructor(records: number, step: (limit: number) => number) {
    super(`${records} records are not derived yet.`)
    this.records = records
    this.step = step
  }
}

export interface Projection {
  /** Derives everything that is behind, in transactions of its own. */
  catchUp(): void
  /**
   * Starts `read`, which runs to its first pause at least. If it has to catch up with more than `patience` records by
   * then, or with large ones, it is ended by `FarBehind`.
   */
  startRead<Result>(read: () => Result, patience: number): Result
  /**
   * For after each commit: while more than `limit` records are behind, derives as many as were written since it was last
   * called, and some. So no flood of writes leaves more than that to the first read.
   */
  keepUp(limit: number): void
  /** The same inside the transaction of a write. */
  catchUpWithin(): void
  /** Runs `read` inside the transaction of a write, over all that was written before and in it. */
  readWithin<Result>(read: () => Result): Result
  /** Derives up to `limit` records, fewer where they are large; true when more are behind. For idle time. */
  step(limit: number): boolean
  /** Grows whenever derived rows may have changed. */
  generation(): number
  /** Records above this number have no derived rows yet. */
  derivedSeq(): number
  /** How many records are behind. */
  behind(): number
  /** A record at or below `derived_seq` changed. */
  markStale(seq: number): void
  /** New records exist above `derived_seq`. */
  markGrown(): void
  /** True when something may be left to derive. */
  isBehind(): boolean
  /**
   * The number of the last record, when what is left to derive are new records alone and a read may look at them as they
   * are committed; undefined where it has to derive.
   */
  newest(): number | undefined
  /** Grows with each record that is written, also when that is then undone. */
  writes(): number
  /** How many records the read that runs may derive at once. */
  patience(): number
  /** Tells of each record whose derived rows change that were there before, also when that is then undone. */
  watch(watcher: (seq: number) => void): void
  /** Something beside its derived rows changed that is kept with them in memory. */
  touch(seq: number): void
}

const batch = 2000
/** How many more than were written are derived while too many are behind. */
const keepUpExtra = 100

export interface ProjectionOptions {
  /** Whose days are meant. Default UTC. */
  readonly zone?: Zone | undefined
  /** Nothing can be written, and this is what a read of what is behind ends with. */
  readonly frozen?: (() => DaybookError) | undefined
}

export function createProjection(
  db: SqlDatabase,
  kinds: Kinds,
  settings: Settings,
  { zone = utcZone, frozen }: ProjectionOptions = {},
): Projection {
  // Read afresh each time: a transaction that was undone took its advance with it.
  const derivedSeq = () => settings.getNumber('derived_seq')
  // Starts pessimistic: after an unclean end there may be rows to derive.
  let grown = true
  let stale = true
  /** Marks since the last `keepUp`, and how many may be behind at most. */
  let marks = 0
  let writes = 0
  let lagAtMost = Infinity
  let patience = Infinity
  /** A read inside a transaction runs, for which all is derived. */
  let isWithin = false
  const watchers: ((seq: number) => void)[] = []
  const rowChanged = (seq: number) => {
    for (const watcher of watchers) watcher(seq)
  }

  const derived = new DerivedRows({ db, kinds, zone, onChange: rowChanged })
  const pages = new DerivedPages({ db, settings, derived })
  const run = (limit: number, bytes?: number) => pages.run(limit, stale, bytes)

  /** Where there is hardly any space left: in steps for which the log needs little, and it begins anew before each. */
  const derive = (limit: number, bytes?: number): boolean => {
    for (let size = limit; ;) {
      try {
        return db.transaction(() => run(size, bytes)) || size < limit
      } catch (error) {
        if (size === 1 || !isDaybookError(error, 'storage-full')) throw error
        db.scrub('space')
        size = Math.ceil(size / 10)
      }
    }
  }

  const step = (limit: number, bytes?: number) => {
    if (!stale && !grown) return false
    if (frozen) {
      if (behind() > 0) throw frozen()
      return (stale = grown = false)
    }
    const more = derive(limit, bytes)
    if (!more) stale = grown = false
    return more
  }

  const behind = () => {
    const row = db.get<{ n: number }>(
      'SELECT (SELECT count(*) FROM records WHERE seq > ?) + (SELECT count(*) FROM stale) AS n',
      [derivedSeq()],
    )
    return row?.n ?? 0
  }

  const catchUpWithin = () => {
    // The flags stay up: if the transaction around is undone, so is this.
    if (stale || grown) while (run(batch));
  }

  /** Records are numbered without gaps, or nearly: this is quick, and never too low. */
  const countLag = (): number => {
    if (!stale && !grown) return 0
    const row = db.get<{ n: number }>(
      'SELECT (SELECT ifnull(max(seq), 0) FROM records) - ? + (SELECT count(*) FROM stale) AS n',
      [derivedSeq()],
    )
    return row?.n ?? 0
  }

  const stepInRead = (limit: number): number => {
    const before = pages.records
    step(limit, sliceBytes)
    return pages.records - before
  }

  return {
    step: (limit) => step(limit, sliceBytes),
    catchUp() {
      if (isWithin) return
      if (patience === Infinity) {
        while (step(batch));
        return
      }
      const lag = countLag()
      if (lag > patience || step(patience, sliceBytes)) throw new FarBehind(countLag(), stepInRead)
    },
    startRead(read, most) {
      const before = patience
      patience = most
      try {
        return read()
      } finally {
        patience = before
      }
    },
    keepUp(limit) {
      const written = marks
      marks = 0
      lagAtMost += written
      if (lagAtMost <= limit) return
      lagAtMost = countLag()
      if (lagAtMost > limit) step(written + keepUpExtra)
    },
    catchUpWithin,
    readWithin(read) {
      const before = isWithin
      catchUpWithin()
      isWithin = true
      try {
        return read()
      } finally {
        isWithin = before
      }
    },
    generation: () => pages.generation,
    derivedSeq: () => settings.getNumber('derived_seq'),
    behind,
    markStale(seq) {
      stale = true
      marks += 1
      writes += 1
      if (seq <= derivedSeq()) db.run('INSERT OR IGNORE INTO stale (seq) VALUES (?)', [seq])
      // Who has looked at it before it was derived hears of it now, for deriving it tells nobody.
      else rowChanged(seq)
    },
    markGrown() {
      grown = true
      marks += 1
      writes += 1
    },
    isBehind: () => stale || grown,
    newest() {
      if (isWithin || frozen || db.get('SELECT 1 FROM stale LIMIT 1') !== undefined) return undefined
      return db.get<{ n: number }>('SELECT ifnull(max(seq), 0) AS n FROM records')?.n
    },
    writes: () => writes,
    patience: () => patience,
    watch(watcher) {
      watchers.push(watcher)
    },
    touch: (seq) => rowChanged(seq),
  }
}
