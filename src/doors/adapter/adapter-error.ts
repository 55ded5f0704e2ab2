// Errors of adapters: a `DaybookError` whose message follows the framework.
import { DaybookError, type ErrorCode } from '../../core/errors.ts'

/**
 * Returns an error with exactly this message, because models or the framework's tests expect it. `retry` is false.
 */
export function adapterError(
  code: ErrorCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): DaybookError {
  return DaybookError.from({ code, message, retry: false, details })
}
