// A book that is only there once something is in it. It is made beside its place and moved there when all went well.
// Invariant: what fails leaves no book, and a book that is there already is never replaced.
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DaybookError } from '../../../core/errors.ts'
import { makeOwnFolder } from '../port/private-file.ts'

export interface StagedBook {
  /** Where it is made. */
  readonly file: string
  /** Moves it to its place. It must be closed. */
  keep(): void
  /** Takes it away, and the folders that were made for it. It must be closed. */
  drop(): void
}

export function stageBook(bookFile: string): StagedBook {
  const folder = dirname(bookFile)
  const firstMade = makeOwnFolder(folder)
  const file = `${bookFile}.new-${randomBytes(4).toString('hex')}`
  const suffixes = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith(basename(file)))
      .map((name) => name.slice(basename(file).length))
  return {
    file,
    keep() {
      if (existsSync(bookFile)) throw madeMeanwhile(bookFile)
      // Its keys come first: whoever finds the book finds them.
      for (const suffix of suffixes()) if (suffix !== '') renameSync(file + suffix, bookFile + suffix)
      try {
        linkSync(file, bookFile)
      } catch (error) {
        throw existsSync(bookFile) ? madeMeanwhile(bookFile) : error
      }
      rmSync(file)
    },
    drop() {
      for (const suffix of suffixes()) rmSync(join(folder, basename(file) + suffix), { force: true })
      if (firstMade === undefined) return
      for (let at = folder; at.length >= firstMade.length; at = dirname(at)) {
        // Somebody else may have put something there meanwhile.
        if (readdirSync(at).length > 0) return
        rmdirSync(at)
      }
    },
  }
}

function madeMeanwhile(bookFile: string): DaybookError {
  return new DaybookError('conflict', `Another process has made ${bookFile} meanwhile: import again.`)
}
