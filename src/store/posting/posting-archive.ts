// Stores the postings in the book, so that a reopened book need not rebuild them from its records: in segments, each
// a run of documents. Small segments are merged. This is derived data: in doubt it is dropped.
// Invariant: the transaction that writes a segment stores the last record that the segments cover (`savedSeq`). The
// transaction that changes such a record later marks it as stale.
import type { SqlDatabase } from '../../core/ports.ts'
import type { Projection } from '../record/projection.ts'
import type { Settings } from '../schema/settings.ts'
import { mergeCount, segmentLimits } from './posting-merge.ts'
import { openSegment, type SegmentReader, writeSegment } from './posting-segment.ts'
import type { OnCompact, Postings } from './postings.ts'
import { decodeSeqs, SegmentTable } from './segment-table.ts'

interface Segment {
  /** Its number in the database. Segments are in ascending order, which is the order of their documents. */
  readonly n: number
  /** Its documents in memory are from `from` up to, not including, `to`. */
  from: number
  to: number
  /** How many documents it stores, also those that were removed since. */
  readonly documents: number
}

/** Loads all segments; pauses after each piece. */
type SegmentLoad = Generator<undefined, 'done' | 'damaged'>

/** Marks changed records as stale even when no postings are in memory. */
export class PostingArchive {
  readonly #db: SqlDatabase
  readonly #projection: Projection
  readonly #limits: typeof segmentLimits
  readonly #table: SegmentTable
  #segments: Segment[] = []
  #savedSeq = 0
  #sizeBytes = 0
  /** How many changes of saved records happened since the last save. */
  #changeCount = 0
  #isAbandoned = false
  #loading: SegmentLoad | undefined
  /** True when segments were dropped during a load: the postings are incomplete. */
  #isIncomplete = false

  constructor(db: SqlDatabase, projection: Projection, settings: Settings, limits = segmentLimits) {
    this.#db = db
    this.#projection = projection
    this.#limits = limits
    this.#table = new SegmentTable(db, settings)
    this.#readSizes()
    projection.watch((seq) => {
      if (seq > this.#savedSeq) return
      this.#changeCount += 1
      this.#table.markStale(seq)
    })
  }

  /** Bytes of the segments. */
  sizeBytes(): number {
    return this.#isAbandoned ? 0 : this.#sizeBytes
  }

  /** The segments cover all records up to this number, except `staleSeqs()`. */
  savedSeq(): number {
    return this.#savedSeq
  }

  staleSeqs(): number[] {
    return this.#table.staleSeqs()
  }

  /**
   * Loads the next piece into `postings`, which must contain the earlier pieces and nothing else. Takes a few
   * milliseconds. `more`: another piece follows. `damaged`: the caller must drop `postings` and segments.
   */
  load(postings: Postings): 'more' | 'done' | 'damaged' {
    if (this.#isIncomplete || this.#savedSeq > this.#projection.derivedSeq()) return 'damaged'
    this.#loading ??= this.#loadAll(postings)
    const next = this.#loading.next()
    if (!next.done) return 'more'
    this.#loading = undefined
    return next.value
  }

  /**
   * Saves some unsaved postings, or merges segments: one short piece of work, in its own transaction. True when more
   * work may wait. `seq`: `postings` are complete up to this record. `isLastRecord`: no record follows; otherwise
   * only full segments are saved.
   */
  save(postings: Postings, seq: number, isLastRecord: boolean): boolean {
    if (this.#isAbandoned) this.drop()
    const { minNewDocuments, maxNewDocuments } = this.#limits
    const unsaved = postings.documentCount() - this.#firstUnsaved()
    if (unsaved + this.#changeCount >= (isLastRecord ? minNewDocuments : maxNewDocuments)) {
      this.#saveNext(postings, seq)
      return true
    }
    const storedDocuments = this.#segments.reduce((sum, { documents }) => sum + documents, 0)
    // Most stored documents are out of date: drop all and write them again.
    if (storedDocuments > 2 * postings.recordCount() + maxNewDocuments) {
      this.drop()
      return true
    }
    return this.#merge(postings)
  }

  /** Call it after a compaction of the postings: renumbers the documents of the segments. */
  readonly onCompact: OnCompact = (newNumbers, count) => renumber(this.#segments, newNumbers, count)

  /** Call it when the segments don't match the postings in memory: the next `save` or `dropAbandoned` drops them. */
  abandon(): void {
    this.#isAbandoned = true
    this.#isIncomplete = false
    this.#loading = undefined
    this.#segments = []
  }

  /** Drops abandoned segments. */
  dropAbandoned(): void {
    if (this.#isAbandoned) this.drop()
  }

  /** Drops all segments. A scrub clears them from the files. */
  drop(): void {
    this.#db.transaction(() => this.#table.drop())
    this.#isIncomplete = this.#loading !== undefined
    this.#segments = []
    this.#savedSeq = 0
    this.#sizeBytes = 0
    this.#changeCount = 0
    this.#isAbandoned = false
  }

  /** The first document in memory that is in no segment. */
  #firstUnsaved(): number {
    return this.#segments.at(-1)?.to ?? 0
  }

  #readSizes(): void {
    const all = this.#table.rows()
    this.#savedSeq = all.reduce((most, { last_seq }) => Math.max(most, last_seq), 0)
    this.#sizeBytes = all.reduce((sum, row) => sum + row.size_bytes, 0)
  }

  /** Opens all segments before it reads any, so that each list gets its final size at once. */
  *#loadAll(postings: Postings): SegmentLoad {
    const all = this.#table.rows()
    if (!this.#table.endsWithLastWritten(all)) return 'damaged'
    const opened: SegmentReader[] = []
    for (const [i, row] of all.entries()) {
      const bytes = this.#table.read(row, all[i - 1]?.checksum ?? 0)
      yield
      if (!bytes) return 'damaged'
      opened.push(yield* openSegment(bytes, postings))
    }
    for (const [i, { n, documents, gone }] of all.entries()) {
      for (const seq of decodeSeqs(gone)) postings.remove(seq)
      yield* opened[i]?.read() ?? []
      this.#segments.push({ n, documents, from: this.#firstUnsaved(), to: postings.documentCount() })
    }
    return 'done'
  }

  /** Saves the next unsaved documents as a segment. */
  #saveNext(postings: Postings, seq: number): void {
    const from = this.#firstUnsaved()
    const to = Math.min(postings.documentCount(), from + this.#limits.maxNewDocuments)
    const isLast = to === postings.documentCount()
    // If others follow, it covers records up to its highest; those with a later document become stale.
    let lastSeq = isLast ? seq : this.#savedSeq
    for (let document = from; !isLast && document < to; document++)
      lastSeq = Math.max(lastSeq, postings.seqOf(document))
    const written = this.#db.transaction(() => {
      const outdatedSeqs = this.#table.staleSeqs()
      const segment = this.#write(postings, { from, to }, { lastSeq, outdatedSeqs, run: [] })
      this.#table.clearStale()
      this.#markUnsavedStale(postings, to, lastSeq)
      return segment
    })
    this.#segments.push(written)
    this.#changeCount = 0
    this.#readSizes()
  }

  /** Merges the last segments, if that is due; true when it did. */
  #merge(postings: Postings): boolean {
    const segments = this.#segments
    const count = mergeCount(
      segments.map(({ documents }) => documents),
      this.#limits,
    )
    if (count === 0) return false
    const run = segments.slice(-count)
    const first = run[0] as Segment
    const last = run.at(-1) as Segment
    const written = this.#db.transaction(() => {
      const oldRows = this.#table.rows().filter(({ n }) => n >= first.n)
      const lastSeq = oldRows.reduce((highest, row) => Math.max(highest, row.last_seq), 0)
      // A first segment needs no `outdatedSeqs`: no segment comes before it.
      const outdatedSeqs =
        run.length === segments.length ? [] : oldRows.flatMap((row) => decodeSeqs(row.gone))
      this.#markUnsavedStale(postings, last.to, this.#savedSeq)
      return this.#write(postings, { from: first.from, to: last.to }, { lastSeq, outdatedSeqs, run })
    })
    segments.splice(-count, count, written)
    this.#readSizes()
    return true
  }

  /**
   * Writes one segment in place of those in `run`, or as the last one when `run` is empty. Call it inside a
   * transaction.
   */
  #write(
    postings: Postings,
    { from, to }: Pick<Segment, 'from' | 'to'>,
    {
      lastSeq,
      outdatedSeqs,
      run,
    }: { lastSeq: number; outdatedSeqs: readonly number[]; run: readonly Segment[] },
  ): Segment {
    const n = run[0]?.n ?? (this.#segments.at(-1)?.n ?? 0) + 1
    const sizes = postings.sizes().subarray(from, to)
    const documents = sizes.reduce((count, size) => (size === 0 ? count : count + 1), 0)
    this.#table.write({ n, lastSeq, documents, outdatedSeqs, bytes: writeSegment(postings, from, to) })
    return { n, from, to, documents }
  }

  /**
   * Marks records up to `lastSeq` with a document from `from` on, which is unsaved, as stale. Call it inside a
   * transaction.
   */
  #markUnsavedStale(postings: Postings, from: number, lastSeq: number): void {
    const sizes = postings.sizes()
    for (let document = from; document < postings.documentCount(); document++) {
      const seq = postings.seqOf(document)
      if (sizes[document] !== 0 && seq <= lastSeq) this.#table.markStale(seq)
    }
  }
}

/** Renumbers the bounds of segments after a compaction: each moves to the next document that is left. */
function renumber(segments: readonly Segment[], newNumbers: Int32Array, count: number): void {
  const newBounds = new Map<number, number>()
  const bounds = new Set(segments.flatMap(({ from, to }) => [from, to]))
  let next = count
  for (let document = newNumbers.length; document >= 0; document--) {
    const to = newNumbers[document] ?? -1
    if (to >= 0) next = to
    if (bounds.has(document)) newBounds.set(document, next)
  }
  for (const segment of segments) {
    segment.from = newBounds.get(segment.from) ?? count
    segment.to = newBounds.get(segment.to) ?? count
  }
}
