// Detects foreign files with the names of a book's own files: links, folders, devices. A link may lead to a
// file of another user.
// Invariant: foreign files and the targets of links stay unchanged; the book works without its own file, and
// reports that.
import { lstatSync } from 'node:fs'
import { DaybookError } from '../../../core/errors.ts'
import { isOther } from '../port/private-file.ts'

const noCopy = 'no copy of the records is made'
const noMending = "a damaged book can't be repaired"
const noWriting = "the book can't be opened"

/** Consequence of a foreign file for the book, by the file's suffix. */
const lacks: Readonly<Record<string, string>> = {
  '.reserve': 'no space is reserved for a full disk',
  '.checkpoint': noCopy,
  '.checkpoint-wal': noCopy,
  '.checkpoint-journal': noCopy,
  '.mending': noMending,
  '.mending-wal': noMending,
  '.mending-journal': noMending,
  '.mending-lock': noMending,
  '.mending-source': noMending,
  '.mending-source-wal': noMending,
  '.mending-source-journal': noMending,
  '.erasing': "the book can't be erased",
  '-wal': noWriting,
  '-journal': noWriting,
}

/** Texts about foreign files beside the book at `path`, for suffixes that begin with `prefix`. */
export const leftAlone = (path: string, prefix = ''): string[] =>
  Object.keys(lacks)
    .filter((suffix) => suffix.startsWith(prefix) && isOther(path + suffix))
    .map((suffix) => textOf(path, suffix))

/** Throws `storage-failed` if there is a foreign file with a suffix that begins with `prefix`. */
export function refuseOthers(path: string, prefix: string): void {
  const suffix = Object.keys(lacks).find((one) => one.startsWith(prefix) && isOther(path + one))
  if (suffix === undefined) return
  throw DaybookError.from({
    code: 'storage-failed',
    message: textOf(path, suffix),
    retry: false,
    details: { path: path + suffix, reason: 'left-alone' },
  })
}

const textOf = (path: string, suffix: string) =>
  `${path}${suffix} is ${typeOf(path + suffix)} and not a file of this book: it stays as it is, and ${lacks[suffix]}. Move it away, and open the book again.`

function typeOf(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isSymbolicLink() ? 'a link' : found?.isDirectory() ? 'a folder' : 'no regular file'
}
