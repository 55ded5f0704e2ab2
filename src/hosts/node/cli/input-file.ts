// Reads the files that are named on the command line. Invariant: one that can't be read is a mistake of the command line,
// and the message says why without any of its text; a signal ends the wait for a pipe.
import { constants, openSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { addAbortSignal, type Readable } from 'node:stream'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { jsonLimits } from '../../../core/json/json.ts'
import { UsageError } from './usage-error.ts'

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
  EACCES: 'its permissions do not allow it',
  EPERM: 'its permissions do not allow it',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its device is full',
  EDQUOT: 'the quota of its owner is used up',
  EFBIG: 'it is larger than its file system takes',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links lead in a circle',
  EBUSY: 'another program uses it',
  ENXIO: 'nobody listens there',
}

/** A file as it comes, and what is known of it. */
export async function openInput(path: string, signal: AbortSignal) {
  try {
    const found = await stat(path)
    if (found.isDirectory()) throw new UsageError(`${path} can't be read: it is a folder`)
    const stream = found.isFIFO() ? openPipe(path) : (await open(path)).createReadStream()
    return Object.assign(endable(stream, signal), { size: found.size, lastModified: found.mtimeMs })
  } catch (cause) {
    throw cause instanceof UsageError ? cause : unreadable(path, cause)
  }
}

/** An open that waits for the writer of a pipe could be ended by nothing, not even by the end of the process. */
const openPipe = (path: string) =>
  new Socket({
    fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK),
    readable: true,
    writable: false,
  })

export const openStdin = (signal: AbortSignal) => endable(process.stdin, signal)

/** An abort before anybody reads is no fault of its own: the reading tells it. */
function endable<Stream extends Readable>(stream: Stream, signal: AbortSignal): Stream {
  return addAbortSignal(signal, stream).on('error', () => undefined)
}

/** The text of the file. Rejects with `too-large` beyond what a call carries. */
export async function readInput(path: string, signal: AbortSignal): Promise<string> {
  return readAll(path, await openInput(path, signal))
}

/** The text of `stream`, which messages call `name`. */
export async function readAll(name: string, stream: Readable): Promise<string> {
  const { length: limit } = jsonLimits
  let text = ''
  try {
    for await (const piece of stream.setEncoding('utf8')) {
      text += piece
      if (text.length > limit)
        throw new DaybookError(
          'too-large',
          `${name} has more than ${limit.toLocaleString('en')} characters.`,
          {
            details: { path: name, limit },
          },
        )
    }
    return text
  } catch (cause) {
    throw isDaybookError(cause) ? cause : unreadable(name, cause)
  }
}

/** For a file that can't be read because of `cause`. */
export const unreadable = (path: string, cause: unknown) =>
  new UsageError(`${path} can't be read: ${reasonOf(cause)}`)

/** The words for an error of the system; its code where there are none. */
export const reasonOf = (cause: unknown): string => reasons[codeOf(cause)] ?? (codeOf(cause) || 'it failed')

export const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : ''
