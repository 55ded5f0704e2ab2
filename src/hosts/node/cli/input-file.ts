// Reads the files that the command line names.
// Invariant: an unreadable file is a `UsageError` without the file's text; a signal ends the wait for a pipe.
import { constants, openSync, statSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { addAbortSignal, type Readable } from 'node:stream'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { jsonLimits } from '../../../core/json/json.ts'
import { UsageError } from './command.ts'

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
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

/**
 * Opens a file as a stream, with its size in bytes and its date. Rejects with `UsageError` if it can't be
 * read.
 */
export async function openInput(path: string, signal: AbortSignal) {
  try {
    const found = await stat(path)
    if (found.isDirectory()) throw new UsageError(`${path} can't be read: it is a folder`)
    const stream = found.isFIFO() ? openPipe(path) : (await open(path)).createReadStream()
    return Object.assign(abortable(stream, signal), { size: found.size, lastModified: found.mtimeMs })
  } catch (cause) {
    throw cause instanceof UsageError ? cause : unreadable(path, cause)
  }
}

/** Opens a pipe without blocking: a blocking open can't be interrupted, not even by `process.exit`. */
const openPipe = (path: string) =>
  new Socket({
    fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK),
    readable: true,
    writable: false,
  })

/** Stdin as a stream that an abort of `signal` destroys. */
export const openStdin = (signal: AbortSignal) => abortable(process.stdin, signal)

/**
 * Makes an abort of `signal` destroy the stream. An abort before the first read is no uncaught error: the
 * next read rejects.
 */
function abortable<Stream extends Readable>(stream: Stream, signal: AbortSignal): Stream {
  return addAbortSignal(signal, stream).on('error', () => undefined)
}

/** Reads a text file. Rejects with `too-large` above `jsonLimits.length` characters. */
export async function readInput(path: string, signal: AbortSignal): Promise<string> {
  return readAll(path, await openInput(path, signal))
}

/** Reads the whole stream as text. `name`: the stream's name in errors. */
async function readAll(name: string, stream: Readable): Promise<string> {
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
            details: { path: name, limitCharacters: limit },
          },
        )
    }
    return text
  } catch (cause) {
    throw isDaybookError(cause) ? cause : unreadable(name, cause)
  }
}

/** The `UsageError` for a file that can't be read because of `cause`. */
export const unreadable = (path: string, cause: unknown) =>
  new UsageError(`${path} can't be read: ${reasonOf(cause)}`)

/**
 * Whether a file is at the path. Throws the error of `unreadable` if that is unknown, for example because this user may
 * not enter the folder.
 */
export function isFileThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

/** A text for a system error; its code if there is no text. */
export const reasonOf = (cause: unknown): string => reasons[codeOf(cause)] ?? (codeOf(cause) || 'it failed')

/** The code of a system error, as `ENOENT`; empty for other values. */
export const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : ''

/**
 * Parses JSON from an argument, a file (`@file`) or stdin (`-`). `label`: the name of the input in errors.
 * Rejects with `UsageError`.
 */
export async function readJsonSource(source: string, label: string, signal: AbortSignal): Promise<unknown> {
  const text = await readTextSource(source, signal)
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new UsageError(`${label} is not JSON: ${cause instanceof Error ? cause.message : ''}`)
  }
}

/** Reads a text from an argument, a file (`@file`) or stdin (`-`). */
export async function readTextSource(source: string, signal: AbortSignal): Promise<string> {
  if (source === '-') return readAll('stdin', openStdin(signal))
  if (!source.startsWith('@')) return source
  return readInput(source.slice(1), signal)
}

/**
 * Reads a passphrase: the first line of a file. A passphrase is never an argument, because every process can
 * read arguments.
 */
export async function readPassphrase(path: string, signal: AbortSignal): Promise<string> {
  const [line = ''] = (await readInput(path, signal)).split(/\r?\n/)
  if (line === '') throw new UsageError(`${path} has no passphrase on its first line`)
  return line
}
