// A journal stores the commits of an in-memory database: the changed pages of each commit, and snapshots.

export const pageBytes = 4096
const pagesPerExtent = 64
/** Bytes of one extent, the unit of a snapshot. A small extent keeps the rewrite after a small change small. */
export const extentBytes = pageBytes * pagesPerExtent

/** The changed pages of one commit. */
export interface PageChange {
  /** Size of the database after the commit. */
  readonly sizeBytes: number
  /** The numbers of the pages, from 0: a page begins at byte `number * pageBytes`. */
  readonly numbers: readonly number[]
  /** The pages, concatenated in the order of `numbers`. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** An extent with its index from 0. */
export type PlacedExtent<Bytes = Uint8Array> = readonly [index: number, bytes: Bytes]

export interface PageSnapshot {
  readonly sizeBytes: number
  /** Changed extents since the last snapshot. */
  readonly extents: readonly PlacedExtent<Uint8Array<ArrayBuffer>>[]
}

/** The stored state of a book: a snapshot, and the changes after it. */
export interface StoredPages {
  /** Size of the database at the snapshot. */
  readonly sizeBytes: number
  /** The extents of the snapshot, in order. A missing extent has only zeros. */
  readonly extents: readonly PlacedExtent[]
  /** Changes after the snapshot, oldest first. */
  readonly changes: readonly PageChange[]
}

/**
 * Law: the caller waits for each `append` or `snapshot` before the next. Each is atomic, and durable when it
 * resolves. A snapshot replaces all earlier appends. A call that rejects with `storage-full` stored nothing; the
 * caller may retry. After any other failure the outcome is unknown and every later call fails: open the journal
 * again. Opening a journal locks out earlier openings: their calls reject with `open-elsewhere`.
 */
export interface Journal {
  /**
   * Returns the stored state; empty for a new book. Call it once: it releases the state, which is as large as the
   * book.
   */
  takeStored(): StoredPages
  append(change: PageChange): Promise<void>
  snapshot(snapshot: PageSnapshot): Promise<void>
  close(): void
}
