// Which errors mean that a file is damaged, and not that it failed this once.
import { type DaybookError, isDaybookError } from '../../core/errors.ts'

/** SQLite's codes of pages that are not what they should be (https://sqlite.org/rescode.html). */
const brokenCodes: ReadonlySet<unknown> = new Set([11, 26])

/** True for what says that pages of a database are not what they should be. */
export function isBroken(error: unknown): error is DaybookError {
  return isDaybookError(error, 'storage-failed') && brokenCodes.has(error.details['result'])
}

/** What SQLite says of a fault, without what its error says besides of how to go on. */
export function faultWords(error: unknown): string {
  const { cause = error } = error instanceof Error ? error : {}
  return cause instanceof Error ? cause.message : String(cause)
}
