// Creates and restricts the files of a book for their owner only: files 0600 and folders 0700, independent of
// the umask.
// Invariant: no existing file that may be a database is opened here: on POSIX, closing it would release
// SQLite's locks of this process on the file.
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
/** False on Windows, which has no mode bits. */
const keepsModes = process.platform !== 'win32'

/** Suffixes of the files of a SQLite database. */
export const databaseSuffixes = ['', '-wal', '-shm', '-journal'] as const

/** Deletes the database at `path`, its log and its journal. Call it only after the database is closed. */
export function removeDatabase(path: string): void {
  for (const suffix of databaseSuffixes) removePlain(path + suffix)
}

/** Whether a link, folder, pipe or other file that isn't regular is at the path. */
export const isOther = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() === false

/** Whether a regular file is at the path. False for a link to a file. */
export const isPlain = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() === true

/** Deletes the file at the path if it is regular; anything else stays. */
export function removePlain(path: string): void {
  if (!isOther(path)) rmSync(path, { force: true })
}

/** A damaged file that a repair put aside. */
const isAside = /\.damaged-[^/\\]*$/
/**
 * Suffixes of all files of a book, and of its keys. `.new-…`: of a book that an import makes (cli/import-memory.ts). It
 * stays if the process is killed.
 */
const ofBook =
  /^(?:\.new-[0-9a-f]{8})?(?:(?:\.checkpoint|\.mending(?:-source)?|\.damaged-[^/]*)?(?:-wal|-shm|-journal)?|\.mending-lock|\.erasing|\.reserve|\.socket(?:\.\d+)?|\.upload-[0-9a-f]{16}|\.(?:key|vault|vault-key)(?:\.[0-9a-f-]{36})?)$/
/** A file with keys, whole or as the temporary file from which it is made. */
const isKey = /\.(?:key|vault|vault-key)(?:\.[0-9a-f-]{36})?$/

/**
 * Makes the folder and its missing parents. Returns the topmost new folder; undefined if the folder exists.
 * It doesn't use `recursive`: on a read-only file system Node would then report a missing folder.
 */
export function makeOwnFolder(path: string, mode = folderMode): string | undefined {
  if (existsSync(path)) return undefined
  const first = makeOwnFolder(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
    chmodSync(path, mode)
    return first ?? path
  } catch (error) {
    // Another process has made the folder.
    if (!isCode(error, 'EEXIST')) throw error
    return first
  }
}

/** Creates a new file for its owner only. Rejects with Node's error `EEXIST` if the file exists. */
export async function openOwnFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'wx', fileMode)
  await file.chmod(fileMode)
  return file
}

/** A file with keys that are of one book only. A signing key may be of several. */
const isSealingKey = /\.(?:vault|vault-key)$/

/**
 * Deletes a file of a book. A key file that is a link is deleted too; if this user made the link, also the vault, or the
 * key of the vault, to which it leads. A repair by an
 * earlier Daybook put a link to the damaged file aside: it is deleted with that file, if this user made the link. Other files that aren't regular stay.
 */
export function removeOfBook(path: string): void {
  if (isAside.test(path) && isLinkToOwn(path)) removeDatabase(realpathSync(path))
  else if (isSealingKey.test(path) && isLinkToOwn(path)) rmSync(realpathSync(path), { force: true })
  else if (!isPlain(path) && !(isKey.test(path) && isLink(path))) return
  rmSync(path, { force: true })
}

/** Whether a link that this user made leads from the path to a regular file. */
function isLinkToOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  const isOwn = found?.isSymbolicLink() === true && found.uid === (process.geteuid?.() ?? found.uid)
  return isOwn && statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/**
 * Creates or restricts the database file for its owner. Call it before SQLite opens the file: SQLite's log
 * and journal get the same mode.
 */
export function claimDatabase(path: string): void {
  try {
    const file = openSync(path, 'wx', fileMode)
    fchmodSync(file, fileMode)
    closeSync(file)
  } catch (error) {
    // Ignore other errors: SQLite reports them when it opens the file.
    if (!isCode(error, 'EEXIST')) return
    for (const suffix of databaseSuffixes) narrowPlain(path + suffix)
  }
}

/** Names of all files of the book at `path` in its folder. */
export function filesOfBook(path: string): string[] {
  const folder = dirname(path)
  const own = basename(path)
  if (!existsSync(folder)) return []
  return readdirSync(folder).filter((name) => name.startsWith(own) && ofBook.test(name.slice(own.length)))
}

/** Restricts all files of the book at `path` to their owner. Warns if other users could read keys. */
export function narrowBook(path: string): void {
  const folder = dirname(path)
  const narrowed = filesOfBook(path).filter((name) => narrowPlain(join(folder, name)))
  const keys = narrowed.filter((name) => isKey.test(name)).map((name) => join(folder, name))
  if (keys.length > 0)
    nodePorts.log.warn('Other users of this machine could read keys of this book until now.', { files: keys })
}

/** Like `narrow`, but does nothing for a link, which may lead to a file of another user. */
const narrowPlain = (path: string): boolean => isPlain(path) && narrow(path)

/**
 * Removes the rights of group and others. True if they had rights and these are removed. Only warns on
 * failure.
 */
export function narrow(path: string): boolean {
  const found = keepsModes ? statSync(path, { throwIfNoEntry: false }) : undefined
  if (!found || (found.mode & othersMode) === 0) return false
  try {
    chmodSync(path, found.mode & ~othersMode & 0o777)
    return true
  } catch (error) {
    // A file of another user, or a file system without modes: the book must still open.
    nodePorts.log.warn('Other users of this machine may read a file of this book.', {
      file: path,
      reason: error instanceof Error ? error.message : String(error),
    })
    return false
  }
}

export const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

/** True for an error of the system with this code, such as `ENOENT`. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
