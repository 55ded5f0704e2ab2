// The checkpoint beside the file of a book: a database with a copy of the book's records.
import { basename } from 'node:path'
import type { CheckpointFile, SqlDatabase } from '../../../core/ports.ts'
import { openIfPossible, readCopyDescription } from '../../../store/repair/damage.ts'
import type { CopyDescription } from '../../../store/repair/record-copy.ts'
import { isAhead } from '../../../store/repair/salvage.ts'
import { isPlain, removeDatabase } from '../port/private-file.ts'
import { leftAlone, refuseOthers } from './left-alone.ts'
import { openNodeDatabase } from './node-database.ts'

export const checkpointPath = (path: string) => `${path}.checkpoint`

/** The checkpoint of the book at `path`, which may not exist yet. `open` creates it. */
export function checkpointAt(path: string): CheckpointFile {
  const own = checkpointPath(path)
  return {
    of: basename(path),
    exists: () => isPlain(own),
    open() {
      refuseOthers(path, '.checkpoint')
      return openNodeDatabase({ path: own, durability: 'strict' })
    },
    remove() {
      removeDatabase(own)
    },
    // True even if the disk is full: writing the checkpoint then fails with `storage-full`.
    fits: () => leftAlone(path, '.checkpoint').length === 0,
  }
}

/** Opens the checkpoint of the book at `path`. Undefined if it is missing or unreadable. */
export function openCheckpoint(path: string): SqlDatabase | undefined {
  const file = checkpointAt(path)
  return file.exists() ? openIfPossible(file.open) : undefined
}

/**
 * Reads the description of the checkpoint beside the book at `path`. Undefined if it is missing or
 * unreadable.
 */
export function copyBeside(path: string): CopyDescription | undefined {
  const file = checkpointAt(path)
  return file.exists() ? readCopyDescription(file.open) : undefined
}

/** True when the checkpoint of the book at `path` has later records than `db`. */
export function isCopyAhead(path: string, db: SqlDatabase): boolean {
  const copy = openCheckpoint(path)
  try {
    return copy !== undefined && isAhead(copy, db)
  } finally {
    copy?.close()
  }
}

/** Whether the book at `path` has a readable checkpoint. */
export const hasCopy = (path: string): boolean => copyBeside(path) !== undefined
