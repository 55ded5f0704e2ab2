// The checkpoint beside the file of a book: where it is, and whether it holds a copy of records.
import { existsSync } from 'node:fs'
import type { CheckpointFile, SqlDatabase } from '../../../core/ports.ts'
import { isCopy, openIfPossible } from '../../../store/repair/open-damaged.ts'
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

/** The checkpoint of the book at `path`, if there is one that can be opened. */
export function openCheckpoint(path: string): SqlDatabase | undefined {
  const file = checkpointAt(path)
  return file.exists() ? openIfPossible(file.open) : undefined
}

/** Whether a copy of its records is beside the book at `path`. */
export function hasCopy(path: string): boolean {
  const file = checkpointAt(path)
  return file.exists() && isCopy(file.open)
}
