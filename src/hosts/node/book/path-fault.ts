// Makes the errors for a path at which no book can be opened, because the system refuses it.
import { DaybookError } from '../../../core/errors.ts'

/** The error for a path that can't be opened for `reason`, with the way out. */
export const cannotOpen = (path: string, reason: string): DaybookError =>
  DaybookError.from({
    code: 'storage-failed',
    message: `${path} can't be opened (${reason}). Check that this user may read and write it and its folder, and that the disk is mounted for writing; or give the book another path.`,
    retry: false,
    details: { path, reason: 'cannot-open' },
  })

/**
 * Runs `work`. Throws `storage-full` or `storage-failed` with the path for an error of the system, such as `EACCES`.
 */
export function withPathFault<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!isSystemError(error)) throw error
    if (error.code !== 'ENOSPC' && error.code !== 'EDQUOT') throw cannotOpen(path, error.message)
    throw new DaybookError('storage-full', undefined, { details: { path }, cause: error })
  }
}

/** Whether a call of the system failed, with a code such as `ENOENT`. */
const isSystemError = (error: unknown): error is Error & { readonly code: unknown } =>
  error instanceof Error && 'syscall' in error && 'code' in error
