// A text index in memory for the records in one guest's reach: like that of a book with these records only.
// Invariant: the time of a question does not depend on records out of reach.
import type { Zone } from '../../core/zone.ts'
import type { Kinds } from '../../core/kind.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { joinConditions } from '../condition/condition.ts'
import type { IndexTotals } from '../posting/fts-index.ts'
import { renumberedPostings } from '../posting/posting-list.ts'
import { createPostingSearch, type ScoredRecord } from '../posting/posting-search.ts'
import { Postings } from '../posting/postings.ts'
import { DerivedReader } from '../posting/record-reader.ts'
import type { TextIndex } from '../posting/text-index.ts'
import { ProjectionBehindError, type Projection } from '../record/projection.ts'
import type { Fragment } from '../schema/column.ts'

/** The port of a text index in memory. */
export type WordIndex = Pick<
  TextIndex,
  'isUpToDate' | 'search' | 'totals' | 'frequencies' | 'completePostings'
>

export interface ReachIndexes {
  /** The index of the records that satisfy all of `bounds`. It fills when it is first used. */
  forBounds(bounds: readonly Fragment[]): WordIndex
}

/** Memory for the indexes of all guests together, in bytes. FTS5 answers for a reach that is larger. */
const maxBytes = { device: 150_000_000, mirror: 32_000_000 } as const

export interface ReachIndexDeps {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly projection: Projection
  readonly zone?: Zone | undefined
  /** The text index of all records: to copy from it is faster than to tokenize. */
  readonly bookIndex?: TextIndex | undefined
  /** Selects the limit of memory. */
  readonly role: keyof typeof maxBytes
}

export function createReachIndexes(deps: ReachIndexDeps): ReachIndexes {
  /** Indexes by their bounds, the last used one last. */
  const indexes = new Map<string, ReachIndex>()
  /** Bounds whose index alone exceeds the budget. */
  const tooLarge = new Set<string>()
  deps.projection.watch((seq) => {
    for (const index of indexes.values()) index.markChanged(seq)
  })

  const dropBeyondBudget = (latest: string) => {
    let bytes = [...indexes.values()].reduce((sum, index) => sum + index.sizeBytes(), 0)
    for (const [key, index] of indexes) {
      if (bytes <= maxBytes[deps.role]) return
      indexes.delete(key)
      bytes -= index.sizeBytes()
      if (key === latest) tooLarge.add(key)
    }
  }

  return {
    forBounds(bounds) {
      const key = JSON.stringify(bounds)
      const completeIndex = (): ReachIndex | undefined => {
        if (tooLarge.has(key)) return undefined
        const index = indexes.get(key) ?? new ReachIndex(deps, bounds)
        indexes.delete(key)
        indexes.set(key, index)
        if (!index.catchUp()) return undefined
        dropBeyondBudget(key)
        return indexes.get(key)
      }
      return {
        // The bounds need derived rows, so the projection must catch up first.
        isUpToDate: () => false,
        completePostings: () => completeIndex()?.catchUp(),
        totals: () => completeIndex()?.totals() ?? { rows: 0, terms: 0 },
        search: (terms, limit) => completeIndex()?.search(terms, limit),
        frequencies: (terms) => completeIndex()?.frequencies(terms),
      }
    },
  }
}

/** Most records read in one step. */
const stepSize = 500
/** A larger reach waits for the book's index. */
const maxOwnReads = 2000

class ReachIndex {
  readonly #deps: ReachIndexDeps
  readonly #bounds: readonly Fragment[]
  readonly #derived: DerivedReader
  #postings = new Postings()
  #search = createPostingSearch(this.#postings)
  /** Records up to this number are in the postings, except those in `#unread` and `#changed`. */
  #cursor = 0
  /** Records of a new index that are not read yet, the next one last. */
  #unread: number[] = []
  readonly #changed = new Set<number>()
  /** A cache of `totals()`, cleared by each change. */
  #totals: IndexTotals | undefined

  constructor(deps: ReachIndexDeps, bounds: readonly Fragment[]) {
    const { db, kinds, zone } = deps
    this.#deps = deps
    this.#bounds = bounds
    this.#derived = new DerivedReader({ db, kinds, zone }, bounds)
  }

  /** The postings, after all missing records are read; undefined while the projection is behind. */
  catchUp(): Postings | undefined {
    const { projection } = this.#deps
    if (projection.isBehind()) return undefined
    // A new index, or one that is ahead after a rollback.
    if (projection.derivedSeq() < this.#cursor || (this.#cursor === 0 && projection.derivedSeq() > 0))
      this.#begin()
    if (this.#changed.size > 0)
      this.#markDependents('SELECT value AS seq FROM json_each(?)', [JSON.stringify([...this.#changed])])
    const missing = projection.derivedSeq() - this.#cursor + this.#unread.length + this.#changed.size
    if (missing > projection.patience())
      // The function returns about how many records it read; 0 when no more wait.
      throw new ProjectionBehindError(missing, (limit) => (this.#step(limit) ? limit : 0))
    while (this.#step(stepSize));
    return this.#postings
  }

  totals(): IndexTotals {
    const postings = this.#postings
    this.#totals ??= {
      rows: postings.recordCount(),
      terms: postings
        .sizes()
        .subarray(0, postings.documentCount())
        .reduce((sum, size) => sum + size, 0),
    }
    return this.#totals
  }

  search(terms: readonly string[], limit: number): ScoredRecord[] {
    return this.#postings.recordCount() === 0 ? [] : this.#search(terms, this.totals(), limit)
  }

  frequencies(terms: readonly string[]): Map<string, number> {
    return new Map(terms.map((term) => [term, this.#postings.frequency(term)]))
  }

  sizeBytes(): number {
    return this.#postings.sizeBytes()
  }

  markChanged(seq: number): void {
    if (seq <= this.#cursor) this.#changed.add(seq)
  }

  /**
   * Copies the postings of the book's index. While that is incomplete, lists what is in reach, to read it in steps: each
   * step would else sort the whole reach again. For a large reach, completes the index first, which is many times faster.
   */
  #begin(): void {
    const { db, bookIndex, projection } = this.#deps
    const { condition, params, recordsJoin } = joinConditions(this.#bounds)
    const rows = db.all<{ seq: number }>(
      `SELECT f.seq FROM facets f ${recordsJoin} WHERE ${condition} ORDER BY f.seq DESC`,
      params,
    )
    const seqs = rows.map(({ seq }) => seq)
    if (seqs.length > maxOwnReads && bookIndex?.state().state === 'cold') this.#complete(bookIndex)
    const bookPostings = bookIndex?.completePostings()
    this.#postings = bookPostings ? copyDocuments(bookPostings, new Set(seqs)) : new Postings()
    this.#search = createPostingSearch(this.#postings)
    this.#unread = bookPostings ? [] : seqs
    this.#cursor = projection.derivedSeq()
    this.#changed.clear()
    this.#totals = undefined
  }

  #complete(bookIndex: TextIndex): void {
    const { projection } = this.#deps
    const missing = projection.derivedSeq()
    if (missing > projection.patience())
      throw new ProjectionBehindError(missing, (limit) => (bookIndex.readOn(limit) ? limit : 0))
    while (bookIndex.readOn(stepSize));
  }

  /** Marks the records that were made from the selected ones: their reach may have changed. */
  #markDependents(from: string, params: readonly (string | number)[]): void {
    const rows = this.#deps.db.all<{ seq: number }>(
      `WITH RECURSIVE down (seq) AS (${from} UNION SELECT s.seq FROM down
         JOIN records r ON r.seq = down.seq JOIN sources s ON s.source = r.id) SELECT seq FROM down`,
      params,
    )
    for (const { seq } of rows) this.markChanged(seq)
  }

  #readChanged(limit: number): void {
    const seqs = [...this.#changed].slice(0, limit)
    for (const seq of seqs) this.#postings.remove(seq)
    this.#readSeqs(seqs)
    for (const seq of seqs) this.#changed.delete(seq)
  }

  #readSeqs(seqs: readonly number[]): void {
    this.#totals = undefined
    this.#derived.readInto(this.#postings, seqs)
  }

  /** Reads up to `limit` missing records; true when more wait. */
  #step(limit: number): boolean {
    const { projection } = this.#deps
    // Wait until the projection has caught up: the open transaction may still be undone.
    if (projection.isBehind()) return false
    const upTo = projection.derivedSeq()
    if (upTo < this.#cursor) this.#begin()
    if (this.#unread.length > 0) this.#readSeqs(this.#unread.splice(-limit).toReversed())
    else if (this.#changed.size > 0) this.#readChanged(limit)
    else if (this.#cursor < upTo) {
      const to = Math.min(upTo, this.#cursor + limit)
      this.#totals = undefined
      this.#markDependents('SELECT seq FROM records WHERE seq > ? AND seq <= ?', [this.#cursor, to])
      this.#derived.readRangeInto(this.#postings, this.#cursor, { upTo: to, limit })
      this.#cursor = to
    }
    return this.#unread.length > 0 || this.#changed.size > 0 || this.#cursor < projection.derivedSeq()
  }
}

/** A copy of `bookPostings` with only the documents of `seqs`. */
function copyDocuments(bookPostings: Postings, seqs: ReadonlySet<number>): Postings {
  const copy = new Postings()
  const sizes = bookPostings.sizes()
  const { sessions } = bookPostings
  const newNumbers = new Int32Array(bookPostings.documentCount()).fill(-1)
  for (let document = 0; document < newNumbers.length; document++) {
    const size = sizes[document] as number
    const seq = bookPostings.seqOf(document)
    if (size === 0 || !seqs.has(seq)) continue
    newNumbers[document] = copy.documentCount()
    const session = sessions.sessionOf(document)
    copy.append(seq, size, {
      session: session === 0 ? undefined : sessions.nameOf(session),
      happenedAtMs: sessions.timeOf(document),
      isPlain: bookPostings.isPlain(document),
      isLight: bookPostings.isLight(document),
    })
  }
  for (const term of bookPostings.terms()) {
    const list = bookPostings.list(term)
    const copiedList = list && renumberedPostings(list, newNumbers)
    if (copiedList && copiedList.liveCount > 0) copy.setList(term, copiedList)
  }
  return copy
}
