// The text index in memory: loads its postings in idle time, first from segments and then from the records, follows
// the projection, and saves new postings in the archive. While it is incomplete, or would exceed its budget, its
// answers are undefined and FTS5 answers.
// Invariant: postings are read from committed rows, so a rollback leaves nothing in them.
import type { Zone } from '../../core/zone.ts'
import type { Kinds } from '../../core/kind.ts'
import type { Clock, SqlDatabase } from '../../core/ports.ts'
import { ProjectionBehindError, type Projection } from '../record/projection.ts'
import { type IndexTotals, readIndexTotals } from './fts-index.ts'
import type { PostingArchive } from './posting-archive.ts'
import type { SegmentLimits } from './posting-merge.ts'
import { createPostingSearch, type ScoredRecord } from './posting-search.ts'
import { Postings } from './postings.ts'
import { DerivedReader, PostingDelta } from './record-reader.ts'

export interface TextIndexState {
  /**
   * `cold`: FTS5 answers until all records are read. `warm`: the postings answer. `off`: too large, FTS5 always
   * answers.
   */
  readonly state: 'cold' | 'warm' | 'off'
  /** Records in the postings, and the memory of the postings. */
  readonly records: number
  readonly bytes: number
}

/** The text index turns off when it exceeds one of these. */
export interface TextIndexBudget {
  readonly records: number
  readonly bytes: number
  /** Sizes of stored segments. Default: `segmentLimits`. */
  readonly segments?: SegmentLimits
}

/** A larger index takes too long to load, or too much memory of a phone. */
const defaultBudget: TextIndexBudget = { records: 1_200_000, bytes: 300_000_000 }
/** A question reads at most this many missing records; idle time reads more. */
const maxCatchUp = 50
/**
 * Questions load segments only when these have at most `bytes` bytes in total, and spend at most `ms` milliseconds
 * on it, all questions together. Otherwise idle time loads the segments.
 */
const maxQuestionLoad = { bytes: 1_500_000, ms: 150 } as const
/**
 * A question may read this many times as many records into the delta (records that are not derived yet, see
 * `PostingDelta`) as it would otherwise derive: reading is faster.
 */
const deltaFactor = 2
/** Most records that are read into the delta at once. */
const deltaBatch = 200

export interface TextIndexDeps {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly projection: Projection
  readonly archive: PostingArchive
  readonly clock: Clock
  /** The time zone of dates without a time. Default UTC. */
  readonly zone?: Zone | undefined
  /** Default: `defaultBudget`. */
  readonly budget?: TextIndexBudget | undefined
}

export class TextIndex {
  readonly #deps: TextIndexDeps
  readonly #projection: Projection
  readonly #archive: PostingArchive
  readonly #budget: TextIndexBudget
  readonly #derived: DerivedReader
  #delta!: PostingDelta
  #postings!: Postings
  #search!: ReturnType<typeof createPostingSearch>
  /** Records up to this number are in the postings, except those in `#changed`. */
  #cursor = 0
  readonly #changed = new Set<number>()
  /** True once the budget was exceeded: no question turns the index on again. */
  #isOff = false
  /**
   * `loading`: segments are not loaded yet. `unchecked`: loaded, but their number of records is not compared with the
   * book yet. `checked`: it was equal, or the postings were read from the records.
   */
  #source: 'loading' | 'unchecked' | 'checked' = 'loading'
  /** Milliseconds that questions have spent on loading. */
  #questionLoadMs = 0

  constructor(deps: TextIndexDeps) {
    const { db, kinds, zone, projection, archive, budget = defaultBudget } = deps
    this.#deps = deps
    this.#projection = projection
    this.#archive = archive
    this.#budget = budget
    this.#derived = new DerivedReader({ db, kinds, zone })
    this.#clear()
    projection.watch((seq) => {
      if (!this.#isOff && seq <= this.#cursor) this.#changed.add(seq)
    })
  }

  /**
   * Reads up to `limit` derived records or loads a piece of a segment, and saves new postings; true when more work
   * waits. Call it in idle time, outside of transactions.
   */
  step(limit: number): boolean {
    this.#archive.dropAbandoned()
    const hasMore = this.#readNext(limit)
    return this.#save() || hasMore
  }

  /** Like `step`, but saves nothing: a read may call it. */
  readOn(limit: number): boolean {
    return this.#readNext(limit)
  }

  /**
   * True when the projection is behind, but the postings include all records. Then a question need not wait,
   * if it needs only derived rows that exist. Reads missing records when that is less work than to derive
   * them. Throws `ProjectionBehindError` when they are more than the patience of the read allows.
   */
  isUpToDate(): boolean {
    const projection = this.#projection
    if (this.#isOff || !projection.isBehind()) return false
    if (this.#isComplete()) return true
    if (this.#source === 'loading') this.#loadForQuestion()
    const derived = projection.derivedSeq()
    if (this.#source === 'unchecked' && this.#changed.size === 0 && this.#cursor === derived)
      this.#compareCount()
    const newest =
      this.#source === 'checked' && !this.#delta.isBlocked() ? projection.newestIfOnlyNewLag() : undefined
    // A record that changed before it was derived is not in the text index: the delta can't read it.
    if (newest === undefined || [...this.#changed].some((seq) => seq > derived)) return false
    const missing = newest - this.#cursor + this.#changed.size
    if (missing > deltaFactor * (newest - derived) + maxCatchUp) return false
    if (missing > deltaFactor * projection.patience())
      throw new ProjectionBehindError(missing, (limit) => (this.#readAhead(limit) ? limit : 0))
    while (this.#readAhead(deltaBatch));
    return this.#isComplete()
  }

  /** The best records for any of `terms`; undefined while incomplete. Call it when the projection has caught up. */
  search(terms: readonly string[], limit: number): ScoredRecord[] | undefined {
    return this.#canAnswer() ? this.#search(terms, this.totals(), limit) : undefined
  }

  /** Totals of FTS5's index plus those of the delta. */
  totals(): IndexTotals {
    return this.#delta.totals(readIndexTotals(this.#deps.db))
  }

  /** How many records have each term; undefined while incomplete. */
  frequencies(terms: readonly string[]): Map<string, number> | undefined {
    if (!this.#canAnswer()) return undefined
    return new Map(terms.map((term) => [term, this.#postings.frequency(term)]))
  }

  /** The postings; undefined while incomplete. */
  completePostings(): Postings | undefined {
    return this.#canAnswer() ? this.#postings : undefined
  }

  state(): TextIndexState {
    const bytes = this.#isOff ? 0 : this.#postings.sizeBytes()
    const state = this.#isOff ? 'off' : this.#isComplete() ? 'warm' : 'cold'
    return { state, records: this.#postings.recordCount(), bytes }
  }

  #clear(): void {
    const { db, kinds, zone } = this.#deps
    this.#postings = new Postings(this.#archive.onCompact)
    this.#search = createPostingSearch(this.#postings)
    this.#delta = new PostingDelta({ db, kinds, zone }, this.#projection)
    this.#changed.clear()
    this.#cursor = 0
  }

  /** Starts over from the records, and abandons the segments, which don't match. */
  #restart(): void {
    this.#archive.abandon()
    this.#clear()
    this.#source = 'checked'
  }

  /** Loads the next piece of the segments. */
  #loadNext(): void {
    const state = this.#archive.load(this.#postings)
    if (state === 'damaged') return this.#restart()
    if (state === 'more') return
    this.#cursor = this.#archive.savedSeq()
    for (const seq of this.#archive.staleSeqs()) this.#changed.add(seq)
    this.#source = this.#cursor > 0 ? 'unchecked' : 'checked'
  }

  /** Loads segments for a question, within `maxQuestionLoad`. */
  #loadForQuestion(): void {
    if (this.#archive.sizeBytes() > maxQuestionLoad.bytes) return
    const { clock } = this.#deps
    for (let nowMs = clock.now(); this.#source === 'loading' && this.#questionLoadMs < maxQuestionLoad.ms;) {
      const startedMs = nowMs
      this.#loadNext()
      nowMs = clock.now()
      this.#questionLoadMs += Math.max(0, nowMs - startedMs)
    }
  }

  /** Compares the number of records, when all are read, and starts over when it differs. */
  #compareCount(): void {
    this.#source = 'checked'
    const row = this.#deps.db.get<{ n: number }>('SELECT count(*) AS n FROM facets')
    if (row?.n !== this.#postings.recordCount()) this.#restart()
  }

  #readChanged(limit: number): void {
    const seqs = [...this.#changed].slice(0, limit)
    for (const seq of seqs) this.#postings.remove(seq)
    this.#derived.readInto(this.#postings, seqs)
    for (const seq of seqs) this.#changed.delete(seq)
  }

  #readNew(limit: number): void {
    const upTo = this.#projection.derivedSeq()
    this.#cursor = this.#derived.readRangeInto(this.#postings, this.#cursor, { upTo, limit })
  }

  /** True when the postings have all written records. */
  #isComplete(): boolean {
    if (this.#source === 'loading' || this.#changed.size > 0) return false
    const projection = this.#projection
    return projection.isBehind() ? this.#delta.isComplete() : this.#cursor === projection.derivedSeq()
  }

  #turnOffBeyondBudget(): void {
    const { records, bytes } = this.#budget
    if (this.#postings.recordCount() <= records && this.#postings.sizeBytes() <= bytes) return
    // Frees the memory.
    this.#restart()
    this.#isOff = true
  }

  /** Reads the next piece; true when more work waits. */
  #readNext(limit: number): boolean {
    const projection = this.#projection
    // Wait for the projection: a changed record would be read with a text that FTS5 does not have yet.
    if (this.#isOff || projection.isBehind()) return false
    if (this.#source === 'loading') {
      this.#loadNext()
      return true
    }
    if (projection.derivedSeq() < this.#cursor) this.#restart()
    if (this.#changed.size > 0) this.#readChanged(limit)
    else if (this.#cursor < projection.derivedSeq()) this.#readNew(limit)
    if (this.#source === 'unchecked' && this.#isComplete()) this.#compareCount()
    this.#delta.prune()
    this.#turnOffBeyondBudget()
    return !this.#isOff && (this.#changed.size > 0 || this.#cursor < projection.derivedSeq())
  }

  /** Saves a piece of the postings, if they are checked and up to date; true when more work waits. */
  #save(): boolean {
    return (
      !this.#isOff &&
      this.#source === 'checked' &&
      this.#changed.size === 0 &&
      !this.#projection.isBehind() &&
      this.#archive.save(this.#postings, this.#cursor, this.#isComplete())
    )
  }

  /** True when all records are in the postings. Reads up to `maxCatchUp` missing ones first. */
  #canAnswer(): boolean {
    if (this.#isOff) return false
    const projection = this.#projection
    if (projection.isBehind()) return this.#isComplete()
    if (this.#source === 'loading') this.#loadForQuestion()
    if (this.#source === 'loading') return false
    const missing = Math.abs(projection.derivedSeq() - this.#cursor) + this.#changed.size
    if (missing > maxCatchUp) return false
    // Three rounds are enough: changed records, new records, and one that finds nothing.
    for (let i = 0; i < 3 && this.#readNext(maxCatchUp); i++);
    if (this.#source === 'unchecked') this.#compareCount()
    return !this.#isOff && this.#isComplete()
  }

  /** Reads derived records, then others into the delta; true when more wait and no record blocks the delta. */
  #readAhead(limit: number): boolean {
    if (this.#changed.size > 0) this.#readChanged(limit)
    else if (this.#cursor < this.#projection.derivedSeq()) this.#readNew(limit)
    else this.#cursor = this.#delta.readInto(this.#postings, this.#cursor, limit)
    this.#turnOffBeyondBudget()
    return !this.#isOff && !this.#isComplete() && !this.#delta.isBlocked()
  }
}
