// `POST /v1/books/:book/sync`: one round of sync between a device and the mirror of the book.
import { Hono } from 'hono'
import { mirrorLimits, parseSyncRequest } from '../../src/sync/protocol.ts'
import { bookParam } from '../book-param.ts'
import type { EdgeTypes } from '../edge-env.ts'
import { jsonBody } from '../json-body.ts'
import { fromOutcome } from '../outcome.ts'

/** What a request has beside its ops. */
const envelopeBytes = 100_000

/** Checked here, so that nonsense wakes no object; what goes on is what came, because its bytes are remembered. */
const body = jsonBody<unknown, string>((value, text) => {
  parseSyncRequest(value)
  return text
}, mirrorLimits.requestBytes + envelopeBytes)

export const syncRoute = new Hono<EdgeTypes>().post('/v1/books/:book/sync', bookParam, body, async (c) => {
  const mirror = c.env.MIRROR.getByName(c.req.valid('param').book)
  const answer = await fromOutcome(mirror.exchange(c.req.valid('json'), c.get('presented')))
  return c.body(answer, 200, { 'content-type': 'application/json' })
})
