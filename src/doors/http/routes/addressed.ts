// `POST /messages` and `POST /capabilities/:id`, as agents that speak P3394 know them: of the book that `X-Daybook-Book` names,
// or of the one that this edge was started for. Invariant: whoever asks is let in at the book's own address, and nowhere else.
import { type Context, Hono } from 'hono'
import { checkBookName } from '../../../core/book.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { EdgeEnv, EdgeTypes } from '../../../edge/edge-env.ts'

/** Has the app answer a request. */
export type Forward = (request: Request, env: EdgeEnv) => Response | Promise<Response>

export const bookHeader = 'x-daybook-book'

/** The book that is meant by a request whose address names none; throws `invalid-input` when nothing says which. */
function namedBook(c: Context<EdgeTypes>): string {
  const book = c.req.header(bookHeader) ?? c.env.DAYBOOK_BOOK
  if (book !== undefined) return checkBookName(book)
  throw new DaybookError(
    'invalid-input',
    '`X-Daybook-Book`: Which book is meant? Name it in this header, ask below `/v1/books/:book`, or start the edge for one (`daybook serve --book`).',
    { details: { path: 'X-Daybook-Book' } },
  )
}

export function createAddressedRoute(forward: Forward) {
  const go = (c: Context<EdgeTypes>, place: string) => {
    const url = new URL(c.req.url)
    url.pathname = `/v1/books/${namedBook(c)}${place}`
    return forward(new Request(url, c.req.raw), c.env)
  }
  return new Hono<EdgeTypes>()
    .post('/messages', (c) => go(c, '/messages'))
    .post('/capabilities/:id', (c) =>
      go(c, `/capabilities/${encodeURIComponent(c.req.param('id')).replaceAll('%3A', ':')}`),
    )
}
