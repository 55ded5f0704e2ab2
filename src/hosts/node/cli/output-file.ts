// Writes a file whole or not at all: under another name beside its place, flushed, then renamed.
// Invariant: only a regular file is replaced; links are followed, pipes and devices written to. A signal ends
// the wait for a pipe. A file that can't be written is a usage error that says why.
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

interface Sink {
  writeFile(chunk: Uint8Array): Promise<void>
  close(): Promise<void>
}

/**
 * Writes all chunks to the file `target`, readable by its owner only. On failure the old file stays, and no
 * part of the new one.
 */
export async function writeWhole(
  target: string,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<number> {
  const path = await realpath(target).catch(() => target)
  const current = await stat(path).catch(() => undefined)
  // Otherwise the whole export would be written before the rename fails.
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

/** Writes all chunks and closes the sink, also when writing fails. */
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

const readerPollMs = 50

/** Opened without blocking: a blocking open of a pipe can't be interrupted, not even by exiting. */
async function openPipe(path: string, signal: AbortSignal): Promise<Sink> {
  for (;;) {
    try {
      const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
      const pipe = addAbortSignal(signal, new Socket({ fd, readable: false, writable: true }))
      // The write reports the error.
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

const writing = <Result>(target: string, write: () => Promise<Result>): Promise<Result> =>
  write().catch((cause: unknown) => {
    throw unwritable(target, cause)
  })

/** Error for a file that can't be written because of `cause`. A closed pipe is no fault. */
export const unwritable = (path: string, cause: unknown): unknown =>
  isBrokenPipe(cause) ? cause : new UsageError(`${path} can't be written: ${reasonOf(cause)}`)

/**
 * Usage error for a path that could not be created or written, where no command has reported it; else
 * `cause`.
 */
export function placeFault(cause: unknown): unknown {
  if (!(cause instanceof Error) || !('path' in cause) || !isPlaceFault(cause)) return cause
  const verb = 'syscall' in cause && cause.syscall === 'mkdir' ? 'made' : 'written'
  return new UsageError(`${String(cause.path)} can't be ${verb}: ${reasonOf(cause)}`)
}

const isPlaceFault = (cause: Error) =>
  /^E(?:ACCES|PERM|ROFS|NOSPC|DQUOT|NOTDIR|NAMETOOLONG|LOOP)$/.test(codeOf(cause))

/** Usage error if the book's folder can't be written; else `cause`. */
export async function openFault(path: string, cause: unknown): Promise<unknown> {
  if (!isDaybookError(cause, 'storage-failed')) return cause
  const fault = await access(dirname(path), constants.W_OK).catch(placeFault)
  return fault ?? cause
}

/** Stdout can't be written; the message says why. */
export class OutputError extends Error {
  override readonly name = 'OutputError'
}

/** Error for a fault of stdout: a broken pipe, or an `OutputError`. */
export const outputFault = (cause: Error): Error =>
  isBrokenPipe(cause) ? cause : new OutputError(`The output can't be written: ${reasonOf(cause)}.`, { cause })

/** Stdout as a stream that isn't ended: later output may follow. */
export const outStream = (): Writable =>
  new Writable({
    write: (chunk: Uint8Array, _encoding, done) =>
      void process.stdout.write(chunk, (cause) => done(cause ? outputFault(cause) : null)),
  })

/** Waits until stdout is flushed. Rejects when it fails or `signal` aborts. */
export async function flushOut(signal: AbortSignal): Promise<void> {
  if (signal.reason instanceof OutputError) throw signal.reason
  if (signal.aborted) return
  await new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    process.stdout.write('', (cause) => (cause ? reject(outputFault(cause)) : resolve()))
  })
}

/** The reader of our output closed the pipe. */
export function isBrokenPipe(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED')
  )
}
