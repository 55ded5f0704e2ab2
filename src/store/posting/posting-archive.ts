// The postings stored in the book, so that a reopened book doesn't rebuild them from its records: in segments,
// each a run of documents; small ones are merged into larger ones. Derived data, never migrated: in doubt it is
// dropped.
// Invariants: `savedSeq`, the last record that the segments cover, is stored in the transaction that stores the
// segments. When such a record changes later, the transaction of the change also marks it stale.
import type { SqlDatabase } from '../../core/ports.ts'
import type { Projection } from '../record/projection.ts'
import type { Settings } from '../schema/settings.ts'
import { mergeRun, segmentLimits } from './posting-merge.ts'
import { openSegment, type SegmentReader, writeSegment } from './posting-segment.ts'
import type { OnCompact, Postings } from './postings.ts'
import { readSeqs, SegmentTable } from './segment-table.ts'

interface Segment {
  readonly n: number
  /** Documents in memory: from this number up to, not including, `to`. */
  from: number
  to: number
  /** How many documents were written. */
  readonly documents: number
}

type Loading = Generator<undefined, 'done' | 'damaged'>

/** Saves and loads the segments. From its construction it also marks changed records stale. */
export class PostingArchive {
  readonly #db: SqlDatabase
  readonly #projection: Projection
  readonly #limits: typeof segmentLimits
  readonly #table: SegmentTable
  #segments: Segment[] = []
  #savedSeq = 0
  #sizeBytes = 0
  /** Changes since the last save; a record counts once for each change. */
  #changes = 0
  #abandoned = false
  /** `#torn`: the segments were dropped during a load, so the postings in memory are incomplete. */
  #loading: Loading | undefined
  #torn = false

  constructor(db: SqlDatabase, projection: Projection, settings: Settings, limits = segmentLimits) {
    this.#db = db
    this.#projection = projection
    this.#limits = limits
    this.#table = new SegmentTable(db, settings)
    this.#measure()
    projection.watch((seq) => {
      if (seq > this.#savedSeq) return
      this.#changes += 1
      this.#table.markStale(seq)
    })
  }

  /** Bytes of the segments. */
  sizeBytes(): number {
    return this.#abandoned ? 0 : this.#sizeBytes
  }

  /** The segments cover all records up to this one, except `stale()`. */
  savedSeq(): number {
    return this.#savedSeq
  }

  stale(): number[] {
    return this.#table.stale()
  }

  /**
   * Loads the next piece, in a few milliseconds. `postings` must hold the earlier pieces only. `more`:
   * another piece follows. `damaged`: `postings` and segments must be dropped.
   */
  load(postings: Postings): 'more' | 'done' | 'damaged' {
    if (this.#torn || this.#savedSeq > this.#projection.derivedSeq()) return 'damaged'
    this.#loading ??= this.#loadAll(postings)
    const next = this.#loading.next()
    if (!next.done) return 'more'
    this.#loading = undefined
    return next.value
  }

  /**
   * Saves some unsaved postings, or merges segments: one short piece of work, in its own transaction. True when more work
   * waits. `postings` are complete up to record `seq`; unless that is the last one (`isWhole`), only full segments are
   * saved.
   */
  save(postings: Postings, seq: number, isWhole: boolean): boolean {
    if (this.#abandoned) this.drop()
    const { least, first } = this.#limits
    const unsaved = postings.documents() - this.#end()
    if (unsaved + this.#changes >= (isWhole ? least : first)) {
      this.#saveNext(postings, seq)
      return true
    }
    const written = this.#segments.reduce((sum, { documents }) => sum + documents, 0)
    // Most of it is out of date: write all again.
    if (written > 2 * postings.records() + first) {
      this.drop()
      return true
    }
    return this.#merge(postings)
  }

  /** Follows a compaction of the postings. */
  readonly onCompact: OnCompact = (renamed, count) => renumber(this.#segments, renamed, count)

  /** The segments don't match the postings in memory any more: the next `save` or `tidy` drops them. */
  abandon(): void {
    this.#abandoned = true
    this.#torn = false
    this.#loading = undefined
    this.#segments = []
  }

  /** Drops abandoned segments. */
  tidy(): void {
    if (this.#abandoned) this.drop()
  }

  /** Drops all segments; scrubbing then removes them from the files. */
  drop(): void {
    this.#db.transaction(() => this.#table.drop())
    this.#torn = this.#loading !== undefined
    this.#segments = []
    this.#savedSeq = 0
    this.#sizeBytes = 0
    this.#changes = 0
    this.#abandoned = false
  }

  /** The first document in memory after all segments. */
  #end(): number {
    return this.#segments.at(-1)?.to ?? 0
  }

  #measure(): void {
    const all = this.#table.rows()
    this.#savedSeq = all.reduce((most, { last_seq }) => Math.max(most, last_seq), 0)
    this.#sizeBytes = all.reduce((sum, row) => sum + row.size_bytes, 0)
  }

  /** Opens all segments before it reads the first, so that each list gets its final size at once. */
  *#loadAll(postings: Postings): Loading {
    const all = this.#table.rows()
    if (!this.#table.isWhole(all)) return 'damaged'
    const opened: SegmentReader[] = []
    for (const [i, row] of all.entries()) {
      const bytes = this.#table.read(row, all[i - 1]?.checksum ?? 0)
      yield
      if (!bytes) return 'damaged'
      opened.push(yield* openSegment(bytes, postings))
    }
    for (const [i, { n, documents, gone }] of all.entries()) {
      for (const seq of readSeqs(gone)) postings.remove(seq)
      yield* opened[i]?.read() ?? []
      this.#segments.push({ n, documents, from: this.#end(), to: postings.documents() })
    }
    return 'done'
  }

  #saveNext(postings: Postings, seq: number): void {
    const from = this.#end()
    const to = Math.min(postings.documents(), from + this.#limits.first)
    const isAll = to === postings.documents()
    let lastSeq = isAll ? seq : this.#savedSeq
    for (let document = from; !isAll && document < to; document++)
      lastSeq = Math.max(lastSeq, postings.seqOf(document))
    const written = this.#db.transaction(() => {
      const gone = this.#table.stale()
      const segment = this.#write(postings, { from, to }, { lastSeq, gone, run: [] })
      this.#table.clearStale()
      this.#markUnsaved(postings, to, lastSeq)
      return segment
    })
    this.#segments.push(written)
    this.#changes = 0
    this.#measure()
  }

  #merge(postings: Postings): boolean {
    const segments = this.#segments
    const count = mergeRun(
      segments.map(({ documents }) => documents),
      this.#limits,
    )
    if (count === 0) return false
    const run = segments.slice(-count)
    const first = run[0] as Segment
    const last = run.at(-1) as Segment
    const written = this.#db.transaction(() => {
      const old = this.#table.rows().filter(({ n }) => n >= first.n)
      const lastSeq = old.reduce((most, row) => Math.max(most, row.last_seq), 0)
      // Nothing is before the first segment, so nothing can be removed from it.
      const gone = run.length === segments.length ? [] : old.flatMap((row) => readSeqs(row.gone))
      this.#markUnsaved(postings, last.to, this.#savedSeq)
      return this.#write(postings, { from: first.from, to: last.to }, { lastSeq, gone, run })
    })
    segments.splice(-count, count, written)
    this.#measure()
    return true
  }

  /** Replaces the segments of `run`, or appends one when it is empty. Inside a transaction. */
  #write(
    postings: Postings,
    { from, to }: Pick<Segment, 'from' | 'to'>,
    { lastSeq, gone, run }: { lastSeq: number; gone: readonly number[]; run: readonly Segment[] },
  ): Segment {
    const n = run[0]?.n ?? (this.#segments.at(-1)?.n ?? 0) + 1
    const sizes = postings.sizes().subarray(from, to)
    const documents = sizes.reduce((count, size) => (size === 0 ? count : count + 1), 0)
    this.#table.write({ n, lastSeq, documents, gone, bytes: writeSegment(postings, from, to) })
    return { n, from, to, documents }
  }

  /**
   * Marks records stale that the segments claim to cover (up to `lastSeq`) but whose document, at or after
   * `from`, is not saved. Inside a transaction.
   */
  #markUnsaved(postings: Postings, from: number, lastSeq: number): void {
    const sizes = postings.sizes()
    for (let document = from; document < postings.documents(); document++) {
      const seq = postings.seqOf(document)
      if (sizes[document] !== 0 && seq <= lastSeq) this.#table.markStale(seq)
    }
  }
}

/**
 * Moves the bounds of segments after a compaction: each bound becomes the number of kept documents before it.
 */
function renumber(segments: readonly Segment[], renamed: Int32Array, count: number): void {
  const places = new Map<number, number>()
  const bounds = new Set(segments.flatMap(({ from, to }) => [from, to]))
  let next = count
  for (let document = renamed.length; document >= 0; document--) {
    const to = renamed[document] ?? -1
    if (to >= 0) next = to
    if (bounds.has(document)) places.set(document, next)
  }
  for (const segment of segments) {
    segment.from = places.get(segment.from) ?? count
    segment.to = places.get(segment.to) ?? count
  }
}
