// The checkpoint beside the file of a book: where it is, and whether it holds a copy of records.
import { existsSync } from 'node:fs'
import { isDaybookError } from '../../../core/errors.ts'
import type { CheckpointFile, SqlDatabase } from '../../../core/ports.ts'
import { aboutCopy } from '../../../store/repair/record-copy.ts'
import { removeDatabase } from '../port/private-file.ts'
import { openNodeDatabase } from './node-database.ts'

/** Of the checkpoint of the book at `path`. */
export const checkpointPath = (path: string) => `${path}.checkpoint`

export function checkpointAt(path: string): CheckpointFile {
  const own = checkpointPath(path)
  return {
    exists: () => existsSync(own),
    open: () => openNodeDatabase({ path: own, durability: 'strict' }),
    remove() {
      removeDatabase(own)
    },
    // A disk that is full says so.
    fits: () => true,
  }
}

export function openIfPossible(file: CheckpointFile): SqlDatabase | undefined {
  try {
    return file.exists() ? file.open() : undefined
  } catch (error) {
    return unread(error)
  }
}

/** Whether there is a copy of the records of a book. */
export function hasCopy(path: string): boolean {
  const copy = openIfPossible(checkpointAt(path))
  try {
    return copy !== undefined && aboutCopy(copy) !== undefined
  } finally {
    copy?.close()
  }
}

/** Whatever SQLite says of a damaged file, nothing can be read of it; but a full disk is no damage. */
export function unread(error: unknown): undefined {
  if (isDaybookError(error, 'storage-full')) throw error
  return undefined
}
