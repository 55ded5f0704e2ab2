// Where the socket of a book is. It lies in a folder that is its owner's alone; the file `<book>.socket` beside the book says
// where, so that whoever finds the book finds its socket, whatever its environment says of such folders.
// Invariant: a folder, a socket or a note that is another user's is neither used nor believed.
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
import { basename, isAbsolute, join } from 'node:path'
import { makeOwnFolder } from '../port/private-file.ts'

/** Windows has no sockets in folders: there a book is its process's alone. */
export const hasSockets = process.platform !== 'win32'

/** Platforms take 104 to 108 bytes. */
const longestPath = 100
const noteSuffix = '.socket'

/** Tells one file from every other of this machine, whatever it is called. */
export function fileIdOf(path: string): string | undefined {
  const found = lstatSync(realPath(path), { throwIfNoEntry: false, bigint: true })
  return found && `${found.dev}:${found.ino}`
}

/** Where the holder of the book at `path` listens; undefined where there is no folder that is its owner's alone. */
export function socketPathFor(path: string): string | undefined {
  const real = realPath(path)
  const mark = createHash('sha256').update(real).digest('hex').slice(0, 16)
  for (const folder of folders()) {
    if (!isOwnFolder(folder)) continue
    const named = join(folder, `${basename(real).replace(/\.daybook$/, '')}-${mark.slice(0, 8)}.sock`)
    const fit = [named, join(folder, `${mark}.sock`)].find((one) => Buffer.byteLength(one) <= longestPath)
    if (fit !== undefined) return fit
  }
  return undefined
}

/** Writes beside the book where its holder listens. */
export function noteSocket(path: string, socketPath: string): void {
  const note = realPath(path) + noteSuffix
  const fresh = `${note}.${process.pid}`
  // Neither through a link that somebody has put there, nor with less than the owner needs where the umask takes it away.
  rmSync(fresh, { force: true })
  writeFileSync(fresh, `${socketPath}\n`, { mode: 0o600, flag: 'wx' })
  chmodSync(fresh, 0o600)
  renameSync(fresh, note)
}

/** Where the holder of the book listens, or has listened when it was killed. */
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

/** Takes away the socket that a killed holder left. Anything else at that path stays. */
export function clearSocket(socketPath: string): void {
  if (isOwnSocket(socketPath)) rmSync(socketPath, { force: true })
}

/** Whether something lives at this path that must not be taken away: a socket that is listened at, or no socket. */
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

/** Nobody but its owner may connect. */
export const narrowSocket = (socketPath: string) => chmodSync(socketPath, 0o600)

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

const ownId = () => process.geteuid?.() ?? -1

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
