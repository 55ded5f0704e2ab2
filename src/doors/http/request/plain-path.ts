// An address has one spelling here. Invariant: all that routes and names of books are made of stands in a path as it is, so
// that nobody who looks at an address before it is decoded can read another one there than whoever answers it.
import type { MiddlewareHandler } from 'hono'
import { DaybookError } from '../../../core/errors.ts'
import type { EdgeTypes } from '../../../edge/edge-env.ts'

/** What nothing has to be encoded for (RFC 3986, section 2.3): with and without, it is the same address. */
const unreserved = /^[A-Za-z0-9._~-]$/

/** Refuses a path that is another one once it is decoded, such as `/v1/%62ooks`. */
export function requirePlainPath(): MiddlewareHandler<EdgeTypes> {
  return async (c, next) => {
    const encoded = new URL(c.req.url).pathname.match(/%[0-7][0-9a-f]/gi) ?? []
    if (encoded.some((one) => unreserved.test(decodeURIComponent(one))))
      throw new DaybookError('invalid-input', '`path`: letters, digits and . _ ~ - are not encoded here.', {
        details: { path: 'path' },
      })
    await next()
  }
}
