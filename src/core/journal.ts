// Where the commits of a database in memory are kept, as a port: pages that changed, and now and then a snapshot.

export const pageBytes = 4096
const pagesPerExtent = 64
/** What a snapshot stores as one value; small enough that a change of some pages rewrites little. */
export const extentBytes = pageBytes * pagesPerExtent

/** Pages that changed, as they were when they were committed. */
export interface PageChange {
  /** Of the whole database after the change. */
  readonly sizeBytes: number
  readonly numbers: readonly number[]
  /** One page after another, in the order of their numbers. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

export interface Snapshot {
  readonly sizeBytes: number
  /** The extents that changed since the last snapshot, with their places. */
  readonly extents: readonly (readonly [index: number, bytes: Uint8Array<ArrayBuffer>])[]
}

/** Everything that was kept of a book. */
export interface KeptPages {
  /** Of the snapshot. */
  readonly sizeBytes: number
  /** The snapshot, in extents. */
  readonly extents: readonly Uint8Array[]
  /** What was appended after the snapshot, oldest first. */
  readonly changes: readonly PageChange[]
}

/**
 * Law: `append` and `snapshot` are called one after another, and each takes effect as a whole or not at all, durably when
 * it resolves; a snapshot takes the place of everything appended before. What rejects with `storage-full` was not kept, and
 * more may be tried. After any other failure it is not known whether it was, nothing more can be kept here, and the journal
 * must be opened again. From its opening on nothing that was opened earlier can keep anything: theirs is `open-elsewhere`.
 */
export interface Journal {
  /** What was kept before; nothing for a new book. Given away once, and not held on to: it is the size of the book. */
  takeKept(): KeptPages
  append(change: PageChange): Promise<void>
  snapshot(snapshot: Snapshot): Promise<void>
  close(): void
}
