// `GET /health`: that the edge answers, and which wire it speaks; with a key also how the book is that `X-Daybook-Book` names, or
// for which this edge was started. Invariant: without a key nothing is said of any book.
import { Hono } from 'hono'
import { checkBookName } from '../../../core/book.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { EdgeTypes } from '../../../edge/edge-env.ts'
import { wireVersion } from '../../../sync/wire/protocol.ts'
import { bookHeader, type Forward } from './addressed.ts'

/** What of the status of a book is told: what somebody who watches over it can act on. */
interface Told {
  readonly durability: string
  readonly degraded: readonly string[]
  readonly records: Readonly<Record<string, number>>
}

export function createHealthRoute(forward: Forward) {
  return new Hono<EdgeTypes>().get('/health', async (c) => {
    const edge = { ok: true, wire: wireVersion }
    const { authorization, [bookHeader]: named = c.env.DAYBOOK_BOOK } = c.req.header()
    if (authorization === undefined || named === undefined) return c.json(edge, 200)
    const name = checkBookName(named)
    const answer = await forward(asked(new URL(c.req.url), name, authorization), c.env)
    if (!answer.ok) throw DaybookError.from(await answer.json())
    const { durability, degraded, records } = (await answer.json()) as Told
    return c.json({ ...edge, book: { name, durability, degraded, records } }, 200)
  })
}

/** The question, as whoever holds the key asks it at the address of the book. */
function asked(url: URL, book: string, authorization: string): Request {
  url.pathname = `/v1/books/${book}/capabilities/daybook:status`
  url.search = ''
  const headers = { authorization, 'content-type': 'application/json' }
  return new Request(url, { method: 'POST', headers, body: '{}' })
}
