// The postings kept in the book, so that a reopened book need not make them from its records again. In segments, each a
// run of documents; small ones are merged into larger ones. Derived, never migrated: what is in doubt is dropped.
// Invariants: with its segments a book notes in the same transaction up to which record they are complete (`savedSeq`),
// and with every later change of such a record, in the transaction of that change, that they are no longer (`stale`).
import type { SqlDatabase } from '../../core/ports.ts'
import { mergeRun, segmentLimits } from './posting-merge.ts'
import { type OpenSegment, openSegment, writeSegment } from './posting-segment.ts'
import { readSeqs, SegmentTable } from './segment-table.ts'
import type { OnCompact, Postings } from './postings.ts'
import type { Projection } from '../record/projection.ts'
import type { Settings } from '../schema/settings.ts'

export interface PostingArchive {
  /** Bytes of what is kept; 0 when nothing is. */
  sizeBytes(): number
  /**
   * Takes the next piece of what is kept into `postings`, which hold what came before it and nothing else: a few
   * milliseconds of work. `more`: there is another one. `damaged`: what `postings` hold now is worth nothing, and nothing of
   * what is kept is.
   */
  load(postings: Postings): 'more' | 'done' | 'damaged'
  /** Records up to here are in the segments, but for `stale()`. */
  savedSeq(): number
  stale(): number[]
  /**
   * Keeps some of what `postings` have and the segments have not, or merges some of them: one short piece of work, in a
   * transaction of its own. True when more is to be done. `postings` are complete up to record `seq`; unless that is the
   * last one (`isWhole`), only full tails are kept.
   */
  save(postings: Postings, seq: number, isWhole: boolean): boolean
  /** Is called when postings give their documents new numbers. */
  compacted: OnCompact
  /** What is kept belongs to other postings than those in memory: the next `save` or `tidy` drops it. */
  abandon(): void
  /** Drops what was abandoned. */
  tidy(): void
  /** Drops everything, also from the files once they are scrubbed. */
  drop(): void
}

interface Segment {
  readonly n: number
  /** Documents in memory: from one number up to, not including, another. */
  from: number
  to: number
  /** How many documents were written. */
  readonly documents: number
}

/** The archive of the book in `db`. It notes what changes whether or not anybody has postings in memory. */
export function createPostingArchive(
  db: SqlDatabase,
  projection: Projection,
  settings: Settings,
  limits = segmentLimits,
): PostingArchive {
  const table = new SegmentTable(db, settings)
  let segments: Segment[] = []
  let saved = 0
  let sizeBytes = 0
  /** Records that changed since the last save, each as often as it did. */
  let marks = 0
  let abandoned = false
  /** Reading into memory, while that is not at its end. Dropping what is read then leaves `torn` postings. */
  let reading: Generator<undefined, 'done' | 'damaged'> | undefined
  let torn = false

  const note = () => {
    const all = table.rows()
    saved = all.reduce((most, { last_seq }) => Math.max(most, last_seq), 0)
    sizeBytes = all.reduce((sum, row) => sum + row.size_bytes, 0)
  }
  note()

  projection.watch((seq) => {
    if (seq > saved) return
    marks += 1
    table.markStale(seq)
  })

  /** All are opened before the first is read, so that each list has its final size at once. */
  function* readAll(postings: Postings): Generator<undefined, 'done' | 'damaged'> {
    const all = table.rows()
    if (!table.isWhole(all)) return 'damaged'
    const opened: OpenSegment[] = []
    for (const [i, row] of all.entries()) {
      const bytes = table.read(row, all[i - 1]?.checksum ?? 0)
      yield
      if (!bytes) return 'damaged'
      opened.push(yield* openSegment(bytes, postings))
    }
    for (const [i, { n, documents, gone }] of all.entries()) {
      for (const seq of readSeqs(gone)) postings.remove(seq)
      yield* opened[i]?.read() ?? []
      const from = segments.at(-1)?.to ?? 0
      segments.push({ n, documents, from, to: postings.documents() })
    }
    return 'done'
  }

  /** In place of the segments of `run`, or after all when there is none. Inside a transaction. */
  const write = (
    postings: Postings,
    { from, to }: Pick<Segment, 'from' | 'to'>,
    { lastSeq, gone, run }: { lastSeq: number; gone: readonly number[]; run: readonly Segment[] },
  ): Segment => {
    const n = run[0]?.n ?? (segments.at(-1)?.n ?? 0) + 1
    const sizes = postings.sizes().subarray(from, to)
    const documents = sizes.reduce((count, size) => (size === 0 ? count : count + 1), 0)
    table.write({ n, lastSeq, documents, gone, bytes: writeSegment(postings, from, to) })
    return { n, from, to, documents }
  }

  const saveTail = (postings: Postings, seq: number) => {
    const from = segments.at(-1)?.to ?? 0
    const to = Math.min(postings.documents(), from + limits.tail)
    const isAll = to === postings.documents()
    let lastSeq = isAll ? seq : saved
    for (let document = from; !isAll && document < to; document++)
      lastSeq = Math.max(lastSeq, postings.seqOf(document))
    const written = db.transaction(() => {
      const gone = table.stale()
      const segment = write(postings, { from, to }, { lastSeq, gone, run: [] })
      table.clearStale()
      markUnsaved(table, postings, to, lastSeq)
      return segment
    })
    segments.push(written)
    marks = 0
    note()
  }

  const merge = (postings: Postings): boolean => {
    const count = mergeRun(
      segments.map(({ documents }) => documents),
      limits,
    )
    if (count === 0) return false
    const run = segments.slice(-count)
    const first = run[0] as Segment
    const last = run.at(-1) as Segment
    const written = db.transaction(() => {
      const old = table.rows().filter(({ n }) => n >= first.n)
      const lastSeq = old.reduce((most, row) => Math.max(most, row.last_seq), 0)
      // Nothing stands before the first segment, so nothing is gone from there.
      const gone = run.length === segments.length ? [] : old.flatMap((row) => readSeqs(row.gone))
      markUnsaved(table, postings, last.to, saved)
      return write(postings, { from: first.from, to: last.to }, { lastSeq, gone, run })
    })
    segments.splice(-count, count, written)
    note()
    return true
  }

  const drop = () => {
    db.transaction(() => table.drop())
    torn = reading !== undefined
    segments = []
    saved = 0
    sizeBytes = 0
    marks = 0
    abandoned = false
  }

  return {
    sizeBytes: () => (abandoned ? 0 : sizeBytes),
    savedSeq: () => saved,
    stale: () => table.stale(),
    load(postings) {
      if (torn || saved > projection.derivedSeq()) return 'damaged'
      reading ??= readAll(postings)
      const next = reading.next()
      if (!next.done) return 'more'
      reading = undefined
      return next.value
    },
    save(postings, seq, isWhole) {
      if (abandoned) drop()
      const unsaved = postings.documents() - (segments.at(-1)?.to ?? 0)
      if (unsaved + marks >= (isWhole ? limits.least : limits.tail)) {
        saveTail(postings, seq)
        return true
      }
      const written = segments.reduce((sum, { documents }) => sum + documents, 0)
      // Most of it says what is no longer so: it is written anew.
      if (written > 2 * postings.records() + limits.tail) {
        drop()
        return true
      }
      return merge(postings)
    },
    compacted: (renamed, count) => renumber(segments, renamed, count),
    abandon() {
      abandoned = true
      torn = false
      reading = undefined
      segments = []
    },
    tidy() {
      if (abandoned) drop()
    },
    drop,
  }
}

/** Of records up to `lastSeq` some have a later document, which is not kept yet. Inside a transaction. */
function markUnsaved(table: SegmentTable, postings: Postings, from: number, lastSeq: number): void {
  const sizes = postings.sizes()
  for (let document = from; document < postings.documents(); document++) {
    const seq = postings.seqOf(document)
    if (sizes[document] !== 0 && seq <= lastSeq) table.markStale(seq)
  }
}

/** Moves the bounds of segments after a compaction: each stands before the first document at or after it that stayed. */
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
