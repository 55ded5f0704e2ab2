// The checkpoint beside the file of a book, which is a copy of its records.
import { basename } from 'node:path'
import type { CheckpointFile, SqlDatabase } from '../../../core/ports.ts'
import { openIfPossible, readAbout } from '../../../store/repair/damage.ts'
import { type AboutCopy, lastStamp } from '../../../store/repair/record-copy.ts'
import { isPlain, removeDatabase } from '../port/private-file.ts'
import { leftAlone, refuseOthers } from './left-alone.ts'
import { openNodeDatabase } from './node-database.ts'

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
    // A full disk reports itself.
    fits: () => leftAlone(path, '.checkpoint').length === 0,
  }
}

/** Opens the checkpoint of the book at `path`, if possible. */
export function openCheckpoint(path: string): SqlDatabase | undefined {
  const file = checkpointAt(path)
  return file.exists() ? openIfPossible(file.open) : undefined
}

/** Header of the checkpoint beside the book at `path`, if there is one. */
export function copyBeside(path: string): AboutCopy | undefined {
  const file = checkpointAt(path)
  return file.exists() ? readAbout(file.open) : undefined
}

/** The latest stamp in that checkpoint; empty without one. */
export function lastStampBeside(path: string): string {
  const copy = openCheckpoint(path)
  try {
    return copy ? lastStamp(copy) : ''
  } finally {
    copy?.close()
  }
}

/** Whether the book at `path` has a checkpoint. */
export const hasCopy = (path: string): boolean => copyBeside(path) !== undefined
