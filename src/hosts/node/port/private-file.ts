// What is written beside a book is for its owner alone: files 0600 and folders 0700, whatever the umask says; what others
// may read is narrowed. Invariant: no file that may be a database is opened here when it is there already, for closing it
// would let go of the locks that SQLite holds on it in this process.
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { nodePorts } from './node-ports.ts'

export const fileMode = 0o600
const folderMode = 0o700
const othersMode = 0o077
/** Windows keeps no such bits. */
const keepsModes = process.platform !== 'win32'

/** What SQLite writes beside a database. */
export const databaseSuffixes = ['', '-wal', '-shm', '-journal'] as const

/** Removes the database at `path`, which nothing has open, with what SQLite wrote beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of databaseSuffixes) removePlain(path + suffix)
}

/** Whether something stands there that is no plain file: a link, whatever it leads to, a folder, a pipe. */
export const isOther = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() === false

/** Whether there is a plain file. */
export const isPlain = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() === true

/** Removes a plain file, if there is one. */
export function removePlain(path: string): void {
  if (!isOther(path)) rmSync(path, { force: true })
}

const ofBook =
  /^(?:\.checkpoint|\.mending(?:-source)?|\.damaged-[^/]*)?(?:-wal|-shm|-journal)?$|^\.erasing$|^\.reserve$|^\.socket(?:\.\d+)?$|^\.upload-[0-9a-f]{16}$|^\.(?:key|vault|vault-key)(?:\.[0-9a-f-]{36})?$/
const isKey = /\.(?:key|vault|vault-key)(?:\.[0-9a-f-]{36})?$/

/**
 * Makes the folder, and those above it that are missing; answers the first that it made. What is there stays as it is.
 * Not `recursive`, of which Node says on a read-only file system that there is no such folder.
 */
export function makeOwnFolder(path: string, mode = folderMode): string | undefined {
  if (existsSync(path)) return undefined
  const first = makeOwnFolder(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
    chmodSync(path, mode)
    return first ?? path
  } catch (error) {
    // Somebody else made it meanwhile.
    if (!isCode(error, 'EEXIST')) throw error
    return first
  }
}

/** Begins a file that is not there yet; rejects with `EEXIST` when it is. */
export async function openOwnFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'wx', fileMode)
  await file.chmod(fileMode)
  return file
}

/** Removes a file that a book has left. Keys may be reached by a link, which goes; what else is no plain file stays. */
export function removeOfBook(path: string): void {
  if (isPlain(path) || (isKey.test(path) && isLink(path))) rmSync(path, { force: true })
}

/** Sees to it that SQLite finds the database as its owner's: made so, or narrowed. Its log and journal take its mode. */
export function claimDatabase(path: string): void {
  try {
    // A link that leads nowhere is written through: the file is not there, so nobody has it open.
    const file = openSync(path, isDangling(path) ? 'a' : 'wx', fileMode)
    fchmodSync(file, fileMode)
    closeSync(file)
  } catch (error) {
    // What else is wrong SQLite meets as well, and says.
    if (!isCode(error, 'EEXIST')) return
    const real = realpathSync(path)
    for (const suffix of databaseSuffixes) narrowPlain(real + suffix)
  }
}

/** The names of all that a book at `path` has left in its folder. */
export function filesOfBook(path: string): string[] {
  const folder = dirname(path)
  const own = basename(path)
  if (!existsSync(folder)) return []
  return readdirSync(folder).filter((name) => name.startsWith(own) && ofBook.test(name.slice(own.length)))
}

/** Narrows all that a book at `path` has left in its folder, and tells when others could read keys until now. */
export function narrowBook(path: string): void {
  const folder = dirname(path)
  const narrowed = filesOfBook(path).filter((name) =>
    (name === basename(path) ? narrow : narrowPlain)(join(folder, name)),
  )
  const keys = narrowed.filter((name) => isKey.test(name)).map((name) => join(folder, name))
  if (keys.length > 0)
    nodePorts.log.warn('Others of this machine could read keys of this book until now.', { files: keys })
}

/** The same as `narrow`, and never through a link: what it leads to may be anybody's. */
const narrowPlain = (path: string): boolean => isPlain(path) && narrow(path)

/** Takes from others what they may do with it; true when that was something. */
export function narrow(path: string): boolean {
  const found = keepsModes ? statSync(path, { throwIfNoEntry: false }) : undefined
  if (!found || (found.mode & othersMode) === 0) return false
  try {
    chmodSync(path, found.mode & ~othersMode & 0o777)
    return true
  } catch (error) {
    // It is another user's, or on a file system that keeps no modes: the book is still to be had.
    nodePorts.log.warn('Others of this machine may read a file of this book.', {
      file: path,
      reason: error instanceof Error ? error.message : String(error),
    })
    return false
  }
}

function isDangling(path: string): boolean {
  return isLink(path) && !existsSync(path)
}

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
