// An error in words for a reader: the fault, whether anything was lost, and the remedy. Every error code has an answer to "was
// anything lost?"; the default is no.
import { DaybookError, type ErrorCode, errorTable } from '../../src/index.ts'

export interface ErrorWords {
  readonly code: ErrorCode
  readonly fault: string
  readonly lost: string
  readonly remedy: string
  /** Further faults of the same input. */
  readonly also: readonly string[]
  readonly details: string
}

const nothingLost = 'Nothing was lost.'
const lost: Partial<Record<ErrorCode, string>> = {
  'invalid-file': 'Nothing of this file was imported; the book is as it was.',
  'invalid-input': 'Nothing was stored; the book is as it was.',
  'too-large': 'Nothing was stored; the book is as it was.',
  'storage-full': 'This change was not stored. Everything stored before is still there and readable.',
  'storage-failed': 'This change may not have been stored. Everything acknowledged before is kept.',
  'engine-died': 'No saved data was lost. A call without an answer may have taken effect.',
  'deadline-exceeded': 'Nothing was lost. The call may still take effect.',
  'open-elsewhere': 'Nothing was lost. The book is open in the other tab.',
  offline: 'Nothing was lost. Unsent changes are kept and sent at the next sync.',
  unauthorized: 'Nothing was lost. Unsent changes are kept until the key is correct.',
  'book-newer': 'Nothing was lost or changed.',
  aborted: 'Nothing was changed.',
}

/** Remedies for people, where those of the table are for programs. */
const remedies: Partial<Record<ErrorCode, string>> = {
  'invalid-file': 'Fix the file and import it again.',
  'invalid-input': 'Fix the fields above and try again.',
  'invalid-filter': 'Remove the filter or create it again.',
  'too-large': 'Split it and try again.',
  'storage-unavailable': 'Allow site data for this page and try again.',
  'sync-off': 'Switch syncing on in the sync settings.',
  unauthorized: 'Check the key in the sync settings.',
}
const alsoShown = 5

function furtherIssues({ details }: DaybookError): string[] {
  const issues = Array.isArray(details['issues'])
    ? (details['issues'] as { path: string; message: string }[])
    : []
  return issues
    .slice(1, 1 + alsoShown)
    .map(({ path, message }) => `${path === '' ? 'the whole' : path}: ${message}`)
}

/** Puts an error into words; anything that is not a `DaybookError` counts as `internal`. */
export function errorWords(error: unknown): ErrorWords {
  const daybookError = asDaybookError(error)
  const { recovery } = errorTable[daybookError.code]
  const message = daybookError.message.endsWith(recovery)
    ? daybookError.message.slice(0, -recovery.length).trim()
    : daybookError.message
  return {
    code: daybookError.code,
    fault: message,
    lost: lost[daybookError.code] ?? nothingLost,
    remedy: remedies[daybookError.code] ?? recovery,
    also: furtherIssues(daybookError),
    details: JSON.stringify({ ...daybookError.toJSON(), page: navigator.userAgent }, null, 2),
  }
}

export function asDaybookError(error: unknown): DaybookError {
  if (error instanceof DaybookError) return error
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return new DaybookError('internal', message, { cause: error })
}
