// Answers errors of the edge in one shape. Internal errors are logged; the caller gets no details of them.
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { DaybookError, errorTable, toDaybookError } from '../../../core/errors.ts'
import type { EdgeEnv } from '../../../edge/edge-env.ts'
import { faultTrace } from '../../../edge/outcome.ts'
import { challengeOf } from './protected-resource.ts'

/** Answers `error` as `{ code, message, retry, details }` with the status of its code. */
export function respondWith(c: Context, error: unknown): Response {
  const fault = toDaybookError(error)
  if (fault.code === 'internal' || fault.code === 'engine-died') logFault(fault)
  const publicError = fault.code === 'internal' ? new DaybookError('internal') : fault
  if (publicError.code === 'unauthorized')
    c.header('WWW-Authenticate', challengeOf(c.req.url, c.env as EdgeEnv))
  const { retryAfterMs } = publicError.details
  if (typeof retryAfterMs === 'number') c.header('Retry-After', String(Math.ceil(retryAfterMs / 1000)))
  return c.json(publicError.toJSON(), errorTable[publicError.code].status as ContentfulStatusCode)
}

/** Logs the code and the stack of an internal error. */
export function logFault(error: DaybookError): void {
  console.error(JSON.stringify({ code: error.code, stack: faultTrace(error) }))
}
