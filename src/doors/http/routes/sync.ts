// `POST /v1/books/:book/sync`: one round of sync between a device and the mirror of the book.
import { Hono } from 'hono'
import { mirrorLimits, parseSyncRequest } from '../../../sync/wire/protocol.ts'
import type { BookTypes } from '../../../edge/edge-env.ts'
import { jsonBody } from '../request/json-body.ts'

/** What a request has beside its ops. */
const envelopeBytes = 100_000

/** Checked here, so that nonsense wakes no object; what goes on is what came, because its bytes are remembered. */
const body = jsonBody<unknown, string>({
  capability: 'daybook:sync',
  limitBytes: mirrorLimits.requestBytes + envelopeBytes,
  parse(value, text) {
    parseSyncRequest(value)
    return text
  },
})

export const syncRoute = new Hono<BookTypes>().post('/sync', body, async (c) => {
  const answer = await c.get('book').exchange(c.req.valid('json'))
  return c.body(answer, 200, { 'content-type': 'application/json' })
})
