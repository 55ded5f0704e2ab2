// A file that appears whole or not at all: written under another name beside its place, flushed, then renamed.
// Invariant: only a file is replaced. A link leads to one, and a pipe or a device is written into. A signal ends the wait for
// a pipe, and what can't be written is a mistake of the command line: the message says which and why.
import { randomUUID } from 'node:crypto'
import { constants, openSync } from 'node:fs'
import { access, type FileHandle, open, realpath, rename, stat, unlink } from 'node:fs/promises'
import { Socket } from 'node:net'
import { dirname } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { isDaybookError } from '../../../core/errors.ts'
import { openOwnFile } from '../port/private-file.ts'
import { codeOf, reasonOf } from './input-file.ts'
import { isBrokenPipe } from './stdout.ts'
import { UsageError } from './usage-error.ts'

interface Sink {
  writeFile(chunk: Uint8Array): Promise<void>
  close(): Promise<void>
}

/** Writes all chunks to the file `given`, for its owner alone. On any failure nothing is left, and what was there stays. */
export async function writeWhole(
  given: string,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<number> {
  const path = await realpath(given).catch(() => given)
  const found = await stat(path).catch(() => undefined)
  // The name beside it could be written, and the whole export would be in vain.
  if (found?.isDirectory()) throw new UsageError(`${given} can't be written: it is a folder`)
  if (found?.isFIFO()) return writeInto(await writing(given, () => openPipe(path, signal)), given, chunks)
  if (found && !found.isFile()) return writeInto(await writing(given, () => open(path, 'w')), given, chunks)
  const temporary = `${path}.${randomUUID()}.part`
  const file = await openOwnFile(temporary).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') throw new UsageError(`There is no folder ${dirname(path)} to write to`)
    throw unwritable(given, cause)
  })
  try {
    const sizeBytes = await writeInto(flushed(file), given, chunks)
    await writing(given, () => rename(temporary, path))
    return sizeBytes
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  }
}

const flushed = (file: FileHandle): Sink => ({
  writeFile: (chunk) => file.writeFile(chunk),
  close: () => file.sync().finally(() => file.close()),
})

/** Writes all chunks and closes the sink, also when it fails. */
async function writeInto(sink: Sink, given: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let sizeBytes = 0
  try {
    for await (const chunk of chunks) {
      await writing(given, () => sink.writeFile(chunk))
      sizeBytes += chunk.byteLength
    }
  } catch (error) {
    await sink.close().catch(() => undefined)
    throw error
  }
  await writing(given, () => sink.close())
  return sizeBytes
}

const readerPollMs = 50

/** An open that waits for the reader of a pipe could be ended by nothing, not even by the end of the process. */
async function openPipe(path: string, signal: AbortSignal): Promise<Sink> {
  for (;;) {
    try {
      const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
      const pipe = addAbortSignal(signal, new Socket({ fd, readable: false, writable: true }))
      // What fails is told by the writing.
      pipe.on('error', () => undefined)
      return {
        writeFile: (chunk) =>
          new Promise(
            (resolve, reject) => void pipe.write(chunk, (error) => (error ? reject(error) : resolve())),
          ),
        close: () => finished(pipe.end()),
      }
    } catch (cause) {
      if (codeOf(cause) !== 'ENXIO') throw cause
      await setTimeout(readerPollMs, undefined, { signal })
    }
  }
}

const writing = <Result>(given: string, write: () => Promise<Result>): Promise<Result> =>
  write().catch((cause: unknown) => {
    throw unwritable(given, cause)
  })

/** For a file that can't be written because of `cause`. A pipe that nobody reads on is no fault. */
export const unwritable = (path: string, cause: unknown): unknown =>
  isBrokenPipe(cause) ? cause : new UsageError(`${path} can't be written: ${reasonOf(cause)}`)

/** What a fault of a place means that no command has words for: it could not be made or written. Else `cause`. */
export function placeFault(cause: unknown): unknown {
  if (!(cause instanceof Error) || !('path' in cause) || !isPlaceFault(cause)) return cause
  const verb = 'syscall' in cause && cause.syscall === 'mkdir' ? 'made' : 'written'
  return new UsageError(`${String(cause.path)} can't be ${verb}: ${reasonOf(cause)}`)
}

const isPlaceFault = (cause: Error) =>
  /^E(?:ACCES|PERM|ROFS|NOSPC|DQUOT|NOTDIR|NAMETOOLONG|LOOP)$/.test(codeOf(cause))

/** Why the book at `path` did not open: its folder, where that can't be written; else `cause`. */
export async function openFault(path: string, cause: unknown): Promise<unknown> {
  if (!isDaybookError(cause, 'storage-failed')) return cause
  const fault = await access(dirname(path), constants.W_OK).catch(placeFault)
  return fault ?? cause
}
