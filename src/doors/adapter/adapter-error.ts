// Errors of adapters: a `DaybookError` with the message of the framework.
import { DaybookError, type ErrorCode } from '../../core/errors.ts'

/** An error with exactly this message: models were trained on it, or the framework's tests need it. */
export function adapterError(
  code: ErrorCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): DaybookError {
  return DaybookError.from({ code, message, retry: false, details })
}
