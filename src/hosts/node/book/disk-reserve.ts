// Space on the disk that belongs to a book: a file of bytes that is given up when the disk is full, and made again later.
// Invariants: only reading, emptying, opening and erasing a book may use it; and what is committed finds room when the log
// is copied into the database, so that the log can always begin anew.
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

/** More than the log of SQLite has between two checkpoints. */
const leastBytes = 6 * 2 ** 20
const mostBytes = 64 * 2 ** 20
const pieceBytes = 2 ** 20
/** A reserve that lacks less waits for the next opening. */
const stepBytes = 4 * 2 ** 20
/** With less than this no ordinary write is certain. */
const scarceBytes = 2 ** 19

export interface DiskRoom {
  /** Makes the reserve as large as it should be, as far as the disk has room. `bookBytes`: what the book takes now. */
  renew(bookBytes: number): void
  /** Gives the reserve back to the disk. */
  giveUp(): void
  /** Opens or closes the reserve for a call that found the disk full. */
  use(db: Pick<SqlDatabase, 'sizeBytes' | 'scrub'>, isUsed: boolean): void
  /** Whether there is less room left than the book takes. */
  isScarce(): boolean
  /** Whether a commit may be made after which the book takes `bytes`. */
  admit(bytes: number): boolean
  /** What the owner is told of a disk that is full. */
  degraded(bookBytes: number): string[]
}

const wantedFor = (bookBytes: number) => Math.min(mostBytes, Math.max(leastBytes, bookBytes >> 1))
/** Of the space that is kept back for the book at `path`; 0 where there is none, or something else in its place. */
export const reserveBytes = (path: string) => (isOther(`${path}.reserve`) ? 0 : bytesOf(`${path}.reserve`))
/** 0 where there is no such file. */
export const bytesOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** The room that the book at `path` has on its disk. */
export function roomOf(path: string): DiskRoom {
  const own = `${path}.reserve`
  /** What was given up may be taken back whole; of what is free besides a quarter. */
  let lent = 0
  /** A call works with what was given up: made again now, the reserve would take it away from that call. */
  let isUsedNow = false
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize
  }
  const renew = (bookBytes: number) => {
    if (isUsedNow) return
    const had = reserveBytes(path)
    const wanted = wantedFor(bookBytes)
    try {
      if (had < wanted) fill(own, had, Math.min(wanted, Math.max(lent, had + Math.floor(freeBytes() / 4))))
    } catch {
      // As much as there is has to do, until the next look.
    }
  }
  const giveUp = () => {
    lent = Math.max(lent, reserveBytes(path))
    removePlain(own)
  }
  const scrub = (db: Pick<SqlDatabase, 'scrub'>) => {
    try {
      // The log has its own space on the disk: it is copied, and cut off, and so are the free pages.
      db.scrub('space')
    } catch {
      // Within a transaction, or the disk has nothing at all. The reserve may still do.
    }
  }
  return {
    renew,
    giveUp,
    use(db, isUsed) {
      isUsedNow = isUsed
      if (isUsed) giveUp()
      scrub(db)
      if (!isUsed) renew(db.sizeBytes())
    },
    isScarce: () => freeBytes() < 2 * bytesOf(path),
    admit(bytes) {
      const grown = bytes - bytesOf(path)
      const reserve = reserveBytes(path)
      // In the log, and then in the database.
      if (2 * grown > reserve && 2 * grown > reserve + freeBytes()) return false
      if (wantedFor(bytes) - reserve >= stepBytes) renew(bytes)
      return true
    },
    degraded(bookBytes) {
      renew(bookBytes)
      const free = freeBytes()
      const missing = Math.max(0, wantedFor(bookBytes) - reserveBytes(path) + scarceBytes - free)
      if (missing === 0 || free >= leastBytes) return []
      return [
        `storage-full: the disk of this book has ${free} bytes left. Free ${missing} more bytes there, or forget records, and it can be written again; until then it can be read, exported and emptied.`,
      ]
    },
  }
}

/** Windows has no such flag. */
const noFollow = constants.O_NOFOLLOW ?? 0

/** Writes bytes that take space: what is not written, or is zeros, takes none on some file systems. */
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
    // What was cut short counts as far as it came.
    ftruncateSync(file, size)
    throw error
  } finally {
    closeSync(file)
  }
}
