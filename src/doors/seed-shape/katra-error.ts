// What Katra calls errors, beside our codes: the one table, for its tools of the room and of days.
import type { DaybookError, ErrorCode } from '../../core/errors.ts'

const names: Partial<Readonly<Record<ErrorCode, string>>> = {
  'invalid-input': 'E_INPUT_INVALID',
  'invalid-filter': 'E_INPUT_INVALID',
  'not-found': 'E_INPUT_INVALID',
  'too-large': 'E_INPUT_TOO_LONG',
  'room-full': 'E_MEETING_FULL',
  forbidden: 'E_CONSENT_DENIED',
  unauthorized: 'E_CONSENT_DENIED',
  'storage-full': 'E_SYSTEM_IO',
  'storage-unavailable': 'E_SYSTEM_IO',
  'storage-failed': 'E_SYSTEM_DATABASE',
  'book-closed': 'E_NOT_INITIALIZED',
  'backup-failed': 'E_CHECKPOINT_FAILED',
}

/** A conflict says in `details.reason` what was not begun, or was begun already. */
const states: Readonly<Record<string, string>> = {
  'not-initialized': 'E_NOT_INITIALIZED',
  'already-initialized': 'E_ALREADY_INITIALIZED',
}

/** The answer that stands in place of an error. */
export function katraFailure({ code, message, details }: DaybookError) {
  const state = code === 'conflict' ? states[String(details['reason'])] : undefined
  return { error: state ?? names[code] ?? 'E_INVALID_STATE', message }
}
