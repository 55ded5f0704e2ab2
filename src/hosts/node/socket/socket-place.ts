// The path of a book's socket, which is in a folder that only its user may open. The note, the file `<book>.socket`
// beside the book, contains the path, so that every process finds the socket whatever its environment.
// The locks for the names of its processes are in the same folder.
// Invariant: folders, sockets and notes of other users are never used.
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { makeOwnFolder } from '../port/private-file.ts'

/** Windows has no sockets in folders: there a book belongs to one process. */
export const hasSockets = process.platform !== 'win32'

/** Platforms allow 104 to 108 bytes. */
const longestPath = 100
const noteSuffix = '.socket'

/** Identifies a file of this machine, whatever its name; undefined if there is no file. */
export function fileIdOf(path: string): string | undefined {
  const found = lstatSync(realPath(path), { throwIfNoEntry: false, bigint: true })
  return found && `${found.dev}:${found.ino}`
}

/** The socket path of the owner of `path`; undefined if no folder belongs to its user alone. */
export function socketPathFor(path: string): string | undefined {
  const real = realPath(path)
  const hash = createHash('sha256').update(real).digest('hex').slice(0, 16)
  for (const folder of folders()) {
    if (!isOwnFolder(folder)) continue
    const named = join(folder, `${basename(real).replace(/\.daybook$/, '')}-${hash.slice(0, 8)}.sock`)
    const fit = [named, join(folder, `${hash}.sock`)].find((one) => Buffer.byteLength(one) <= longestPath)
    if (fit !== undefined) return fit
  }
  return undefined
}

/**
 * The path of the lock for the name `agent` of the book at `path`, which need not exist yet; undefined if no folder
 * belongs to its user alone.
 */
export function leasePathFor(path: string, agent: string): string | undefined {
  const folder = folders().find(isOwnFolder)
  if (folder === undefined) return undefined
  const parent = dirname(resolve(path))
  makeOwnFolder(parent)
  const real = existsSync(path) ? realPath(path) : join(realPath(parent), basename(path))
  const hash = createHash('sha256').update(real).digest('hex').slice(0, 16)
  return join(folder, `${hash}-${agent}.lease`)
}

/** Writes the note with the socket path beside the book. */
export function noteSocket(path: string, socketPath: string): void {
  const note = realPath(path) + noteSuffix
  const fresh = `${note}.${process.pid}`
  // Don't follow a link that somebody put there; set the mode whatever the umask.
  rmSync(fresh, { force: true })
  writeFileSync(fresh, `${socketPath}\n`, { mode: 0o600, flag: 'wx' })
  chmodSync(fresh, 0o600)
  renameSync(fresh, note)
}

/**
 * The socket path of the owner, which may have been killed since. Undefined if the note or the socket is
 * missing, or belongs to another user.
 */
export function readSocketNote(path: string): string | undefined {
  try {
    const note = realPath(path) + noteSuffix
    if (!isOwn(note)) return undefined
    const noted = readFileSync(note, 'utf8').trim()
    return isAbsolute(noted) && isOwnSocket(noted) ? noted : undefined
  } catch {
    return undefined
  }
}

export function forgetSocketNote(path: string): void {
  rmSync(realPath(path) + noteSuffix, { force: true })
}

/** Removes the socket of a killed owner. Other files at that path stay. */
export function clearSocket(socketPath: string): void {
  if (isOwnSocket(socketPath)) rmSync(socketPath, { force: true })
}

/** Whether the path is in use: by a listening socket, or by another file. */
export async function isTaken(socketPath: string): Promise<boolean> {
  if (!existsSync(socketPath)) return false
  if (!isOwnSocket(socketPath)) return true
  return new Promise((resolve) => {
    const probe = connect(socketPath)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
}

/** Only its user may connect. */
export const restrictSocket = (socketPath: string) => chmodSync(socketPath, 0o600)

export function isOwnSocket(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && found.isSocket() && found.uid === ownId()
}

function folders(): string[] {
  const { XDG_RUNTIME_DIR: runtime } = process.env
  const own = join(tmpdir(), `daybook-${ownId()}`)
  return runtime !== undefined && isAbsolute(runtime) ? [join(runtime, 'daybook'), own] : [own]
}

function isOwnFolder(path: string): boolean {
  try {
    makeOwnFolder(path)
    const found = lstatSync(path)
    return found.isDirectory() && found.uid === ownId() && (found.mode & 0o077) === 0
  } catch {
    return false
  }
}

function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && found.isFile() && found.uid === ownId()
}

/** The id of this user; -1, which is no user's id, on Windows. */
const ownId = () => process.geteuid?.() ?? -1

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
