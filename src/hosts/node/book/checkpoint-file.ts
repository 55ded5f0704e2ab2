// The checkpoint beside the file of a book: where it is, and whether it holds a copy of records.
import { basename } from 'node:path'
import type { CheckpointFile, SqlDatabase } from '../../../core/ports.ts'
import { openIfPossible, readAbout } from '../../../store/repair/damage.ts'
import { type AboutCopy, lastStamp } from '../../../store/repair/record-copy.ts'
import { isPlain, removeDatabase } from '../port/private-file.ts'
import { leftAlone, refuseOthers } from './left-alone.ts'
import { openNodeDatabase } from './node-database.ts'

/** Of the checkpoint of the book at `path`. */
export const checkpointPath = (path: string) => `${path}.checkpoint`

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
    // A disk that is full says so.
    fits: () => leftAlone(path, '.checkpoint').length === 0,
  }
}

/** The checkpoint of the book at `path`, if there is one that can be opened. */
export function openCheckpoint(path: string): SqlDatabase | undefined {
  const file = checkpointAt(path)
  return file.exists() ? openIfPossible(file.open) : undefined
}

/** What the copy of records beside the book at `path` says of itself; undefined where there is none. */
export function copyBeside(path: string): AboutCopy | undefined {
  const file = checkpointAt(path)
  return file.exists() ? readAbout(file.open) : undefined
}

/** The latest stamp in the copy beside the book at `path`; empty where there is none. */
export function lastStampBeside(path: string): string {
  const copy = openCheckpoint(path)
  try {
    return copy ? lastStamp(copy) : ''
  } finally {
    copy?.close()
  }
}

/** Whether a copy of its records is beside the book at `path`. */
export const hasCopy = (path: string): boolean => copyBeside(path) !== undefined
