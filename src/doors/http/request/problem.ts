// Every error of the edge in its one shape. What went wrong inside is logged by name, and no caller learns of it.
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { DaybookError, errorTable, toDaybookError } from '../../../core/errors.ts'
import { faultTrace } from '../../../edge/fault-trace.ts'

/** Answers `error` as `{ code, message, retry, details }` with the status of its code. */
export function respondWith(c: Context, error: unknown): Response {
  const known = toDaybookError(error)
  if (known.code === 'internal' || known.code === 'engine-died') logFault(known)
  const shown = known.code === 'internal' ? new DaybookError('internal') : known
  if (shown.code === 'unauthorized') c.header('WWW-Authenticate', 'Bearer realm="daybook"')
  const { retryAfterMs } = shown.details
  if (typeof retryAfterMs === 'number') c.header('Retry-After', String(Math.ceil(retryAfterMs / 1000)))
  return c.json(shown.toJSON(), errorTable[shown.code].status as ContentfulStatusCode)
}

/** Writes down where a fault of Daybook itself was thrown. */
export function logFault(error: DaybookError): void {
  console.error(JSON.stringify({ code: error.code, stack: faultTrace(error) }))
}
