// Keeps the text index in memory: loads it in idle moments from its segments and then from the records, follows the
// projection, and has the archive save it.
// Invariant: postings are read from committed, derived rows, so a rollback leaves no trace in them. While they are
// incomplete, or would take too much memory, this returns undefined and FTS5 answers.
import type { Zone } from '../../core/zone.ts'
import type { Kinds } from '../../core/kind.ts'
import type { Clock, SqlDatabase } from '../../core/ports.ts'
import { FarBehind, type Projection } from '../record/projection.ts'
import { type IndexTotals, readTotals } from './fts-index.ts'
import type { PostingArchive } from './posting-archive.ts'
import type { SegmentLimits } from './posting-merge.ts'
import { createPostingSearch, type Scored } from './posting-search.ts'
import { Postings } from './postings.ts'
import { DerivedReader, PostingDelta } from './record-reader.ts'

export interface TextIndexState {
  /** `cold`: FTS5 answers until all records are read. `off`: it always answers. */
  readonly state: 'cold' | 'warm' | 'off'
  readonly records: number
  readonly bytes: number
}

export interface TextIndexBudget {
  readonly records: number
  readonly bytes: number
  /** Sizes of stored segments. */
  readonly segments?: SegmentLimits
}

/** More takes too long to load, or too much of a phone's memory. */
const defaultBudget: TextIndexBudget = { records: 1_200_000, bytes: 300_000_000 }
/** A question itself reads at most this many missing records. */
const catchUpLimit = 50
/**
 * Questions load segments of at most this many bytes, and spend at most this much time on it in total. Larger ones are loaded
 * in idle moments.
 */
const loadLimit = { bytes: 1_500_000, ms: 150 } as const
/** Reading a record into the delta takes less than half the time of deriving it. */
const deltaTimes = 2
const deltaBatch = 200

export interface TextIndexParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly projection: Projection
  readonly archive: PostingArchive
  readonly clock: Clock
  readonly zone?: Zone | undefined
  readonly budget?: TextIndexBudget | undefined
}

export class TextIndex {
  readonly #parts: TextIndexParts
  readonly #projection: Projection
  readonly #archive: PostingArchive
  readonly #budget: TextIndexBudget
  readonly #derived: DerivedReader
  #delta!: PostingDelta
  #postings!: Postings
  #search!: ReturnType<typeof createPostingSearch>
  /** Records up to here are in the postings, except those in `#changed`. */
  #cursor = 0
  readonly #changed = new Set<number>()
  #off = false
  /** `loading`: from segments. `unchecked`: loaded, the count of records not compared yet. */
  #source: 'loading' | 'unchecked' | 'checked' = 'loading'
  /** Time that questions have spent on loading. */
  #waitedMs = 0

  constructor(parts: TextIndexParts) {
    const { db, kinds, zone, projection, archive, budget = defaultBudget } = parts
    this.#parts = parts
    this.#projection = projection
    this.#archive = archive
    this.#budget = budget
    this.#derived = new DerivedReader({ db, kinds, zone })
    this.#clear()
    projection.watch((seq) => {
      if (!this.#off && seq <= this.#cursor) this.#changed.add(seq)
    })
  }

  /**
   * Reads up to `limit` derived records, or loads a piece of a segment, or saves one; true when more work waits. For idle
   * moments, outside of transactions.
   */
  step(limit: number): boolean {
    this.#archive.tidy()
    const more = this.#readSome(limit)
    return this.#save() || more
  }

  /**
   * True when a question that needs no derived rows, or those of derived records only, can be answered here although some
   * records aren't derived. Reads them if that is less work; of many it throws `FarBehind`.
   */
  covers(): boolean {
    const projection = this.#projection
    if (this.#off || !projection.isBehind()) return false
    if (this.#isComplete()) return true
    if (this.#source === 'loading') this.#loadNow()
    const derived = projection.derivedSeq()
    if (this.#source === 'unchecked' && this.#changed.size === 0 && this.#cursor === derived) this.#check()
    const newest = this.#source === 'checked' && !this.#delta.isBlocked() ? projection.newest() : undefined
    // The text index doesn't have a record that changed before it was derived.
    if (newest === undefined || [...this.#changed].some((seq) => seq > derived)) return false
    const missing = newest - this.#cursor + this.#changed.size
    if (missing > deltaTimes * (newest - derived) + catchUpLimit) return false
    if (missing > deltaTimes * projection.patience())
      throw new FarBehind(missing, (limit) => (this.#readAhead(limit) ? limit : 0))
    while (this.#readAhead(deltaBatch));
    return this.#isComplete()
  }

  /** The best records for any of `terms`, or undefined. The projection has caught up. */
  search(terms: readonly string[], limit: number): Scored[] | undefined {
    return this.#isWarm() ? this.#search(terms, this.totals(), limit) : undefined
  }

  /** Totals of the text index and of the delta. */
  totals(): IndexTotals {
    return this.#delta.totals(readTotals(this.#parts.db))
  }

  /** How many records have each term, or undefined. */
  frequencies(terms: readonly string[]): Map<string, number> | undefined {
    if (!this.#isWarm()) return undefined
    return new Map(terms.map((term) => [term, this.#postings.frequency(term)]))
  }

  /** The postings, or undefined. */
  warm(): Postings | undefined {
    return this.#isWarm() ? this.#postings : undefined
  }

  state(): TextIndexState {
    const bytes = this.#off ? 0 : this.#postings.sizeBytes()
    const state = this.#off ? 'off' : this.#isComplete() ? 'warm' : 'cold'
    return { state, records: this.#postings.records(), bytes }
  }

  #clear(): void {
    const { db, kinds, zone } = this.#parts
    this.#postings = new Postings(this.#archive.onCompact)
    this.#search = createPostingSearch(this.#postings)
    this.#delta = new PostingDelta({ db, kinds, zone }, this.#projection)
    this.#changed.clear()
    this.#cursor = 0
  }

  /** Starts over from the records; the segments don't match these postings. */
  #restart(): void {
    this.#archive.abandon()
    this.#clear()
    this.#source = 'checked'
  }

  /** Loads one piece. */
  #load(): void {
    const state = this.#archive.load(this.#postings)
    if (state === 'damaged') return this.#restart()
    if (state === 'more') return
    this.#cursor = this.#archive.savedSeq()
    for (const seq of this.#archive.stale()) this.#changed.add(seq)
    this.#source = this.#cursor > 0 ? 'unchecked' : 'checked'
  }

  /** For a question: loads segments while the time for that lasts. */
  #loadNow(): void {
    if (this.#archive.sizeBytes() > loadLimit.bytes) return
    const { clock } = this.#parts
    for (let now = clock.now(); this.#source === 'loading' && this.#waitedMs < loadLimit.ms;) {
      const began = now
      this.#load()
      now = clock.now()
      this.#waitedMs += Math.max(0, now - began)
    }
  }

  /** Compares the number of records, once all are read. */
  #check(): void {
    this.#source = 'checked'
    const row = this.#parts.db.get<{ n: number }>('SELECT count(*) AS n FROM facets')
    if (row?.n !== this.#postings.records()) this.#restart()
  }

  #readChanged(limit: number): void {
    const seqs = [...this.#changed].slice(0, limit)
    for (const seq of seqs) this.#postings.remove(seq)
    this.#derived.add(this.#postings, seqs)
    for (const seq of seqs) this.#changed.delete(seq)
  }

  #readNew(limit: number): void {
    const upTo = this.#projection.derivedSeq()
    this.#cursor = this.#derived.addAfter(this.#postings, this.#cursor, { upTo, limit })
  }

  #isComplete(): boolean {
    if (this.#source === 'loading' || this.#changed.size > 0) return false
    const projection = this.#projection
    return projection.isBehind() ? this.#delta.isComplete() : this.#cursor === projection.derivedSeq()
  }

  #keepWithinBudget(): void {
    const { records, bytes } = this.#budget
    if (this.#postings.records() <= records && this.#postings.sizeBytes() <= bytes) return
    this.#restart()
    this.#off = true
  }

  /** Reads the next piece; true when more waits. */
  #readSome(limit: number): boolean {
    const projection = this.#projection
    // A changed record that isn't derived yet would be read with a text that the index doesn't have.
    if (this.#off || projection.isBehind()) return false
    if (this.#source === 'loading') {
      this.#load()
      return true
    }
    if (projection.derivedSeq() < this.#cursor) this.#restart()
    if (this.#changed.size > 0) this.#readChanged(limit)
    else if (this.#cursor < projection.derivedSeq()) this.#readNew(limit)
    if (this.#source === 'unchecked' && this.#isComplete()) this.#check()
    this.#delta.prune()
    this.#keepWithinBudget()
    return !this.#off && (this.#changed.size > 0 || this.#cursor < projection.derivedSeq())
  }

  /** Saves postings that are checked and up to date; true when more waits. */
  #save(): boolean {
    return (
      !this.#off &&
      this.#source === 'checked' &&
      this.#changed.size === 0 &&
      !this.#projection.isBehind() &&
      this.#archive.save(this.#postings, this.#cursor, this.#isComplete())
    )
  }

  /** True when all records are read, if necessary now. */
  #isWarm(): boolean {
    if (this.#off) return false
    const projection = this.#projection
    if (projection.isBehind()) return this.#isComplete()
    if (this.#source === 'loading') this.#loadNow()
    if (this.#source === 'loading') return false
    const missing = Math.abs(projection.derivedSeq() - this.#cursor) + this.#changed.size
    if (missing > catchUpLimit) return false
    // At most three rounds: new records, changed records, and an empty one.
    for (let i = 0; i < 3 && this.#readSome(catchUpLimit); i++);
    if (this.#source === 'unchecked') this.#check()
    return !this.#off && this.#isComplete()
  }

  /** Reads derived records, then others; true when more waits and none blocks. */
  #readAhead(limit: number): boolean {
    if (this.#changed.size > 0) this.#readChanged(limit)
    else if (this.#cursor < this.#projection.derivedSeq()) this.#readNew(limit)
    else this.#cursor = this.#delta.add(this.#postings, this.#cursor, limit)
    this.#keepWithinBudget()
    return !this.#off && !this.#isComplete() && !this.#delta.isBlocked()
  }
}
