// Files beside a book for its owner only: files 0600 and folders 0700, whatever the umask; wider modes are
// restricted.
// Invariant: no existing file that may be a database is opened here: closing it would release the locks that
// SQLite holds on it in this process.
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
/** Windows has no mode bits. */
const keepsModes = process.platform !== 'win32'

/** Suffixes of SQLite's files. */
export const databaseSuffixes = ['', '-wal', '-shm', '-journal'] as const

/** Removes the closed database at `path` with SQLite's files beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of databaseSuffixes) removePlain(path + suffix)
}

/** Whether the path is a link, folder, pipe or other file that isn't regular. */
export const isOther = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() === false

/** Whether the path is a regular file. */
export const isPlain = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() === true

/** Removes a regular file, if there is one. */
export function removePlain(path: string): void {
  if (!isOther(path)) rmSync(path, { force: true })
}

const ofBook =
  /^(?:\.checkpoint|\.mending(?:-source)?|\.damaged-[^/]*)?(?:-wal|-shm|-journal)?$|^\.erasing$|^\.reserve$|^\.socket(?:\.\d+)?$|^\.upload-[0-9a-f]{16}$|^\.(?:key|vault|vault-key)(?:\.[0-9a-f-]{36})?$/
const isKey = /\.(?:key|vault|vault-key)(?:\.[0-9a-f-]{36})?$/

/**
 * Makes the folder and its missing parents; returns the first one that it made.
 * Not `recursive`: on a read-only file system Node then reports a missing folder.
 */
export function makeOwnFolder(path: string, mode = folderMode): string | undefined {
  if (existsSync(path)) return undefined
  const first = makeOwnFolder(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
    chmodSync(path, mode)
    return first ?? path
  } catch (error) {
    // Another process made it meanwhile.
    if (!isCode(error, 'EEXIST')) throw error
    return first
  }
}

/** Creates a new file; rejects with `EEXIST` if it exists. */
export async function openOwnFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'wx', fileMode)
  await file.chmod(fileMode)
  return file
}

/** Removes a file of a book. A key may be a link, which is removed; other files that aren't regular stay. */
export function removeOfBook(path: string): void {
  if (isPlain(path) || (isKey.test(path) && isLink(path))) rmSync(path, { force: true })
}

/**
 * Creates or restricts the database for its owner before SQLite opens it. SQLite's log and journal take its
 * mode.
 */
export function claimDatabase(path: string): void {
  try {
    // Writing through a dangling link is safe: nobody has the missing file open.
    const file = openSync(path, isDangling(path) ? 'a' : 'wx', fileMode)
    fchmodSync(file, fileMode)
    closeSync(file)
  } catch (error) {
    // SQLite reports other errors.
    if (!isCode(error, 'EEXIST')) return
    const real = realpathSync(path)
    for (const suffix of databaseSuffixes) narrowPlain(real + suffix)
  }
}

/** Names of all files of the book at `path` in its folder. */
export function filesOfBook(path: string): string[] {
  const folder = dirname(path)
  const own = basename(path)
  if (!existsSync(folder)) return []
  return readdirSync(folder).filter((name) => name.startsWith(own) && ofBook.test(name.slice(own.length)))
}

/** Restricts all files of the book at `path`, and warns if others could read keys. */
export function narrowBook(path: string): void {
  const folder = dirname(path)
  const narrowed = filesOfBook(path).filter((name) =>
    (name === basename(path) ? narrow : narrowPlain)(join(folder, name)),
  )
  const keys = narrowed.filter((name) => isKey.test(name)).map((name) => join(folder, name))
  if (keys.length > 0)
    nodePorts.log.warn('Other users of this machine could read keys of this book until now.', { files: keys })
}

/** Like `narrow`, but doesn't follow links, which may lead to anybody's file. */
const narrowPlain = (path: string): boolean => isPlain(path) && narrow(path)

/** Removes the rights of others; true if they had any. */
export function narrow(path: string): boolean {
  const found = keepsModes ? statSync(path, { throwIfNoEntry: false }) : undefined
  if (!found || (found.mode & othersMode) === 0) return false
  try {
    chmodSync(path, found.mode & ~othersMode & 0o777)
    return true
  } catch (error) {
    // Another user's file, or a file system without modes: the book still opens.
    nodePorts.log.warn('Other users of this machine may read a file of this book.', {
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
