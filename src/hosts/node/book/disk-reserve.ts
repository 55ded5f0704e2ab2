// Reserves disk space for a book: a file that is deleted when the disk is full, and filled again later.
// Invariants: only reading, forgetting, opening and erasing may use the reserve. A committed write always
// fits when the log is copied into the database, so the log can always restart.
import {
  closeSync,
  constants,
  fchmodSync,
  ftruncateSync,
  openSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { SqlDatabase } from '../../../core/ports.ts'
import { fileMode, isOther, removePlain } from '../port/private-file.ts'

/** Least size of the reserve: more than SQLite's log between two checkpoints. */
const leastBytes = 6 * 2 ** 20
const mostBytes = 64 * 2 ** 20
/** Bytes that one write appends to the reserve. */
const pieceBytes = 2 ** 20
/** A commit fills the reserve again only if this many bytes are missing; less waits for the next opening. */
const stepBytes = 4 * 2 ** 20
/** The status about a full disk requests this many bytes more than the reserve, for further writes. */
const scarceBytes = 2 ** 19

export interface DiskRoom {
  /** Fills the reserve as far as the disk allows. `bookBytes`: current size of the book. */
  renew(bookBytes: number): void
  /** Deletes the reserve. */
  release(): void
  /**
   * True: deletes the reserve before a call that found the disk full. False: fills it again after the call.
   */
  use(db: Pick<SqlDatabase, 'sizeBytes' | 'scrub'>, isUsed: boolean): void
  /** Whether less space is free than twice the size of the book's file. */
  isScarce(): boolean
  /** Whether the disk has space for a commit that makes the book `bytes` large. May fill the reserve. */
  admit(bytes: number): boolean
  /** Texts for the status about a full disk. */
  degraded(bookBytes: number): string[]
}

/** Wanted size of the reserve: half the book, within the limits. */
const wantedFor = (bookBytes: number) => Math.min(mostBytes, Math.max(leastBytes, bookBytes >> 1))
/** Size of the reserve of the book at `path`; 0 without a reserve, or if a foreign file has its name. */
export const reserveBytes = (path: string) => (isOther(`${path}.reserve`) ? 0 : bytesOf(`${path}.reserve`))
/** Size of the file in bytes; 0 for a missing file. */
export const bytesOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Manages the reserve of the book at `path`. */
export function roomOf(path: string): DiskRoom {
  const own = `${path}.reserve`
  /**
   * Bytes of the deleted reserve: filling may take back all of them, but only a quarter of other free space.
   */
  let releasedBytes = 0
  /** True while a call uses the released space: filling now would take that space. */
  let isInUse = false
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize
  }
  const renew = (bookBytes: number) => {
    if (isInUse) return
    const currentBytes = reserveBytes(path)
    const wanted = wantedFor(bookBytes)
    try {
      if (currentBytes < wanted)
        fill(
          own,
          currentBytes,
          Math.min(wanted, Math.max(releasedBytes, currentBytes + Math.floor(freeBytes() / 4))),
        )
    } catch {
      // Keep the smaller reserve until the next `renew`.
    }
  }
  const release = () => {
    releasedBytes = Math.max(releasedBytes, reserveBytes(path))
    removePlain(own)
  }
  const scrub = (db: Pick<SqlDatabase, 'scrub'>) => {
    try {
      // This frees space: it copies the log into the database and cuts the log and free pages off.
      db.scrub('space')
    } catch {
      // Inside a transaction, or the disk has no free byte. The reserve may still suffice.
    }
  }
  return {
    renew,
    release,
    use(db, isUsed) {
      isInUse = isUsed
      if (isUsed) release()
      scrub(db)
      if (!isUsed) renew(db.sizeBytes())
    },
    isScarce: () => freeBytes() < 2 * bytesOf(path),
    admit(bytes) {
      const addedBytes = bytes - bytesOf(path)
      const reserve = reserveBytes(path)
      // Twice, because the pages are written to the log, then to the database.
      if (2 * addedBytes > reserve && 2 * addedBytes > reserve + freeBytes()) return false
      if (wantedFor(bytes) - reserve >= stepBytes) renew(bytes)
      return true
    },
    degraded(bookBytes) {
      renew(bookBytes)
      const free = freeBytes()
      const missing = Math.max(0, wantedFor(bookBytes) - reserveBytes(path) + scarceBytes - free)
      if (missing === 0 || free >= leastBytes) return []
      return [
        `storage-full: the disk of this book has ${free} bytes left. Free ${missing} more bytes there, or forget records, to write again; until then you can read, export and forget.`,
      ]
    },
  }
}

/** Windows doesn't have this flag. */
const noFollow = constants.O_NOFOLLOW ?? 0

/**
 * Appends bytes up to the size `until`. The bytes are not zeros, because some file systems use no space for
 * zeros.
 */
function fill(path: string, from: number, until: number): void {
  if (until <= from || isOther(path)) return
  const piece = new Uint8Array(pieceBytes)
  for (let i = 0; i < piece.length; i++) piece[i] = Math.imul(i, 2_654_435_761) >>> 24
  const file = openSync(
    path,
    constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | noFollow,
    fileMode,
  )
  let size = from
  try {
    fchmodSync(file, fileMode)
    while (size < until) size += writeSync(file, piece, 0, Math.min(pieceBytes, until - size))
  } catch (error) {
    // Cut off a partly written piece.
    ftruncateSync(file, size)
    throw error
  } finally {
    closeSync(file)
  }
}
