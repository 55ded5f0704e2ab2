// Says why there is no book in what lies at a book's path, and how to go on. Invariant: it stays as it is.
import { statSync } from 'node:fs'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { faultText } from '../../../store/repair/damage.ts'

const waysOut = 'Move it away to begin a book here, or give the book another path.'

/** The usual message of this code says to open the book again, which helps nobody here. */
const refusal = (path: string, reason: string, message: string) =>
  DaybookError.from({ code: 'storage-failed', message, retry: false, details: { path, reason } })

/** Throws where `path` leads to a folder, or to something else in which SQLite could keep nothing. */
export function refuseOtherThanFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found || found.isFile()) return
  const what = found.isDirectory() ? 'a folder' : 'no plain file'
  throw refusal(path, 'not-a-book', `${path} is ${what} and no book. ${waysOut}`)
}

/** Of a file in which nothing of a book was found. */
export const noBook = (path: string, why: string): DaybookError =>
  refusal(
    path,
    'not-a-book',
    `${path} is no book (${why}), and nothing of one was found in it. If it was one, put a copy of it back. ${waysOut}`,
  )

/** SQLite's codes of a file that can't be opened, or not to be written. */
const shutCodes: ReadonlySet<unknown> = new Set([8, 14])

/** `error`, or where it is about the file itself one that names it. */
export function ofFile(path: string, error: unknown): unknown {
  if (path === ':memory:' || !isDaybookError(error, 'storage-failed')) return error
  if (error.details['result'] === 26) return noBook(path, faultText(error))
  if (!shutCodes.has(error.details['result'])) return error
  return refusal(
    path,
    'cannot-open',
    `${path} could not be opened (${faultText(error)}). See that this user may read and write it and its folder, and that the disk is mounted for writing.`,
  )
}
