// Disk space reserved for a book: a file that is deleted when the disk is full and refilled later.
// Invariants: only reading, forgetting, opening and erasing may use it. A committed write always fits when
// the log is copied into the database, so the log can always restart.
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

/** More than SQLite's log between two checkpoints. */
const leastBytes = 6 * 2 ** 20
const mostBytes = 64 * 2 ** 20
const pieceBytes = 2 ** 20
/** A smaller gap waits for the next opening. */
const stepBytes = 4 * 2 ** 20
/** With less free space no ordinary write is safe. */
const scarceBytes = 2 ** 19

export interface DiskRoom {
  /** Refills the reserve as far as the disk allows. `bookBytes`: current size of the book. */
  renew(bookBytes: number): void
  /** Releases the reserve. */
  release(): void
  /** Releases or refills the reserve for a call that found the disk full. */
  use(db: Pick<SqlDatabase, 'sizeBytes' | 'scrub'>, isUsed: boolean): void
  /** Whether less space is free than the book needs. */
  isScarce(): boolean
  /** Whether a commit may be made that grows the book to `bytes`. */
  admit(bytes: number): boolean
  /** Warnings for the owner about a full disk. */
  degraded(bookBytes: number): string[]
}

const wantedFor = (bookBytes: number) => Math.min(mostBytes, Math.max(leastBytes, bookBytes >> 1))
/** Reserved bytes of the book at `path`; 0 without a reserve, or with another file in its place. */
export const reserveBytes = (path: string) => (isOther(`${path}.reserve`) ? 0 : bytesOf(`${path}.reserve`))
/** 0 if there is no such file. */
export const bytesOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** The disk space of the book at `path`. */
export function roomOf(path: string): DiskRoom {
  const own = `${path}.reserve`
  /** Released bytes may be taken back whole; of other free space only a quarter. */
  let releasedBytes = 0
  /** A call is using the released space: refilling now would take it away. */
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
      // Keep what there is until the next try.
    }
  }
  const release = () => {
    releasedBytes = Math.max(releasedBytes, reserveBytes(path))
    removePlain(own)
  }
  const scrub = (db: Pick<SqlDatabase, 'scrub'>) => {
    try {
      // The log has its own space: copying it and cutting it off frees that, and so do free pages.
      db.scrub('space')
    } catch {
      // Inside a transaction, or the disk is completely full. The reserve may still suffice.
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
      // First in the log, then in the database.
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

/** Windows has no such flag. */
const noFollow = constants.O_NOFOLLOW ?? 0

/** Writes bytes that use real space: some file systems store no zeros and no holes. */
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
    // Keep the part that was written whole.
    ftruncateSync(file, size)
    throw error
  } finally {
    closeSync(file)
  }
}
