// A journal stores the commits of a database in memory: changed pages, and a snapshot from time to time.

export const pageBytes = 4096
const pagesPerExtent = 64
/** Bytes of one stored value of a snapshot. Small, so that a change of some pages rewrites little. */
export const extentBytes = pageBytes * pagesPerExtent

/** Changed pages of one commit. */
export interface PageChange {
  /** Size of the whole database after the change. */
  readonly sizeBytes: number
  readonly numbers: readonly number[]
  /** The pages one after another, in the order of `numbers`. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

export interface PageSnapshot {
  readonly sizeBytes: number
  /** Extents that changed since the last snapshot, with their indexes. */
  readonly extents: readonly (readonly [index: number, bytes: Uint8Array<ArrayBuffer>])[]
}

/** Everything stored of a book. */
export interface StoredPages {
  /** Size at the snapshot. */
  readonly sizeBytes: number
  /** The snapshot, in extents. */
  readonly extents: readonly Uint8Array[]
  /** Changes since the snapshot, oldest first. */
  readonly changes: readonly PageChange[]
}

/**
 * Law: `append` and `snapshot` are called one after another. Each takes effect as a whole or not at all, durably when it
 * resolves; a snapshot replaces everything appended before. A call that rejects with `storage-full` stored nothing, and
 * the caller may try again. After any other failure the outcome is unknown and nothing more can be stored: open the
 * journal again. Opening a journal locks out earlier openings: their calls reject with `open-elsewhere`.
 */
export interface Journal {
  /**
   * Everything stored before; empty for a new book. Returns it once and lets go of it, since it is as large as the book.
   */
  takeStored(): StoredPages
  append(change: PageChange): Promise<void>
  snapshot(snapshot: PageSnapshot): Promise<void>
  close(): void
}
