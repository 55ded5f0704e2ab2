// The first line: the platform's own rate limiting, by address, before anything is looked at. It is roughly right and costs
// nothing; the exact limits are the books' own.
import type { MiddlewareHandler } from 'hono'
import { DaybookError } from '../../../core/errors.ts'
import type { EdgeTypes } from '../../../edge/edge-env.ts'

/** As long as the platform counts, on the one that has such a binding: `period` in wrangler.toml. */
const retryAfterMs = 60_000

/** Refuses an address that asks too much, where the deployment has the binding `RATE_LIMIT`. */
export function limitAddress(): MiddlewareHandler<EdgeTypes> {
  return async (c, next) => {
    const key = c.req.header('cf-connecting-ip')
    const verdict = key === undefined ? undefined : await c.env.RATE_LIMIT?.limit({ key })
    if (verdict?.success === false)
      throw new DaybookError('rate-limited', undefined, { details: { retryAfterMs } })
    await next()
  }
}
