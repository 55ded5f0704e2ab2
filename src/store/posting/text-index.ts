// Keeps postings of the text index in memory: fills them in idle moments, from what the book has kept of them and then
// from its records, follows what the projection changes, and has the archive keep them.
// Invariant: they are read from what is committed and derived, so a rollback never leaves a trace in them. While they are not
// complete, and when they would take too much memory, there is no answer here and FTS5 gives it.
import type { Zone } from '../../core/calendar/zone.ts'
import type { Kinds } from '../../core/kind.ts'
import type { Clock, SqlDatabase } from '../../core/ports.ts'
import { createAheadReader } from './ahead.ts'
import { createDerivedReader } from './derived.ts'
import { type IndexTotals, readTotals } from './index-totals.ts'
import type { PostingArchive } from './posting-archive.ts'
import type { SegmentLimits } from './posting-merge.ts'
import { createPostingSearch, type Scored } from './posting-search.ts'
import { createPostings, type Postings } from './postings.ts'
import { FarBehind, type Projection } from '../record/projection.ts'
import { createTail, type Tail } from './tail.ts'

export interface TextIndexState {
  /** `cold`: FTS5 answers until all records are taken in. `off`: it answers for good. */
  readonly state: 'cold' | 'warm' | 'off'
  readonly records: number
  readonly bytes: number
}

export interface TextIndex {
  /**
   * Takes in up to `limit` records once nothing is left to derive, or a segment of what was kept, or keeps some; true
   * when more is to be done. For idle time: outside of transactions.
   */
  step(limit: number): boolean
  /**
   * For a question that needs no derived rows, or only those of records that are derived: true when it can be answered from
   * here though some records are not derived. Takes them in, if that is less work. With many it ends the read: `FarBehind`.
   */
  covers(): boolean
  /** The best records for any of `terms`, or undefined when FTS5 must be asked. Over an index that is caught up. */
  search(terms: readonly string[], limit: number): Scored[] | undefined
  /** What the index counts over all its rows and over the records here that are not derived. */
  totals(): IndexTotals
  /** In how many records each term is, or undefined when FTS5 must be asked. */
  frequencies(terms: readonly string[]): Map<string, number> | undefined
  /** The postings themselves, or undefined when the database must be asked. */
  warm(): Postings | undefined
  state(): TextIndexState
}

export interface TextIndexBudget {
  readonly records: number
  readonly bytes: number
  /** How they are kept in the book. */
  readonly segments?: SegmentLimits
}

/** What is more takes too long to fill, or too much of a phone's memory. */
const defaultBudget: TextIndexBudget = { records: 1_200_000, bytes: 300_000_000 }
/** This few records are taken in at once by the question that finds them missing. */
const catchUpLimit = 50
/**
 * What was kept is read by the first questions if it is no more than this, and in no more time in all: a reading that is not
 * finished then was waited for in vain. What is more is read in idle moments.
 */
const loadLimit = { bytes: 1_500_000, ms: 150 } as const
/** Taking a record in takes less than half of the time that deriving it does; so many are read at once. */
const aheadTimes = 2
const aheadBatch = 200

export interface TextIndexParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly projection: Projection
  readonly archive: PostingArchive
  readonly clock: Clock
  readonly zone?: Zone | undefined
  readonly budget?: TextIndexBudget | undefined
}

export function createTextIndex(parts: TextIndexParts): TextIndex {
  const { db, kinds, projection, archive, clock, zone, budget = defaultBudget } = parts
  let postings = createPostings(archive.compacted)
  let find = createPostingSearch(postings)
  /** Records up to here are taken in, but for those in `changed`. */
  let cursor = 0
  let off = false
  /** `loading`: segments are left to be read. `unproved`: they are read, and held against the records when all are in. */
  let source: 'loading' | 'unproved' | 'proved' = 'loading'
  const changed = new Set<number>()
  /** How long questions have waited for what was kept. */
  let waitedMs = 0
  const records = createDerivedReader({ db, kinds, zone })
  const reader = createAheadReader({ db, kinds, zone })
  let tail: Tail = createTail(reader, projection)

  projection.watch((seq) => {
    if (!off && seq <= cursor) changed.add(seq)
  })

  /** Starts over from the records; what was kept is not of these postings. */
  const forget = () => {
    archive.abandon()
    postings = createPostings(archive.compacted)
    find = createPostingSearch(postings)
    tail = createTail(reader, projection)
    changed.clear()
    cursor = 0
    source = 'proved'
  }

  /** Reads one piece. */
  const load = () => {
    const state = archive.load(postings)
    if (state === 'damaged') return forget()
    if (state === 'more') return
    cursor = archive.savedSeq()
    for (const seq of archive.stale()) changed.add(seq)
    source = cursor > 0 ? 'unproved' : 'proved'
  }

  /** Called with all records in: as many as there should be? */
  const prove = () => {
    source = 'proved'
    if (db.get<{ n: number }>('SELECT count(*) AS n FROM facets')?.n !== postings.records()) forget()
  }

  const takeChanged = (limit: number) => {
    const seqs = [...changed].slice(0, limit)
    for (const seq of seqs) postings.remove(seq)
    records.takeThese(postings, seqs)
    for (const seq of seqs) changed.delete(seq)
  }

  const takeNew = (upTo: number, limit: number) => {
    cursor = records.takeAfter(postings, cursor, { upTo, limit })
  }

  const isComplete = () =>
    source !== 'loading' &&
    changed.size === 0 &&
    (projection.isBehind() ? tail.isWhole() : cursor === projection.derivedSeq())

  const keepWithinBudget = () => {
    if (postings.records() <= budget.records && postings.sizeBytes() <= budget.bytes) return
    forget()
    off = true
  }

  /** Takes in what is next; true when more waits. */
  const takeSome = (limit: number): boolean => {
    // A record that changed and is not derived yet would be taken in with a text the index doesn't have.
    if (off || projection.isBehind()) return false
    if (source === 'loading') {
      load()
      return true
    }
    const upTo = projection.derivedSeq()
    if (upTo < cursor) forget()
    if (changed.size > 0) takeChanged(limit)
    else if (cursor < upTo) takeNew(upTo, limit)
    if (source === 'unproved' && isComplete()) prove()
    tail.settle()
    keepWithinBudget()
    return !off && (changed.size > 0 || cursor < projection.derivedSeq())
  }

  const step = (limit: number): boolean => {
    archive.tidy()
    const more = takeSome(limit)
    return keep() || more
  }

  /** Keeps what is in memory, once that is proved and nothing in it is out of date. */
  const keep = (): boolean =>
    !off &&
    source === 'proved' &&
    changed.size === 0 &&
    !projection.isBehind() &&
    archive.save(postings, cursor, isComplete())

  /** For a question: reads what was kept, while questions have not waited long enough for that. */
  const loadNow = () => {
    if (archive.sizeBytes() > loadLimit.bytes) return
    for (let now = clock.now(); source === 'loading' && waitedMs < loadLimit.ms;) {
      const began = now
      load()
      now = clock.now()
      waitedMs += Math.max(0, now - began)
    }
  }

  /** True when every record is taken in, if need be now. */
  const isWarm = (): boolean => {
    if (off) return false
    if (projection.isBehind()) return isComplete()
    if (source === 'loading') loadNow()
    if (source === 'loading') return false
    const missing = Math.abs(projection.derivedSeq() - cursor) + changed.size
    if (missing > catchUpLimit) return false
    // New ones, changed ones, and nothing left.
    for (let i = 0; i < 3 && takeSome(catchUpLimit); i++);
    if (source === 'unproved') prove()
    return !off && isComplete()
  }

  /** Takes in some of what is derived and then of what is not; true when more waits and none is in the way. */
  const takeAhead = (limit: number): boolean => {
    if (changed.size > 0) takeChanged(limit)
    else if (cursor < projection.derivedSeq()) takeNew(projection.derivedSeq(), limit)
    else cursor = tail.take(postings, cursor, limit)
    keepWithinBudget()
    return !off && !isComplete() && !tail.isBlocked()
  }

  const covers = (): boolean => {
    if (off || !projection.isBehind()) return false
    if (isComplete()) return true
    if (source === 'loading') loadNow()
    const derived = projection.derivedSeq()
    if (source === 'unproved' && changed.size === 0 && cursor === derived) prove()
    const newest = source === 'proved' && !tail.isBlocked() ? projection.newest() : undefined
    // What was changed before it was derived is not in the text index as it was taken in.
    if (newest === undefined || [...changed].some((seq) => seq > derived)) return false
    const missing = newest - cursor + changed.size
    if (missing > aheadTimes * (newest - derived) + catchUpLimit) return false
    if (missing > aheadTimes * projection.patience())
      throw new FarBehind(missing, (limit) => (takeAhead(limit) ? limit : 0))
    while (takeAhead(aheadBatch));
    return isComplete()
  }

  const totals = () => tail.totals(readTotals(db))

  return {
    step,
    covers,
    totals,
    search(terms, limit) {
      if (!isWarm()) return undefined
      return find(terms, totals(), limit)
    },
    frequencies: (terms) =>
      isWarm() ? new Map(terms.map((term) => [term, postings.frequency(term)])) : undefined,
    warm: () => (isWarm() ? postings : undefined),
    state() {
      const bytes = off ? 0 : postings.sizeBytes()
      return { state: off ? 'off' : isComplete() ? 'warm' : 'cold', records: postings.records(), bytes }
    },
  }
}
