// Imports into the memory of an agent, which may not exist: creates a new book under a temporary name in the same folder,
// and renames it after the import.
// Invariant: a failure leaves no book; an existing book is never replaced, nor a key that is not the new book's.
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Daybook } from '../../../book/daybook.ts'
import type { CommandContext } from './command.ts'
import { isFileThere } from './input-file.ts'
import { bookPathOf } from '../port/book-path.ts'
import { hasCopy } from '../book/checkpoint-file.ts'
import { randomBytes } from 'node:crypto'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { finishErasing } from '../book/erase-file.ts'
import { openNodeDatabase } from '../book/node-database.ts'
import { cannotOpen } from '../book/path-fault.ts'
import { moveKeys } from '../key/key-place.ts'
import { keySuffix, vaultKeySuffix, vaultSuffix } from '../key/key-turn.ts'
import { filesOfBook, makeOwnFolder, removeOfBook } from '../port/private-file.ts'

interface Place extends Pick<CommandContext, 'bookFile' | 'open'> {
  /** True: the import changes nothing. Default: false. */
  readonly isDryRun?: boolean
}

/** Runs an import. If there is no book, a new book gets its name only after the import has succeeded. */
export async function importOnce<Result>(
  importInto: (book: Daybook) => Promise<Result>,
  { isDryRun = false, bookFile: start, open }: Place,
): Promise<Result> {
  const place = bookPathOf(start)
  const { path: bookFile, link } = place
  if (!isDryRun) dropAbandoned(bookFile)
  // If the book's file is lost but its checkpoint exists, opening restores the book.
  if (isFileThere(bookFile) || hasCopy(bookFile)) return importInto(await open())
  if (isDryRun) return importInto(await open({ file: ':memory:' }))
  // No folder is made where a link leads: its disk may not be mounted.
  if (link !== undefined && !existsSync(dirname(bookFile)))
    throw cannotOpen(bookFile, 'its folder is missing')
  // An erasure that was cut: the next opening would finish it, and delete the new book.
  finishErasing(place)
  if (link !== undefined) moveKeys(link, bookFile)
  const staged = stageBook(bookFile)
  try {
    staged.takeKeys()
    const book = await open({ file: staged.file })
    const result = await importInto(book).finally(() => book.close())
    staged.keep()
    return result
  } catch (error) {
    staged.drop()
    throw isDaybookError(error) ? renamed(error, staged.file, bookFile) : error
  }
}

/** The error with the final name of the book: no file has the temporary one any more. */
function renamed(error: DaybookError, from: string, to: string): DaybookError {
  if (!error.message.includes(from)) return error
  const { code, message, retry, details } = error
  return DaybookError.from({ code, message: message.replaceAll(from, to), retry, details })
}

/** Suffixes of the files with keys. The vault may get more keys; the others never change. */
const keySuffixes = [keySuffix, vaultKeySuffix, vaultSuffix]
/** Suffix of the new book until it gets its name: 8 random hex digits. */
const stagedName = /^\.new-[0-9a-f]{8}$/

interface StagedBook {
  readonly file: string
  /**
   * Gives the new book the keys that an earlier one left, as it gets them when it is opened in place. Call it
   * before the book is opened.
   */
  takeKeys(): void
  /**
   * Renames the new book to its final name. Call it only after the book is closed. Throws `conflict` if
   * another process has created the book.
   */
  keep(): void
  /**
   * Deletes the new book, and the folders that were made for it if they are empty. Call it only after the
   * book is closed.
   */
  drop(): void
}

function stageBook(bookFile: string): StagedBook {
  const folder = dirname(bookFile)
  // The topmost folder that was missing; undefined for none.
  const firstCreated = makeOwnFolder(folder)
  const file = `${bookFile}.new-${randomBytes(4).toString('hex')}`
  const suffixes = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith(basename(file)))
      .map((name) => name.slice(basename(file).length))
  /** Suffixes of key files that an earlier book left. */
  const earlier = keySuffixes.filter((suffix) => existsSync(bookFile + suffix))
  /** Renames a new file. Unlike a rename, a link fails if another process has created the file. */
  const link = (suffix: string) => {
    try {
      linkSync(file + suffix, bookFile + suffix)
    } catch (error) {
      throw existsSync(bookFile + suffix) ? createdMeanwhile(bookFile) : error
    }
    rmSync(file + suffix)
  }
  return {
    file,
    takeKeys() {
      for (const suffix of earlier) copyFileSync(bookFile + suffix, file + suffix)
    },
    keep() {
      if (existsSync(bookFile)) throw createdMeanwhile(bookFile)
      // Move the key files first: a process that opens the book needs them.
      for (const suffix of suffixes().filter((one) => one !== '')) {
        // Copies of the earlier keys, which never change, are no longer needed.
        if (earlier.includes(suffix) && suffix !== vaultSuffix) rmSync(file + suffix)
        else if (keySuffixes.includes(suffix) && !earlier.includes(suffix)) link(suffix)
        else renameSync(file + suffix, bookFile + suffix)
      }
      link('')
    },
    drop() {
      for (const suffix of suffixes()) rmSync(join(folder, basename(file) + suffix), { force: true })
      if (firstCreated === undefined) return
      for (let at = folder; at.length >= firstCreated.length; at = dirname(at)) {
        // Keep a folder in which another process has created files.
        if (readdirSync(at).length > 0) return
        rmdirSync(at)
      }
    },
  }
}

/** Longer than an import takes to rename a book that it has closed. */
const abandonedMs = 60_000

/** Deletes the new books of imports that were killed. A book that was changed lately, or is open, stays. */
function dropAbandoned(bookFile: string): void {
  const folder = dirname(bookFile)
  const names = filesOfBook(bookFile)
  const staged = names.filter((name) => stagedName.test(name.slice(basename(bookFile).length)))
  for (const name of staged) {
    const file = join(folder, name)
    const own = names.filter((one) => one.startsWith(name)).map((one) => join(folder, one))
    const changedAt = Math.max(...own.map((one) => statSync(one, { throwIfNoEntry: false })?.mtimeMs ?? 0))
    if (Date.now() - changedAt > abandonedMs && !isOpen(file)) for (const one of own) removeOfBook(one)
  }
}

/** Whether a process has the database open. */
function isOpen(file: string): boolean {
  try {
    openNodeDatabase({ path: file }).close()
    return false
  } catch (error) {
    return isDaybookError(error, 'open-elsewhere')
  }
}

function createdMeanwhile(bookFile: string): DaybookError {
  return new DaybookError('conflict', `Another process created ${bookFile} in the meantime: import again.`)
}
