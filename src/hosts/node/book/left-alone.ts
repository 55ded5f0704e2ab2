// What stands where a book keeps a file beside it, and is none of its: a link, a folder, a pipe. A link may lead to anybody's
// file. Invariant: it stays as it is, and so does what a link leads to; the book works on without that file, and says so.
import { lstatSync } from 'node:fs'
import { DaybookError } from '../../../core/errors.ts'
import { isOther } from '../port/private-file.ts'

const noCopy = 'no copy of the records is kept'
const noMending = 'a damaged book can not be mended'
const noWriting = 'the book can not be opened'

/** What a book lacks without its file of this name. */
const lacks: Readonly<Record<string, string>> = {
  '.reserve': 'no space is kept back for a full disk',
  '.checkpoint': noCopy,
  '.checkpoint-wal': noCopy,
  '.checkpoint-journal': noCopy,
  '.mending': noMending,
  '.mending-wal': noMending,
  '.mending-journal': noMending,
  '.mending-source': noMending,
  '.mending-source-wal': noMending,
  '.mending-source-journal': noMending,
  '.erasing': 'the book can not be erased',
  '-wal': noWriting,
  '-journal': noWriting,
}

/** Of the book at `path`: what is said of each such thing whose name begins with `prefix`. */
export const leftAlone = (path: string, prefix = ''): string[] =>
  Object.keys(lacks)
    .filter((suffix) => suffix.startsWith(prefix) && isOther(path + suffix))
    .map((suffix) => textOf(path, suffix))

/** Throws where one of them stands in the way of what is to be done now. */
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
  `${path}${suffix} is ${whatIs(path + suffix)} and no file of this book: it is left alone, and ${lacks[suffix]}. Move it away, and open the book again.`

/** Of something that is no plain file: in words. */
function whatIs(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isSymbolicLink() ? 'a link' : found?.isDirectory() ? 'a folder' : 'no plain file'
}
