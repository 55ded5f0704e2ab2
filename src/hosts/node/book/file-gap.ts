// Clears the space that no cell takes in the pages of a book's file: see store/repair/page-gap.ts.
// Invariant: a file that SQLite has open is closed here after SQLite has closed it, for closing it once gives up every lock
// that this process has on it (POSIX).
import { closeSync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs'
import { clearGap, type OverflowEnds } from '../../../store/repair/page-gap.ts'
import { pageBytes } from '../../../core/journal.ts'

export interface FileGaps {
  /** While SQLite has nothing in its log, and before it reads a page again. */
  clear(tails: OverflowEnds): void
  /** After SQLite has closed the file. */
  close(): void
}

const sliceBytes = 256 * pageBytes

/** Opens the file at `path` when it is first cleared. */
export function openFileGaps(path: string): FileGaps {
  let file: number | undefined
  return {
    clear(tails) {
      file ??= openSync(path, 'r+')
      const slice = Buffer.alloc(sliceBytes)
      let isChanged = false
      for (let at = 0, read = sliceBytes; read === sliceBytes; at += read) {
        read = readSync(file, slice, 0, sliceBytes, at)
        for (let start = 0; start + pageBytes <= read; start += pageBytes) {
          const page = slice.subarray(start, start + pageBytes)
          if (!clearGap(page, (at + start) / pageBytes + 1, tails)) continue
          writeSync(file, page, 0, pageBytes, at + start)
          isChanged = true
        }
      }
      if (isChanged) fdatasyncSync(file)
    },
    close() {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}
