// Reads the files that are named on the command line. Invariant: one that can't be read is a mistake of the command line,
// and the message says why without any of its text.
import { readFile } from 'node:fs/promises'
import { UsageError } from './usage-error.ts'

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
  EACCES: 'its permissions do not allow it',
  EPERM: 'its permissions do not allow it',
}

export async function readInput(path: string, signal?: AbortSignal): Promise<string> {
  try {
    return await readFile(path, { encoding: 'utf8', ...(signal ? { signal } : {}) })
  } catch (cause) {
    if (signal?.aborted === true) throw cause
    throw unreadable(path, cause)
  }
}

/** For a file that can't be read because of `cause`. */
export function unreadable(path: string, cause: unknown): UsageError {
  return new UsageError(`${path} can't be read: ${reasonOf(cause) ?? (codeOf(cause) || 'it failed')}`)
}

/** The words for an error of the system that another path mends; nothing for others. */
export const reasonOf = (cause: unknown): string | undefined => reasons[codeOf(cause)]

const codeOf = (cause: unknown) => (cause instanceof Error && 'code' in cause ? String(cause.code) : '')
