// Writes a complete file or none: writes a temporary file in the same folder, flushes it, then renames it.
// Invariant: only a regular file is replaced; links are followed; pipes and devices are written to. A signal
// ends the wait for a pipe. A file that can't be written is a `UsageError` with the reason.
import { randomUUID } from 'node:crypto'
import { constants, openSync } from 'node:fs'
import { access, type FileHandle, open, realpath, rename, stat, unlink } from 'node:fs/promises'
import { Socket } from 'node:net'
import { dirname } from 'node:path'
import { addAbortSignal, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { isDaybookError } from '../../../core/errors.ts'
import { openOwnFile } from '../port/private-file.ts'
import { codeOf, reasonOf } from './input-file.ts'
import { UsageError } from './command.ts'

/** A file, a pipe or a device that is open for writing. */
interface Sink {
  writeFile(chunk: Uint8Array): Promise<void>
  close(): Promise<void>
}

/**
 * Writes all chunks to the file `target`, readable by its owner only. Resolves with the number of bytes. On
 * failure the old file stays, and the new file is deleted.
 */
export async function writeAtomically(
  target: string,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<number> {
  const path = await realpath(target).catch(() => target)
  const current = await stat(path).catch(() => undefined)
  // Check this first: the rename would fail only after the whole export.
  if (current?.isDirectory()) throw new UsageError(`${target} can't be written: it is a folder`)
  if (current?.isFIFO()) return writeInto(await writing(target, () => openPipe(path, signal)), target, chunks)
  if (current && !current.isFile())
    return writeInto(await writing(target, () => open(path, 'w')), target, chunks)
  const temporary = `${path}.${randomUUID()}.part`
  const file = await openOwnFile(temporary).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') throw new UsageError(`There is no folder ${dirname(path)} to write to`)
    throw unwritable(target, cause)
  })
  try {
    const sizeBytes = await writeInto(flushed(file), target, chunks)
    await writing(target, () => rename(temporary, path))
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

/** Writes all chunks and closes the sink, also if a write fails. Resolves with the number of bytes. */
async function writeInto(sink: Sink, target: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let sizeBytes = 0
  try {
    for await (const chunk of chunks) {
      await writing(target, () => sink.writeFile(chunk))
      sizeBytes += chunk.byteLength
    }
  } catch (error) {
    await sink.close().catch(() => undefined)
    throw error
  }
  await writing(target, () => sink.close())
  return sizeBytes
}

/** Interval of attempts to open a pipe that has no reader yet (`ENXIO`). */
const readerPollMs = 50

/**
 * Opens a pipe without blocking, and waits for its reader: a blocking open can't be interrupted, not even by
 * `process.exit`.
 */
async function openPipe(path: string, signal: AbortSignal): Promise<Sink> {
  for (;;) {
    try {
      const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
      const pipe = addAbortSignal(signal, new Socket({ fd, readable: false, writable: true }))
      // The callback of `write` gets the error.
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

/** Runs `write`; its error becomes that of `unwritable`. */
const writing = <Result>(target: string, write: () => Promise<Result>): Promise<Result> =>
  write().catch((cause: unknown) => {
    throw unwritable(target, cause)
  })

/**
 * The `UsageError` for a file that can't be written because of `cause`; a broken pipe is returned unchanged.
 */
export const unwritable = (path: string, cause: unknown): unknown =>
  isBrokenPipe(cause) ? cause : new UsageError(`${path} can't be written: ${reasonOf(cause)}`)

/**
 * The `UsageError` for a system error of a path that couldn't be created or written; returns any other
 * `cause` unchanged.
 */
export function placeFault(cause: unknown): unknown {
  if (cause instanceof Error && codeOf(cause) === 'EADDRINUSE' && 'port' in cause)
    return new UsageError(`Port ${String(cause.port)} is in use by another program; give another by --port`)
  if (cause instanceof Error && 'path' in cause && codeOf(cause) === 'ENOENT' && !isMaking(cause))
    return new UsageError(`There is no ${String(cause.path)}`)
  if (!(cause instanceof Error) || !('path' in cause) || !isPlaceFault(cause)) return cause
  const verb = isMaking(cause) ? 'made' : 'written'
  if (codeOf(cause) === 'ENOENT')
    return new UsageError(`${String(cause.path)} can't be made: no folder can be made there`)
  return new UsageError(`${String(cause.path)} can't be ${verb}: ${reasonOf(cause)}`)
}

const isPlaceFault = (cause: Error) =>
  /^E(?:ACCES|PERM|ROFS|NOSPC|DQUOT|NOTDIR|NAMETOOLONG|LOOP)$/.test(codeOf(cause)) ||
  (codeOf(cause) === 'ENOENT' && isMaking(cause))

/** Whether a folder couldn't be made. Missing parents are made first, so `ENOENT` is a refusal of the system. */
const isMaking = (cause: Error) => 'syscall' in cause && cause.syscall === 'mkdir'

/** The `UsageError` if a book failed to open because its folder can't be written; otherwise `cause`. */
export async function openFault(path: string, cause: unknown): Promise<unknown> {
  if (!isDaybookError(cause, 'storage-failed')) return cause
  // Undefined if the folder can be written.
  const fault = await access(dirname(path), constants.W_OK).catch(placeFault)
  return fault ?? cause
}

/** The error if stdout can't be written; the message has the reason. */
export class OutputError extends Error {
  override readonly name = 'OutputError'
}

/** The error for a fault of stdout: a broken pipe unchanged, any other fault as an `OutputError`. */
export const outputFault = (cause: Error): Error =>
  isBrokenPipe(cause) ? cause : new OutputError(`The output can't be written: ${reasonOf(cause)}.`, { cause })

/** A stream that writes to stdout, and doesn't end stdout when it ends. */
export const outStream = (): Writable =>
  new Writable({
    write: (chunk: Uint8Array, _encoding, done) =>
      void process.stdout.write(chunk, (cause) => done(cause ? outputFault(cause) : null)),
  })

/** Waits until stdout is flushed. Rejects if stdout fails or `signal` aborts. */
export async function flushOut(signal: AbortSignal): Promise<void> {
  if (signal.reason instanceof OutputError) throw signal.reason
  if (signal.aborted) return
  await new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    process.stdout.write('', (cause) => (cause ? reject(outputFault(cause)) : resolve()))
  })
}

/** Whether the reader of a pipe has closed it. */
export function isBrokenPipe(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED')
  )
}
