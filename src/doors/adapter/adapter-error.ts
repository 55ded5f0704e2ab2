// What an adapter refuses: in the words of its framework, as the error that everything in a book fails with.
import { DaybookError, type ErrorCode } from '../../core/errors.ts'

/** An error whose message is exactly `message`: models were trained on it, or tests of the framework ask for it. */
export function adapterError(
  code: ErrorCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): DaybookError {
  return DaybookError.from({ code, message, retry: false, details })
}
