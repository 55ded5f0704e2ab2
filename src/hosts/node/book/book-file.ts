// The file of a book, opened whatever state it is in. A damaged one is set aside and a new one made of what it holds.
// Invariant: at every moment either the old file stands in its place, or the new one is whole.
import { isBook } from '../../../store/schema/newer-book.ts'
import { existsSync, renameSync, rmSync } from 'node:fs'
import type { Status } from '../../../core/capability/status.ts'
import { isDaybookError } from '../../../core/errors.ts'
import type { CheckpointFile, SqlDatabase } from '../../../core/ports.ts'
import { formatTime } from '../../../core/time.ts'
import { isBroken } from '../../../store/repair/broken.ts'
import { mend, mendedOf, mendedText } from '../../../store/repair/mend.ts'
import { isBlamed } from '../../../store/repair/open-mark.ts'
import { checkTable, firstFault } from '../../../store/repair/table-check.ts'
import { eraseBook, finishErasing } from './erase-book.ts'
import { type DiskRoom, roomOf } from './disk-reserve.ts'
import { type NodeDatabaseOptions, openNodeDatabase } from './node-database.ts'
import { databaseSuffixes, narrowBook } from '../port/private-file.ts'

export interface BookFile {
  readonly db: SqlDatabase
  check(table: string): string | undefined
  /** Where a copy of its records is kept. */
  readonly checkpointFile: CheckpointFile
  storage(): Promise<Pick<Status, 'degraded'>>
  /** Gives up the space that is kept back, or makes it again. Absent in memory. */
  readonly useReserve?: (isUsed: boolean) => void
  readonly isScarce?: () => boolean
  /** Takes the book away from this machine; `closeEngine` closes what works on it. */
  erase(closeEngine: () => void): void
}

const mending = '.mending'
const copying = '.checkpoint'

/**
 * Opens the book at `options.path` with `open`, which is given its file; mends the file first where it is damaged. Rejects
 * with `storage-failed` what is no book.
 */
export function openBookFile<Opened>(options: NodeDatabaseOptions, open: (file: BookFile) => Opened): Opened {
  const { path } = options
  if (path !== ':memory:') {
    finishErasing(path)
    narrowBook(path)
  }
  finish(path)
  const room = path === ':memory:' ? undefined : roomOf(path)
  const attempt = () => {
    const own = openNodeDatabase({ ...options, ...(room ? { admit: room.admit } : {}) })
    let isErasing = false
    const db: SqlDatabase = { ...own, close: () => (isErasing ? undefined : own.close()) }
    try {
      const found = isBlamed(db) ? firstFault(db) : undefined
      if (found !== undefined) throw new Damaged(found)
      room?.renew(db.sizeBytes())
      return open({
        db,
        ...(room ? { useReserve: (isUsed: boolean) => room.use(db, isUsed), isScarce: room.isScarce } : {}),
        check: (table) => checkTable(db, table),
        checkpointFile: checkpointAt(path),
        storage: () => Promise.resolve(stateOf(db, room)),
        erase(closeEngine) {
          // While its files go it stays locked.
          isErasing = path !== ':memory:'
          const end = () => {
            room?.giveUp()
            closeEngine()
          }
          if (isErasing) eraseBook(path, own, end)
          else end()
        },
      })
    } catch (error) {
      db.close()
      throw error
    }
  }
  const attemptWithRoom = () => {
    try {
      return attempt()
    } catch (error) {
      if (!room || !isDaybookError(error, 'storage-full')) throw error
      room.giveUp()
      return attempt()
    }
  }
  try {
    return attemptWithRoom()
  } catch (error) {
    const reason = error instanceof Damaged ? error.reason : isBroken(error) ? error.message : undefined
    if (reason === undefined || path === ':memory:' || !mendFile(options, reason)) throw error
    return attemptWithRoom()
  }
}

class Damaged extends Error {
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

function stateOf(db: SqlDatabase, room: DiskRoom | undefined): Pick<Status, 'degraded'> {
  const mended = mendedOf(db)
  const text = mended && existsSync(mended.aside) ? [mendedText(mended)] : []
  return { degraded: [...(room?.degraded(db.sizeBytes()) ?? []), ...text] }
}

/** Goes on where a mending was cut: a new file that stands alone is whole, one beside the old is not. */
function finish(path: string): void {
  if (path === ':memory:' || !existsSync(path + mending)) return
  if (existsSync(path)) {
    for (const suffix of databaseSuffixes) rmSync(path + mending + suffix, { force: true })
    return
  }
  // A log of the old file would be taken for the new one's.
  setAside(path, `${path}.damaged-${stampOf(formatTime(Date.now()))}`)
  renameSync(path + mending, path)
}

/** False when there is nothing to make a book of; then everything is as it was. */
function mendFile({ path }: NodeDatabaseOptions, reason: string): boolean {
  const now = formatTime(Date.now())
  const aside = `${path}.damaged-${stampOf(now)}`
  const damaged = openIfBook(path)
  if (!damaged) return false
  const checkpoint = openIfPossible(checkpointAt(path))
  const fresh = openNodeDatabase({ path: path + mending, durability: 'strict' })
  try {
    mend({ damaged, checkpoint, fresh, now, aside, reason })
  } finally {
    fresh.close()
    checkpoint?.close()
    damaged.close()
  }
  setAside(path, aside)
  renameSync(path + mending, path)
  return true
}

function checkpointAt(path: string): CheckpointFile {
  const own = path + copying
  return {
    exists: () => existsSync(own),
    open: () => openNodeDatabase({ path: own, durability: 'strict' }),
    remove() {
      for (const suffix of databaseSuffixes) rmSync(own + suffix, { force: true })
    },
    // A disk that is full says so.
    fits: () => true,
  }
}

function openIfPossible(file: CheckpointFile): SqlDatabase | undefined {
  try {
    return file.exists() ? file.open() : undefined
  } catch (error) {
    if (!isDaybookError(error)) throw error
    return undefined
  }
}

/** For the name of a file. */
const stampOf = (time: string) => time.replaceAll(':', '-')

function setAside(path: string, aside: string): void {
  for (const suffix of databaseSuffixes)
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
}

/** The database, if that is what it is and a Daybook wrote it: no other file is touched. */
function openIfBook(path: string): SqlDatabase | undefined {
  let db: SqlDatabase | undefined
  try {
    db = openNodeDatabase({ path })
    if (isBook(db)) return db
  } catch (error) {
    if (!isDaybookError(error)) throw error
  }
  db?.close()
  return undefined
}
